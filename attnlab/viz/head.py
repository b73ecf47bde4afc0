"""The payload of the chosen head: its weights for one or two sentences, with their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz import align
from attnlab.viz.grid import quantise
from attnlab.viz.payload import pack
from attnlab.viz.tokens import rows

MODES = ("words", "matrix")
EXACT_CELLS = 256 * 256  # up to here weights travel as float32, beyond as 16 bits


def _weights(name: str, weights: np.ndarray, queries: int, sources: int) -> np.ndarray:
    """``weights`` [Q, S] as it travels, checked against the token counts."""
    if weights.shape != (queries, sources):
        raise ValueError(
            f"weights of {name} are {weights.shape}, for {queries} queries and {sources} keys"
        )
    if not np.isfinite(weights).all():
        raise ValueError(f"weights of {name} hold values that are not finite")
    if weights.size <= EXACT_CELLS:
        return weights.astype(np.float32)
    return quantise(weights)


def settle_row(row: int | None, length: int) -> int:
    """The looked-from position: ``row``, or the last where it is None.

    Raises:
        ValueError: outside ``length``.
    """
    if row is None:
        return length - 1
    if not 0 <= row < length:
        raise ValueError(f"position {row} is outside {length} tokens")
    return row


def follow(row_a: int, tokens_a: Sequence[Any], tokens_b: Sequence[Any]) -> int:
    """The position of B that corresponds to ``row_a`` of A, or the nearest earlier that does."""
    return max((j for i, j in align.pairs(tokens_a, tokens_b) if i <= row_a), default=0)


def head_payload(
    a: np.ndarray,
    tokens_a: Sequence[Any],
    *,
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    mode: str = "words",
    row_a: int | None = None,
    row_b: int | None = None,
    causal: bool = True,
    sink: bool = False,
    label: str = "",
    serial: int = 0,
) -> bytes:
    """Pack one head's weights ``a`` and ``b`` ([Q, S]) with the words of both axes.

    ``row_a`` and ``row_b`` are the positions first looked from (default: the last). ``sink`` says
    that the model has learned sinks, so that rows below 1 are explained as such.

    Raises:
        ValueError: a shape, a mode or a row does not fit.
    """
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is not one of {MODES}")
    sides = {"a": (a, tokens_a, sources_a, row_a)}
    if b is not None:
        tokens_b = tokens_b or []
        if row_b is None and row_a is not None:
            row_b = follow(row_a, tokens_a, tokens_b)
        sides["b"] = (b, tokens_b, sources_b, row_b)
    header: dict[str, Any] = {
        "mode": mode,
        "causal": causal,
        "sink": sink,
        "label": label,
        "serial": serial,
        "pairs": [] if b is None else align.pairs(tokens_a, tokens_b or []),
        "tokens": {},
        "sources": {},
        "rows": {},
    }
    arrays = {}
    for name, (weights, tokens, sources, row) in sides.items():
        keys = tokens if sources is None else sources
        arrays[name] = _weights(name.upper(), weights, len(tokens), len(keys))
        header["tokens"][name] = rows(tokens)
        header["sources"][name] = None if sources is None else rows(sources)
        header["rows"][name] = settle_row(row, len(tokens))
    return pack(header, arrays)

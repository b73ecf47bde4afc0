"""The payload of the chosen head: its weights for one or two sentences, with their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.viz import align
from attnlab.viz.difference import LEAST_CHANGE, alone, at, both, full_change, only
from attnlab.viz.payload import pack, quantise
from attnlab.viz.tokens import rows

MODES = ("words", "matrix", "difference")
EXACT_CELLS = 256 * 256  # up to here weights travel as float32, beyond as 16 bits


@dataclass(frozen=True)
class _Side:
    """One sentence's weights [Q, S], the words of both axes, and the position looked from."""

    weights: np.ndarray
    tokens: Sequence[Any]
    sources: Sequence[Any] | None
    row: int | None

    @property
    def keys(self) -> Sequence[Any]:
        """The words that can be looked at."""
        return self.tokens if self.sources is None else self.sources

    def packed(self, name: str, causal: bool) -> np.ndarray:
        """The weights as they travel; of large causal ones only what is not in the future.

        That half is a flat array: row i begins at i (i + 1) / 2.

        Raises:
            ValueError: the shape does not fit the words, or a weight is no finite share.
        """
        weights, shape = self.weights, (len(self.tokens), len(self.keys))
        if weights.shape != shape:
            raise ValueError(
                f"weights of {name} are {weights.shape}, for {shape[0]} queries and {shape[1]} keys"
            )
        if weights.size <= EXACT_CELLS:
            if not np.isfinite(weights).all():
                raise ValueError(f"weights of {name} hold values that are not finite")
            return weights.astype(np.float32)
        if causal and self.sources is None:
            weights = weights[np.tri(len(weights), dtype=bool)]
        return quantise(weights, fine=True)


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


def _difference(a: _Side, b: _Side) -> dict[str, Any]:
    """The merged axes of B − A as [in A, in B], what is hatched, and the change of full ink."""
    queries = align.merged(a.tokens, b.tokens)
    keys = align.merged(a.keys, b.keys)
    crosses = a.sources is not None or b.sources is not None
    compared, columns = both(queries), both(keys)
    full = LEAST_CHANGE
    if compared and columns:
        full = full_change(*at(a.weights, b.weights, compared, columns))
    note = only("Hatched", alone(queries, keys, crosses))
    return {"rows": queries, "columns": keys, "full": full, "note": note}


def _maybe_rows(tokens: Sequence[Any] | None) -> list[Any] | None:
    return None if tokens is None else rows(tokens)


def _pinned_key(
    sides: Mapping[str, _Side], key_position: int | None, side: str | None
) -> dict[str, Any] | None:
    """The pinned key word as the browser takes it."""
    if key_position is None:
        return None
    name = max(sides) if side is None else side.lower()
    if name not in sides:
        raise ValueError(f"side {side!r} is not one of {[name.upper() for name in sides]}")
    return {"side": name, "key": settle_row(key_position, len(sides[name].keys))}


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
    key_position: int | None = None,
    side: str | None = None,
    causal: bool = True,
    sink: bool = False,
    lead: str = "",
    edited: str = "",
    forgets: Mapping[str, tuple[int, int]] | None = None,
    label: str = "",
    serial: int = 0,
) -> bytes:
    """Pack one head's weights ``a`` and ``b`` ([Q, S]) with the words of both axes.

    ``row_a`` and ``row_b`` are the positions first looked from (default: the last);
    ``key_position`` is the word first marked as looked at, in the sentence ``side`` (default: the
    last there is). ``mode`` "difference" is B − A over the words of both. ``sink`` says that the
    model has learned sinks, so that rows below 1 are explained as such. ``lead`` stands before the
    looked-from word where one text has no letter ("While writing"); "": "A from". ``edited`` names
    the sides, such as "b", that an edited model has read: they have the colour of edits.
    ``forgets`` says of a side how many of the last and of the first words could be looked at; cells
    of those between are left blank, see :func:`attnlab.viz.forgotten.forgotten`.

    Raises:
        ValueError: a shape, a mode or a position does not fit.
    """
    if mode not in MODES or (mode == "difference" and b is None):
        raise ValueError(f"mode {mode!r} is not one of {MODES}, or needs B")
    sides = {"a": _Side(a, tokens_a, sources_a, row_a)}
    if b is not None:
        tokens_b = tokens_b or []
        if row_b is None and row_a is not None:
            row_b = follow(row_a, tokens_a, tokens_b)
        sides["b"] = _Side(b, tokens_b, sources_b, row_b)
    header: dict[str, Any] = {
        "mode": mode,
        "causal": causal,
        "sink": sink,
        "lead": lead,
        "edited": edited,
        "forgets": dict(forgets or {}),
        "label": label,
        "serial": serial,
        "pairs": align.pairs(tokens_a, tokens_b) if "b" in sides else [],
        "keyPairs": align.pairs(sides["a"].keys, sides["b"].keys) if "b" in sides else [],
        "difference": _difference(**sides) if mode == "difference" else None,
        "key": _pinned_key(sides, key_position, side),
        "tokens": {name: rows(one.tokens) for name, one in sides.items()},
        "sources": {name: _maybe_rows(one.sources) for name, one in sides.items()},
        "rows": {name: settle_row(one.row, len(one.tokens)) for name, one in sides.items()},
    }
    arrays = {name: one.packed(name.upper(), causal) for name, one in sides.items()}
    return pack(header, arrays)

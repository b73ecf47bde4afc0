"""The payload of the picker: running words, of which one looks and one is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attnlab.viz import align
from attnlab.viz.payload import pack
from attnlab.viz.tokens import rows


def _inside(name: str, position: int | None, length: int) -> int | None:
    if position is not None and not 0 <= position < length:
        raise ValueError(f"{name} {position} is outside {length} tokens")
    return position


def pick_payload(
    tokens_a: Sequence[Any],
    *,
    tokens_b: Sequence[Any] | None = None,
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    side: str = "B",
    query: int | None = None,
    key_position: int | None = None,
    causal: bool = True,
    label: str = "",
    serial: int = 0,
) -> bytes:
    """Pack the words of one or two texts, and the pair that is chosen at first.

    ``tokens_a`` and ``tokens_b`` look; they also are looked at, unless ``sources_a`` and
    ``sources_b`` are given (cross-attention). ``query`` and ``key_position`` are positions of
    ``side``: both None chooses nothing yet, ``key_position`` None leaves it to be chosen. Without
    B the side is A. ``causal`` says that no word is looked at from an earlier one.

    Raises:
        ValueError: the side or a position does not fit, or a key comes without a query.
    """
    if side not in ("A", "B"):
        raise ValueError(f"side {side!r} is not 'A' or 'B'")
    side = "A" if tokens_b is None else side
    texts = {"a": (tokens_a, sources_a)}
    if tokens_b is not None:
        texts["b"] = (tokens_b, sources_b)
    queries, sources = texts[side.lower()]
    keys = queries if sources is None else sources
    if query is None and key_position is not None:
        raise ValueError(f"key {key_position} comes without a query")
    header = {
        "tokens": {name: rows(words) for name, (words, _) in texts.items()},
        "sources": {n: None if of is None else rows(of) for n, (_, of) in texts.items()},
        "pairs": [] if tokens_b is None else align.pairs(tokens_a, tokens_b),
        "chosen": {
            "side": side.lower(),
            "query": _inside("query", query, len(queries)),
            "key": _inside("key", key_position, len(keys)),
        },
        "causal": causal,
        "label": label,
        "serial": serial,
    }
    return pack(header, {})

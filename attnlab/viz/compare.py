"""The payload of several heads beside each other on one scale, and of how alike they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz import align
from attnlab.viz.payload import pack
from attnlab.viz.tokens import label as label_of
from attnlab.viz.tokens import rows

DRAWN = ("matrices", "arcs")
MOST_HEADS = 12  # beyond, the maps get too small to be compared
MOST_CELLS = 64  # of a side of a map; longer texts are pooled before

Head = tuple[int, int]  # layer and head, as the model counts them


def _maps(name: str, maps: np.ndarray, heads: int, queries: int, keys: int) -> np.ndarray:
    """``maps`` [n, q, s] as they travel, checked against heads and token counts."""
    fits = maps.ndim == 3 and maps.shape[0] == heads
    if not fits or maps.shape[1] > queries or maps.shape[2] > keys:
        raise ValueError(
            f"maps of {name} are {maps.shape}, for {heads} heads, {queries} queries and {keys} keys"
        )
    if max(maps.shape[1:]) > MOST_CELLS:
        raise ValueError(f"maps of {name} are {maps.shape[1:]}; a side takes {MOST_CELLS} at most")
    if not np.isfinite(maps).all():
        raise ValueError(f"maps of {name} hold values that are not finite")
    return maps if maps.dtype == np.uint8 else maps.astype(np.float32)


def _alike(name: str, table: np.ndarray | None, heads: int) -> list[list[float]] | None:
    if table is None:
        return None
    table = np.asarray(table, dtype=np.float64)
    if table.shape != (heads, heads) or not np.isfinite(table).all():
        raise ValueError(f"the similarity of {name} is no finite table of {heads} by {heads}")
    return table.tolist()


def compare_payload(
    heads: Sequence[Head],
    a: np.ndarray,
    tokens_a: Sequence[Any],
    *,
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    similarity_a: np.ndarray | None = None,
    similarity_b: np.ndarray | None = None,
    drawn: str = "matrices",
    side: str = "A",
    notes: Sequence[str] | None = None,
    causal: bool = True,
    label: str = "",
) -> bytes:
    """Pack the maps of ``heads`` on one or two texts; ``side`` says which text is drawn.

    Args:
        heads: (layer, head) of each, at most :data:`MOST_HEADS`, none twice.
        a, b: [n, q, s] weights, float or uint8, in the order of ``heads``, at most
            :data:`MOST_CELLS` a side: smaller than the tokens where a long text is pooled.
        sources_a, sources_b: the words looked at, where they are others (cross-attention).
        similarity_a, similarity_b: [n, n], 1 for heads that look alike, 0 for heads that share
            nothing.
        notes: a few words on each head.
        causal: no word looks at a later one.

    Raises:
        ValueError: something does not fit the heads or the tokens.
    """
    heads = [(int(layer), int(head)) for layer, head in heads]
    if not 0 < len(heads) <= MOST_HEADS or len(set(heads)) < len(heads):
        raise ValueError(f"between 1 and {MOST_HEADS} different heads can be compared, not {heads}")
    if drawn not in DRAWN:
        raise ValueError(f"drawn {drawn!r} is not one of {DRAWN}")
    if side not in ("A", "B"):
        raise ValueError(f"side {side!r} is not 'A' or 'B'")
    if notes is not None and len(notes) != len(heads):
        raise ValueError(f"{len(notes)} notes for {len(heads)} heads")
    texts = {"a": (a, tokens_a, sources_a, similarity_a)}
    if b is not None:
        texts["b"] = (b, tokens_b or [], sources_b, similarity_b)
    header: dict[str, Any] = {
        "heads": heads,
        "notes": [label_of({"text": note}) if note else "" for note in notes or [""] * len(heads)],
        "drawn": drawn,
        "side": side.lower() if b is not None else "a",
        "causal": causal,
        "label": label,
        "pairs": [] if b is None else align.pairs(tokens_a, tokens_b or []),
        "tokens": {},
        "sources": {},
        "alike": {},
    }
    arrays = {}
    for name, (maps, tokens, sources, alike) in texts.items():
        keys = tokens if sources is None else sources
        arrays[name] = _maps(name.upper(), maps, len(heads), len(tokens), len(keys))
        header["tokens"][name] = rows(tokens)
        header["sources"][name] = None if sources is None else rows(sources)
        header["alike"][name] = _alike(name.upper(), alike, len(heads))
    return pack(header, arrays)

"""The numbers of heads: of all of them on a text, or of a few."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from attnlab.ui import engine
from attnlab.ui.export import said
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Head
from attnlab.viz import align
from attnlab.viz.numbers import Numbers, Text, cells, least_of, pooled_cells
from attnlab.viz.pooling import cell_side

_CELL = ("query", "query_token", "key", "key_token", "weight")
_POOLED = ("query_from", "query_to", "key_from", "key_to", "largest_weight")

Pairs = Sequence[tuple[int, int]]


def of_heads(
    of: Scene,
    heads: Sequence[Head],
    arrays: Mapping[str, np.ndarray],
    body: Mapping[str, Any],
    whose: str = "these heads",
) -> Numbers:
    """The numbers of these heads: by text, [n, Q, S], or [n, q, s] of a long one.

    Args:
        body: what the document holds besides the weights.
        whose: the heads, as the file names them.
    """
    texts = [said.text(of, side) for side in said.sides(of)]
    reduced = {t.name: cell_side(arrays[t.name].shape, len(t.tokens), len(t.keys)) for t in texts}
    whole = set(reduced.values()) == {1}
    least, note = least_of(sum(array.size for array in arrays.values()))
    others = _others(of, arrays) if whole and len(arrays) == 2 else {}
    columns = ("text", "layer", "head", *(_CELL if whole else _POOLED))
    body = {"heads": [list(head) for head in heads], "weights": dict(arrays), **body}
    if others:
        columns = (*columns, "weight_in_other_text")
        body |= {"query_pairs": _queries(of), "key_pairs": _keys(of)}
    what = "Attention weights" if whole else "Largest attention weights of squares of positions"
    small = "" if whole else f"Maps are reduced; positions a side of a cell: {reduced}."
    return Numbers(
        f"{what}, of {whose}.",
        engine.provenance(of.reader),
        texts,
        columns,
        _rows(of, texts, heads, arrays, others, least, whole),
        body,
        [remark for remark in (note, small) if remark],
    )


def _rows(
    of: Scene,
    texts: Sequence[Text],
    heads: Sequence[Head],
    arrays: Mapping[str, np.ndarray],
    others: Mapping[str, np.ndarray],
    least: float,
    whole: bool,
) -> Iterable[list[Any]]:
    causal = of.reader.causal
    for text in texts:
        other = others.get(text.name)
        for at, (layer, head) in enumerate(heads):
            weights = arrays[text.name][at]
            if whole:
                there = None if other is None else other[at]
                rows = cells(weights, text, causal=causal, least=least, other=there)
            else:
                rows = pooled_cells(weights, text, least=least)
            yield from ([text.name, layer, head, *row] for row in rows)


def _queries(of: Scene) -> Pairs:
    return align.pairs(of.a.tokens, of.b.tokens)


def _keys(of: Scene) -> Pairs:
    return align.pairs(of.a.sources, of.b.sources)


def _others(of: Scene, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """For each text the other one's weights [n, Q, S] at corresponding cells; NaN elsewhere."""
    rows, columns = np.array(_queries(of)), np.array(_keys(of))
    found = {name: np.full(array.shape, np.nan, np.float32) for name, array in arrays.items()}
    if len(rows) and len(columns):
        in_a = np.s_[:, rows[:, 0, None], columns[:, 0]]
        in_b = np.s_[:, rows[:, 1, None], columns[:, 1]]
        found["A"][in_a] = arrays["B"][in_b]
        found["B"][in_b] = arrays["A"][in_a]
    return found

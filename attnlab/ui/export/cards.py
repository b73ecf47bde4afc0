"""The grid, one head and compared heads, as pictures and numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from attnlab.analysis.similarity import pairwise
from attnlab.ui import engine, scene
from attnlab.ui.export import said
from attnlab.ui.export.menu import Savable
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Head, Side
from attnlab.viz import align, svg
from attnlab.viz.numbers import Numbers, Text, cell_side, cells, least_of, pooled_cells

_CELL = ("query", "query_token", "key", "key_token", "weight")
_POOLED = ("query_from", "query_to", "key_from", "key_to", "largest_weight")


@dataclass(frozen=True)
class Maps:
    """What the grid is drawn of: maps and tokens of A and B, and how they lie to each other."""

    a: np.ndarray
    b: np.ndarray | None
    tokens: tuple[Any, Any]
    options: Mapping[str, Any]


def grid(of: Scene) -> Savable:
    """Every head on the texts."""
    maps = maps_of(of)  # now, on the page's own thread: a file is made on another
    return Savable(
        "attnlab-heads", partial(_grid_picture, of, maps), partial(_grid_numbers, of, maps)
    )


def maps_of(of: Scene) -> Maps:
    """The maps that the grid shows; long texts of different lengths where they correspond."""
    if of.b is None:
        return Maps(of.a.maps, None, (of.a.tokens, None), of.sources)
    if of.view != "B-A" or of.overlap is None:
        return Maps(of.a.maps, of.b.maps, (of.a.tokens, of.b.tokens), of.sources)
    (a, b), tokens, options = of.compared()
    return Maps(a, b, tokens, {**options, "left_out": of.overlap.left_out})


def _grid_picture(of: Scene, maps: Maps, dark: bool) -> str:
    shown: Sequence[Side] = ("A", "B") if of.view == "B-A" else (of.pictured,)
    title = "Every head, B − A" if of.view == "B-A" else f"Every head on {of.pictured}"
    if of.b is None:
        title = "Every head"
    share = f"{of.reading(of.pictured).first_share:.0%}"
    first = f"The first token takes {share} of all attention on {of.pictured}."
    return svg.grid(
        maps.a,
        maps.tokens[0],
        b=maps.b,
        tokens_b=maps.tokens[1],
        view=of.view,
        drop_first=of.selection.drop_first,
        causal=of.reader.causal,
        layers=of.reader.layers,
        selected=(of.reader.layers.index(of.selection.layer), of.selection.head),
        caption=said.caption(of, title, shown, [first]),
        dark=dark,
        **maps.options,
    )


def _grid_numbers(of: Scene, drawn: Maps) -> Numbers:
    texts = [said.text(of, side) for side in said.sides(of)]
    maps = {side: of.reading(side).maps for side in said.sides(of)}
    whole = all(of.reading(side).whole for side in said.sides(of))
    least, note = least_of(sum(array.size for array in maps.values()))
    notes = [note] if note else []
    if not whole:
        cover = {text.name: cell_side(maps[text.name].shape, text) for text in texts}
        notes.append(f"Maps are reduced; positions a side of a cell: {cover}.")
    body: dict[str, Any] = {"layers": list(of.reader.layers), "whole": whole, "maps": maps}
    if drawn.options.get("left_out"):
        body["compared"] = {
            "query_pairs": of.overlap.rows,
            "key_pairs": of.overlap.columns,
            "maps": {"A": drawn.a, "B": drawn.b},
        }
    return Numbers(
        "Attention weights of every head.",
        engine.provenance(of.reader),
        texts,
        ("text", "layer", "head", *(_CELL if whole else _POOLED)),
        _grid_rows(of, texts, maps, least, whole),
        body,
        notes,
    )


def _grid_rows(
    of: Scene, texts: Sequence[Text], maps: dict[str, np.ndarray], least: float, whole: bool
) -> Iterable[list[Any]]:
    for text in texts:
        for place, layer in enumerate(of.reader.layers):
            for head in range(of.reader.heads_in(layer)):
                array = maps[text.name][place, head]
                rows = (
                    cells(array, text, causal=of.reader.causal, least=least)
                    if whole
                    else pooled_cells(array, text, least=least)
                )
                yield from ([text.name, layer, head, *row] for row in rows)


def head(of: Scene, a: np.ndarray, b: np.ndarray | None) -> Savable:
    """The chosen head on the texts: weights [Q, S]."""
    name = f"attnlab-head-{said.name(of.selection.chosen)}"
    heads, b = [of.selection.chosen], None if b is None else b[None]
    return Savable(
        name,
        partial(_head_picture, of, a, None if b is None else b[0]),
        partial(_heads_numbers, of, heads, a[None], b, {}),
    )


def _head_picture(of: Scene, a: np.ndarray, b: np.ndarray | None, dark: bool) -> str:
    layer, number = of.selection.chosen
    mode = of.selection.mode
    if mode == "difference" and b is None:
        mode = "matrix"
    row_a, row_b = scene.pinned_rows(of)
    title = f"Layer {layer} · Head {number}" + (", B − A" if mode == "difference" else "")
    return svg.head(
        a,
        of.a.tokens,
        b=b,
        tokens_b=None if of.b is None else of.b.tokens,
        mode=mode,
        row_a=row_a,
        row_b=row_b,
        key=scene.pinned_key(of),
        side=of.side,
        causal=of.reader.causal,
        sink=of.reader.sink,
        caption=said.caption(of, title, said.sides(of)),
        dark=dark,
        **of.sources,
    )


def compare(
    of: Scene,
    heads: Sequence[Head],
    a: np.ndarray,
    b: np.ndarray | None,
    notes: Sequence[str] = (),
) -> Savable:
    """Heads side by side: weights [n, Q, S]; `notes` say what each head is known for."""
    return Savable(
        "attnlab-heads-compared",
        partial(_compared_picture, of, heads, a, b, notes),
        partial(_compared_numbers, of, heads, a, b),
    )


def _alike(of: Scene, weights: np.ndarray | None) -> np.ndarray | None:
    """[n, n]: how alike the heads look; 1 alike, 0 apart."""
    if weights is None:
        return None
    return pairwise(torch.tensor(weights), causal=of.reader.causal).numpy()


def _compared_numbers(
    of: Scene, heads: Sequence[Head], a: np.ndarray, b: np.ndarray | None
) -> Numbers:
    alike = {"A": _alike(of, a), "B": _alike(of, b)}
    tables = {side: table for side, table in alike.items() if table is not None}
    return _heads_numbers(of, heads, a, b, {"similarity": tables})


def _compared_picture(
    of: Scene,
    heads: Sequence[Head],
    a: np.ndarray,
    b: np.ndarray | None,
    notes: Sequence[str],
    dark: bool,
) -> str:
    row_a, row_b = scene.pinned_rows(of)
    return svg.compare(
        heads,
        a,
        of.a.tokens,
        b=b,
        tokens_b=None if of.b is None else of.b.tokens,
        drawn=of.selection.drawn,
        similarity_a=_alike(of, a),
        similarity_b=_alike(of, b),
        notes=notes,
        row_a=row_a,
        row_b=row_b,
        causal=of.reader.causal,
        caption=said.caption(of, "Heads side by side", said.sides(of)),
        dark=dark,
        **of.sources,
    )


def _heads_numbers(
    of: Scene, heads: Sequence[Head], a: np.ndarray, b: np.ndarray | None, more: dict[str, Any]
) -> Numbers:
    texts = [said.text(of, side) for side in said.sides(of)]
    arrays = {"A": a} if b is None else {"A": a, "B": b}
    least, note = least_of(sum(array.size for array in arrays.values()))
    body = {"heads": [list(head) for head in heads], "weights": arrays, **more}
    columns = ("text", "layer", "head", *_CELL)
    if b is not None:
        queries = align.pairs(of.a.tokens, of.b.tokens)
        keys = align.pairs(of.a.sources, of.b.sources)
        body |= {"query_pairs": queries, "key_pairs": keys}
        columns = (*columns, "weight_in_other_text")
        others = {
            "A": _carried(b, a.shape, queries, keys, 0),
            "B": _carried(a, b.shape, queries, keys, 1),
        }
    else:
        others = {}
    return Numbers(
        "Attention weights of these heads.",
        engine.provenance(of.reader),
        texts,
        columns,
        _head_rows(of, texts, heads, arrays, others, least),
        body,
        [note] if note else [],
    )


def _carried(
    other: np.ndarray,
    shape: tuple[int, ...],
    queries: Sequence[tuple[int, int]],
    keys: Sequence[tuple[int, int]],
    side: int,
) -> np.ndarray:
    """The other text's weights [n, …] at the corresponding cells of this one; NaN elsewhere."""
    found = np.full(shape, np.nan, np.float32)
    if queries and keys:
        rows, columns = np.array(queries), np.array(keys)
        found[:, rows[:, side, None], columns[None, :, side]] = other[
            :, rows[:, 1 - side, None], columns[None, :, 1 - side]
        ]
    return found


def _head_rows(
    of: Scene,
    texts: Sequence[Text],
    heads: Sequence[Head],
    arrays: dict[str, np.ndarray],
    others: dict[str, np.ndarray],
    least: float,
) -> Iterable[list[Any]]:
    for text in texts:
        other = others.get(text.name)
        for at, (layer, number) in enumerate(heads):
            rows = cells(
                arrays[text.name][at],
                text,
                causal=of.reader.causal,
                least=least,
                other=None if other is None else other[at],
            )
            yield from ([text.name, layer, number, *row] for row in rows)

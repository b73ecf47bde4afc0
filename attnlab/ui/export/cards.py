"""The grid, one head and compared heads, as pictures and numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from attnlab.ui import engine, scene
from attnlab.ui.export import said
from attnlab.ui.export.menu import Savable
from attnlab.ui.export.tables import of_heads
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Head, Side
from attnlab.viz import svg
from attnlab.viz.heads import full
from attnlab.viz.numbers import Numbers


@dataclass(frozen=True)
class Maps:
    """What the grid is drawn of: maps and tokens of A and B, and how they lie to each other."""

    a: np.ndarray
    b: np.ndarray | None
    tokens: tuple[Any, Any]
    options: Mapping[str, Any]


def grid(of: Scene, ranks: Mapping[Head, int] | None = None) -> Savable:
    """Every head on the texts; ``ranks`` are the places, from 1, of heads that were found."""
    maps = maps_of(of)  # now, on the page's own thread: a file is made on another
    return Savable(
        "attnlab-heads",
        partial(_grid_picture, of, maps, ranks or {}),
        partial(_grid_numbers, of, maps),
    )


def maps_of(of: Scene) -> Maps:
    """The maps that the grid shows; long texts of different lengths where they correspond."""
    if of.b is None:
        return Maps(of.a.maps, None, (of.a.tokens, None), of.sources)
    if of.view != "B-A" or of.overlap is None:
        return Maps(of.a.maps, of.b.maps, (of.a.tokens, of.b.tokens), of.sources)
    (a, b), tokens, options = of.compared
    return Maps(a, b, tokens, {**options, "left_out": of.overlap.left_out})


def _grid_picture(of: Scene, maps: Maps, ranks: Mapping[Head, int], dark: bool, *more: str) -> str:
    shown: Sequence[Side] = ("A", "B") if of.view == "B-A" else (of.pictured,)
    title = "Every head, B − A" if of.view == "B-A" else f"Every head on {of.pictured}"
    if of.b is None:
        title = "Every head"
    share = f"{of.reading(of.pictured).first_share:.0%}"
    place = of.reader.layers.index
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
        selected=(place(of.selection.layer), of.selection.head),
        ranks={(place(layer), head): rank for (layer, head), rank in ranks.items()},
        caption=said.caption(of, title, shown, [first, *more]),
        dark=dark,
        **maps.options,
    )


def _grid_numbers(of: Scene, drawn: Maps) -> Numbers:
    """Every head that the model has; layers may differ in how many."""
    reader = of.reader
    heads = [(layer, head) for layer in reader.layers for head in range(reader.heads_in(layer))]
    places = np.array([(reader.layers.index(layer), head) for layer, head in heads]).T
    arrays = {side: of.reading(side).maps[tuple(places)] for side in said.sides(of)}
    body: dict[str, Any] = {}
    if drawn.options.get("left_out"):
        pairs = {"query_pairs": of.overlap.rows, "key_pairs": of.overlap.columns}
        body["compared"] = {**pairs, "layers": list(reader.layers), "A": drawn.a, "B": drawn.b}
    return of_heads(of, heads, arrays, body, "every head")


def head(of: Scene, a: np.ndarray, b: np.ndarray | None) -> Savable:
    """The chosen head on the texts: weights [Q, S]."""
    chosen = of.selection.chosen
    arrays = _by_text(a[None], None if b is None else b[None])
    return Savable(
        f"attnlab-head-{said.name(chosen)}",
        partial(_head_picture, of, a, b),
        partial(of_heads, of, [chosen], arrays, {}, "this head"),
    )


def _by_text(a: np.ndarray, b: np.ndarray | None) -> dict[str, np.ndarray]:
    return {"A": a} if b is None else {"A": a, "B": b}


def _head_picture(of: Scene, a: np.ndarray, b: np.ndarray | None, dark: bool, *more: str) -> str:
    title = full(of.selection.chosen) + (", B − A" if of.mode == "difference" else "")
    caption = said.caption(of, title, said.sides(of), more)
    return svg.head(a, of.a.tokens, b=b, caption=caption, dark=dark, **scene.head_options(of))


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


def _alike(of: Scene, weights: np.ndarray | None, side: Side) -> np.ndarray | None:
    """[n, n]: how alike the heads look; 1 alike, 0 apart. None of reduced maps."""
    return None if weights is None else engine.alike(of.reader, of.reading(side), weights)


def _compared_numbers(
    of: Scene, heads: Sequence[Head], a: np.ndarray, b: np.ndarray | None
) -> Numbers:
    alike = {"A": _alike(of, a, "A"), "B": _alike(of, b, "B")}
    tables = {side: table for side, table in alike.items() if table is not None}
    return of_heads(of, heads, _by_text(a, b), {"similarity": tables})


def _compared_picture(
    of: Scene,
    heads: Sequence[Head],
    a: np.ndarray,
    b: np.ndarray | None,
    notes: Sequence[str],
    dark: bool,
    *more: str,
) -> str:
    row_a, row_b = scene.pinned_rows(of)
    return svg.compare(
        heads,
        a,
        of.a.tokens,
        b=b,
        tokens_b=None if of.b is None else of.b.tokens,
        drawn=of.selection.drawn,
        similarity_a=_alike(of, a, "A"),
        similarity_b=_alike(of, b, "B"),
        notes=notes,
        row_a=row_a,
        row_b=row_b,
        causal=of.reader.causal,
        caption=said.caption(of, "Heads side by side", said.sides(of), more),
        dark=dark,
        **of.sources,
    )

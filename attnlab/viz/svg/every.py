"""The picture of every head."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attnlab.viz import png, pooling
from attnlab.viz.difference import (
    LEAST_CHANGE,
    Comparable,
    at,
    both,
    comparable,
    full_of,
    kept_columns,
)
from attnlab.viz.heads import short
from attnlab.viz.svg import ink
from attnlab.viz.svg.frame import Caption, Scale, framed
from attnlab.viz.svg.layout import FOOT, LEFT, Layout, laid_out
from attnlab.viz.svg.sheet import Sheet, Theme, theme_of

ROOM = 1200  # units across; a PNG has two pixels to a unit
SHARP = 4  # image pixels to a unit of the picture


def grid(
    a: np.ndarray,
    tokens_a: Sequence[Any],
    *,
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    view: str = "A",
    drop_first: bool = True,
    causal: bool = True,
    layers: Sequence[int] | None = None,
    selected: tuple[int, int] | None = None,
    ranks: Mapping[tuple[int, int], int] | None = None,
    start: int | None = None,
    left_out: tuple[int, int] = (0, 0),
    edited: str = "",
    caption: Caption,
    dark: bool = False,
) -> str:
    """The SVG of every head's map; arguments as in :func:`attnlab.viz.grid.grid_payload`.

    ``selected`` and the keys of ``ranks`` count the maps, like their axes.

    Raises:
        ValueError: the view is none of A, B and B-A, or needs maps of B that are not there.
    """
    if view not in ("A", "B", "B-A") or (view != "A" and b is None):
        raise ValueError(f"view {view!r} needs to be A, B or B-A, and B needs its maps")
    maps, tokens, sources = (a, tokens_a, sources_a)
    if view != "A":
        maps, tokens, sources = b, tokens_b or [], sources_b
    length = len(tokens), len(tokens if sources is None else sources)
    full, notes = 1 / ink.GAIN, []
    if view == "B-A":
        options = {"sources_a": sources_a, "sources_b": sources_b, "causal": causal}
        options |= {"shape_a": a.shape[2:], "shape_b": b.shape[2:]}
        cells = comparable(tokens_a, tokens, **options, start=start, left_out=left_out)
        inked, full = _change(ink.unit(a), ink.unit(b), cells, drop_first)
        notes = _difference_notes(cells, maps.shape[2])
    else:
        inked = ink.of_weights(ink.unit(maps)[..., int(drop_first) :], view)
    layout, numbers = laid_out(*a.shape[:2], ROOM), layers or range(a.shape[0])
    theme = theme_of(dark)
    theme = replace(theme, **dict.fromkeys(edited, theme.edit))
    body = _tiles(inked, layout, theme, numbers)
    marks = _marks(body, layout, numbers, selected, ranks or {})
    notes = [*marks, *notes, *_reduction_notes(maps.shape, length, drop_first, layout)]
    return framed(body, caption.noting(*notes), [_scale(view, full)])


def _reduction_notes(
    shape: tuple[int, ...], length: tuple[int, int], drop_first: bool, layout: Layout
) -> list[str]:
    """What of maps of this shape, on as many queries and keys, is left out or drawn smaller."""
    each = pooling.cell_side(shape, *length)
    whose = "the first token's" if each == 1 else f"{each} tokens"
    return [
        f"The first column, {whose}, is left out." if drop_first else "",
        pooling.note(shape, *length),
        f"Each layer is folded: {layout.fold} heads side by side." if layout.fold > 1 else "",
    ]


def _change(
    a: np.ndarray, b: np.ndarray, cells: Comparable, drop_first: bool
) -> tuple[np.ndarray, float]:
    """Ink of B − A over the words of both, blank where one has none; and the change of full ink."""
    kept = kept_columns(cells, drop_first)
    if not cells.rows or not both(kept):
        return np.zeros((*a.shape[:2], 0, 0), np.float32), LEAST_CHANGE
    before, after = at(a, b, cells.rows, both(kept))
    change = after - before
    full = full_of(change)
    inked = np.zeros((*a.shape[:2], len(cells.merged_rows), len(kept)), np.float32)
    rows = [i for i, pair in enumerate(cells.merged_rows) if None not in pair]
    places = [j for j, pair in enumerate(kept) if None not in pair]
    inked[..., np.array(rows)[:, None], places] = ink.of_change(change, full)
    return inked, full


def _difference_notes(cells: Comparable, all_rows: int) -> list[str]:
    kept = len(cells.rows)
    rows = f"The {kept} of {all_rows} rows that can differ." if 0 < kept < all_rows else ""
    note = cells.remark("Left blank")
    return [rows, note if note.endswith(".") or not note else f"{note}."]


def _scale(view: str, full: float) -> Scale:
    if view == "B-A":
        return Scale("d", f"{full:.2f} more in A", f"{full:.2f} more in B")
    return Scale(view.lower(), "weight 0", f"{full:.2f} or more")


def _tiles(inked: np.ndarray, layout: Layout, theme: Theme, layers: Sequence[int]) -> Sheet:
    """Tiles, maps and numbers: one image holds all the maps."""
    wide, high = layout.size
    sheet = Sheet(theme, LEFT + wide, high + FOOT)
    radius = min(5, layout.tile / 7)
    for layer, head in np.ndindex(layout.layers, layout.heads):
        x, y = layout.place(layer, head)
        sheet.rect(LEFT + x, y, layout.tile, layout.tile, theme.tile, rx=radius)
    if inked.size:
        picture = png.indexed(_atlas(inked, layout), ink.palette(theme))
        sheet.image(LEFT, 0, wide, high, picture, "attention of every head")
    every = max(1, math.ceil(13 / layout.pitch))
    for row in range(0, layout.rows, every):
        y = row * layout.pitch + layout.tile / 2
        sheet.text(2, y, f"H{row * layout.fold}", size=10, colour=theme.mute)
    skip = max(1, math.ceil(26 / layout.step))
    for layer in range(0, layout.layers, skip):
        x = LEFT + layer * layout.step + layout.fold * layout.pitch / 2 - 1.5
        y = layout.rows * layout.pitch + 9
        sheet.text(x, y, f"L{layers[layer]}", size=10, colour=theme.mute, anchor="middle")
    return sheet


def _atlas(inked: np.ndarray, layout: Layout) -> np.ndarray:
    """Palette indices [height, width] of all maps at their places, SHARP pixels to a unit."""
    wide, high = layout.size
    atlas = np.zeros((high * SHARP, wide * SHARP), np.uint8)
    side = layout.map * SHARP
    maps = ink.shades(ink.strongest(inked, side, side))
    for layer, head in np.ndindex(layout.layers, layout.heads):
        x, y = ((at + layout.inset) * SHARP for at in layout.place(layer, head))
        atlas[y : y + side, x : x + side] = ink.stretched(maps[layer, head], side, side)
    return atlas


def _marks(
    sheet: Sheet,
    layout: Layout,
    layers: Sequence[int],
    selected: tuple[int, int] | None,
    ranks: Mapping[tuple[int, int], int],
) -> list[str]:
    """Marks heads on the tiles; returns a sentence for each kind of mark."""
    notes = []
    if selected is not None:
        _ring(sheet, layout, selected)
        notes.append(f"Framed: layer {layers[selected[0]]}, head {selected[1]}.")
    for place, rank in ranks.items():
        _rank(sheet, layout, place, rank)
    if ranks:
        order = sorted(ranks, key=ranks.get)
        found = ", ".join(short((layers[layer], head)) for layer, head in order)
        notes.append(f"Numbered: the first heads of a search, {found}.")
    return notes


def _ring(sheet: Sheet, layout: Layout, place: tuple[int, int]) -> None:
    x, y = layout.place(*place)
    size = layout.tile + 3
    sheet.put(
        "rect",
        x=LEFT + x - 1.5,
        y=y - 1.5,
        width=size,
        height=size,
        rx=5,
        fill="none",
        stroke=sheet.theme.ink,
        stroke_width=2,
    )


def _rank(sheet: Sheet, layout: Layout, place: tuple[int, int], rank: int) -> None:
    """A small number in the corner of a tile, as on the page."""
    x, y = layout.place(*place)
    radius, theme = min(9, layout.tile / 2), sheet.theme
    x, y = LEFT + x + radius - 1, y + radius - 1
    sheet.put("circle", cx=x, cy=y, r=radius, fill=theme.ink, stroke=theme.paper, stroke_width=1)
    size = min(13, 1.5 * radius)
    sheet.text(x, y, str(rank), size=size, bold=True, colour=theme.paper, anchor="middle")

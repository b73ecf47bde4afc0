"""Heat maps with titles and axes: one, or several beside each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import cut

_LEFT, _TITLE, _FOOT, _GAP = 34.0, 22.0, 20.0, 22.0
_MOST_SPOTS = 600


@dataclass(frozen=True)
class Table:
    """One heat map.

    Attributes:
        values: rows from the top, each −1 to 1: how strong the colour is.
        rows, columns: names of some places along the sides, by index.
        kinds: the colours above and below 0.
        told: what a cell says when it is pointed at: (row, column) → a title and lines; None for
            a map that says nothing.
    """

    title: str
    values: Sequence[Sequence[float]]
    rows: Sequence[tuple[int, str]] = ()
    columns: Sequence[tuple[int, str]] = ()
    kinds: tuple[str, str] = ("b", "a")
    told: Callable[[int, int], tuple[str, ...]] | None = None
    row_name: str = ""
    column_name: str = ""


def tables(
    maps: Sequence[Table],
    *,
    wide: float,
    across: int | None = None,
    tall: float | None = None,
    label: str = "",
    left: float = _LEFT,
) -> Diagram:
    """Maps side by side, ``across`` in a row; each as high as wide, or ``tall``.

    Raises:
        ValueError: a map is empty, or a value is not from −1 to 1.
    """
    across = across or len(maps)
    each = (wide - _GAP * (across - 1)) / across
    drawn = Diagram(wide, label=label)
    y = 0.0
    for start in range(0, len(maps), across):
        row = maps[start : start + across]
        highs = [
            _one(drawn, (each + _GAP) * at, y, each, tall, one, left) for at, one in enumerate(row)
        ]
        y += max(highs) + 10
    drawn.height = y - 10
    return drawn


def _one(
    drawn: Diagram, x: float, y: float, wide: float, tall: float | None, one: Table, left: float
) -> float:
    if not len(one.values) or not len(one.values[0]):
        raise ValueError(f"the map {one.title!r} is empty")
    rows, columns = len(one.values), len(one.values[0])
    side = wide - left
    high = side if tall is None else tall
    drawn.words(x + left, y + 8, cut(one.title, side, 12.5, bold=True), size=12.5, bold=True)
    top = y + _TITLE
    drawn.box(x + left, top, side, high, "tile", radius=2)
    drawn.cells(x + left, top, side, high, one.values, one.kinds)
    for at, name in one.rows:
        place = top + high * (at + 0.5) / rows
        drawn.words(
            x + left - 6, place, cut(name, left - 8, 11), size=11, kind="mute", anchor="end"
        )
    foot = top + high + 10
    for at, name in one.columns:
        place = x + left + side * (at + 0.5) / columns
        drawn.words(place, foot, name, size=11, kind="mute", anchor="middle")
    if one.column_name:
        drawn.words(x + left + side, foot + 15, one.column_name, size=11, kind="mute", anchor="end")
    if one.row_name:
        drawn.words(x + left - 6, y + 8, one.row_name, size=11, kind="mute", anchor="end")
    _spots(drawn, x + left, top, side, high, one, (rows, columns))
    return _TITLE + high + _FOOT + (15 if one.column_name else 0)


def _spots(
    drawn: Diagram, x: float, y: float, wide: float, high: float, one: Table, size: tuple[int, int]
) -> None:
    if one.told is None or size[0] * size[1] > _MOST_SPOTS:
        return
    cell = wide / size[1], high / size[0]
    for row in range(size[0]):
        for column in range(size[1]):
            place = (x + column * cell[0], y + row * cell[1])
            drawn.spot(*place, *cell, *one.told(row, column))


def some(count: int, room: float, least: float = 26) -> list[tuple[int, str]]:
    """Numbers of ``count`` places in a row, as many as have room."""
    step = max(1, math.ceil(count * least / room)) if room else count
    step = next((n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500) if n >= step), step)
    return [(at, f"{at:,}") for at in range(0, count, step)]

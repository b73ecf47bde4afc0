"""Parts of a model by layer, in one picture: layers run right, a square for what each part does.

The area of a square is the size of its value, so that twice as much has twice the ink; two colours
tell values above 0 from those below. Rows are heads, feed-forwards, or the tokens of a text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from attnlab.viz.cells import some
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import plain
from attnlab.viz.svg.text import cut, width

Cell = tuple[int, int]
"""A row and a column."""
_FOOT, _GAP, _LEAST, _MOST, _APART = 22.0, 2.0, 14.0, 36.0, 8.0
_LEGEND, _SIZE = 28.0, 11.0
_WIDEST: Final = 120.0


@dataclass(frozen=True)
class Squares:
    """What is drawn.

    Attributes:
        rows, columns: their names, from the top and from the left.
        cells: which squares there are, in the order of the spots.
        values: of cells; one that is not known yet is left blank.
        name, told: what a cell says when it is pointed at: a title, and lines.
        chosen: the cell that is looked at.
        apart: rows above which there is a gap.
        unit, write: of the values, and one in words.
        words: what a square above 0 says, and one below; ``kinds``: their colours.
        full: the value of a square that fills its tile; None: the largest.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Cell]
    values: Mapping[Cell, float]
    name: Callable[[Cell], str]
    told: Callable[[Cell], Sequence[str]]
    chosen: Cell | None = None
    apart: frozenset[int] = field(default_factory=frozenset)
    unit: str = ""
    write: Callable[[float], str] = plain
    words: tuple[str, str] = ("more", "less")
    kinds: tuple[str, str] = ("attention", "gold")
    full: float | None = None

    @property
    def largest(self) -> float:
        """The largest value, whatever its sign; 1 where all are nothing."""
        return max((abs(v) for v in self.values.values() if math.isfinite(v)), default=0.0) or 1.0


def squares(of: Squares, *, wide: float, label: str = "") -> Diagram:
    """The picture, with a spot for each cell in their order."""
    left = min(_WIDEST, max((width(name, _SIZE) for name in of.rows), default=0.0)) + 12
    side = min(_MOST, max(_LEAST, (wide - left) / max(len(of.columns), 1)))
    wide = max(wide, left + side * len(of.columns))
    tops, y = [], 0.0
    for row in range(len(of.rows)):
        y += _APART if row in of.apart else 0.0
        tops.append(y)
        y += side
    drawn = Diagram(wide, y + _FOOT + _LEGEND, label)
    for row, name in enumerate(of.rows):
        shown = cut(name, left - 10, _SIZE)
        chosen = of.chosen is not None and of.chosen[0] == row
        place = (left - 7, tops[row] + side / 2)
        kind = "ink" if chosen else "mute"
        drawn.words(*place, shown, size=_SIZE, kind=kind, anchor="end")
    for column, _ in some(len(of.columns), side * len(of.columns), 26):
        x = left + side * (column + 0.5)
        drawn.words(x, y + 10, of.columns[column], size=_SIZE, kind="mute", anchor="middle")
    for cell in of.cells:
        _tile(drawn, of, cell, left + side * cell[1], tops[cell[0]], side)
    _legend(drawn, of, left, y + _FOOT + _LEGEND / 2)
    return drawn


def _tile(drawn: Diagram, of: Squares, cell: Cell, x: float, y: float, side: float) -> None:
    room = side - _GAP
    x, y = x + _GAP / 2, y + _GAP / 2
    drawn.box(x, y, room, room, "tile", radius=3)
    value = of.values.get(cell)
    if value is not None and math.isfinite(value):
        share = min(abs(value) / (of.full or of.largest), 1.0)
        inner = (room - 5 * min(room / 30, 1)) * math.sqrt(share)
        if inner >= 0.7:
            start = (room - inner) / 2
            drawn.box(x + start, y + start, inner, inner, of.kinds[value < 0], radius=2)
    if cell == of.chosen:
        corners = [(x, y), (x + room, y), (x + room, y + room), (x, y + room), (x, y), (x + 1, y)]
        drawn.line(corners, "ink", width=2)
    drawn.spot(x, y, room, room, of.name(cell), *of.told(cell))


def _legend(drawn: Diagram, of: Squares, x: float, y: float) -> None:
    """What a colour says, and how much the largest square is."""
    if not of.values:
        return
    below = any(value < 0 for value in of.values.values())
    parts = [(of.kinds[0], of.words[0]), *([(of.kinds[1], of.words[1])] if below else [])]
    unit = f" {of.unit}" if of.unit else ""
    parts.append(("", f"largest: {of.write(of.largest)}{unit}"))
    for kind, words in parts:
        if kind:
            drawn.box(x, y - 5, 10, 10, kind)
            x += 16
        drawn.words(x, y, words, size=11.5, kind="mute")
        x += width(words, 11.5) + 22

"""Small tables of figures, side by side, with a colour under each that says how large it is.

Where there is no room for figures the colour alone is left, and what is pointed at still says them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from attnlab.viz.cells import some
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import plain
from attnlab.viz.svg.text import cut, width

_TITLE, _FOOT, _GAP, _WIDEST = 24.0, 20.0, 26.0, 96.0
_TALL, _LEAST, _ROOM = 24.0, 6.0, 400.0
_SIZE: Final = 11.5
_DARK: Final = 0.55
"""From this strength on, light letters are easier to read."""
_MOST_SPOTS: Final = 900


@dataclass(frozen=True)
class Table:
    """What is drawn.

    Attributes:
        rows, columns: their names, from the top and from the left.
        values: [rows][columns]; None where there is none.
        told: lines of what a cell says when it is pointed at, beside its row and column.
        kinds: the colours above and below 0; ``full``: the value at full strength; None: the
            largest of the table.
        axes: what a row does to a column, in two words ("looks", "at").
        chosen: the row that is looked at.
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    write: Callable[[float], str] = plain
    told: Callable[[int, int], Sequence[str]] = lambda row, column: ()
    kinds: tuple[str, str] = ("attention", "gold")
    full: float | None = None
    axes: tuple[str, str] = ("", "")
    chosen: int | None = None

    @property
    def largest(self) -> float:
        """The size at full strength; 1 where all are nothing."""
        sizes = (abs(v) for row in self.values for v in row if v is not None)
        return self.full or max(sizes, default=0.0) or 1.0


def figured(tables: Sequence[Table], *, wide: float, label: str = "") -> Diagram:
    """The tables in a row, with a spot for each cell that has a value.

    Raises:
        ValueError: a table is empty.
    """
    each = (wide - _GAP * (len(tables) - 1)) / max(len(tables), 1)
    drawn = Diagram(wide, label=label)
    for at, one in enumerate(tables):
        if not len(one.rows) or not len(one.columns):
            raise ValueError(f"the table {one.title!r} is empty")
        drawn.height = max(drawn.height, _table(drawn, (each + _GAP) * at, each, one))
    return drawn


def _table(drawn: Diagram, x: float, wide: float, one: Table) -> float:
    """One table from the top; returns where it ends."""
    names = max(width(name, _SIZE, True) for name in one.rows)
    left = x + min(_WIDEST, max(names, width(one.axes[0], _SIZE))) + 10
    tall = max(_LEAST, min(_TALL, _ROOM / len(one.rows)))
    side, high = x + wide - left, tall * len(one.rows)
    cell = (side / len(one.columns), tall)
    drawn.words(left, 8, cut(one.title, side, 12.5, bold=True), size=12.5, bold=True)
    if one.axes[0]:
        drawn.words(left - 7, 8, one.axes[0], size=_SIZE, kind="mute", anchor="end")
    drawn.box(left, _TITLE, side, high, "tile", radius=2)
    full = one.largest
    shares = [[0.0 if v is None else max(-1, min(1, v / full)) for v in row] for row in one.values]
    drawn.cells(left, _TITLE, side, high, shares, one.kinds)
    _names(drawn, one, left, cell)
    _figures(drawn, one, left, cell, shares)
    if one.chosen is not None:
        y = _TITLE + tall * one.chosen
        right, foot = left + side, y + tall
        corners = [(left, y), (right, y), (right, foot), (left, foot), (left, y)]
        drawn.line(corners, "ink", width=1.6)
    return _TITLE + high + _FOOT + (15 if one.axes[1] else 0)


def _names(drawn: Diagram, one: Table, left: float, cell: tuple[float, float]) -> None:
    """Rows on the left, columns below; numbers, where there is no room for names."""
    wide, tall = cell
    rows = list(enumerate(one.rows)) if tall >= 11 else some(len(one.rows), tall * len(one.rows))
    for at, name in rows:
        chosen = at == one.chosen
        shown = cut(name, _WIDEST, _SIZE, bold=chosen)
        place = (left - 7, _TITLE + tall * (at + 0.5))
        kind = "ink" if chosen else "mute"
        drawn.words(*place, shown, size=_SIZE, kind=kind, bold=chosen, anchor="end")
    foot = _TITLE + tall * len(one.rows) + 10
    fits = wide >= 26
    columns = enumerate(one.columns) if fits else some(len(one.columns), wide * len(one.columns))
    for at, name in columns:
        shown = cut(name, wide - 2, _SIZE) if fits else name
        place = (left + wide * (at + 0.5), foot)
        drawn.words(*place, shown, size=_SIZE, kind="mute", anchor="middle")
    if one.axes[1]:
        right = left + wide * len(one.columns)
        drawn.words(right, foot + 15, one.axes[1], size=_SIZE, kind="mute", anchor="end")


def _figures(
    drawn: Diagram,
    one: Table,
    left: float,
    cell: tuple[float, float],
    shares: Sequence[Sequence[float]],
) -> None:
    """What stands in the cells, and what they say."""
    wide, tall = cell
    many = len(one.rows) * len(one.columns) > _MOST_SPOTS
    for row, values in enumerate(one.values):
        for column, value in enumerate(values):
            if value is None:
                continue
            x, y = left + wide * column, _TITLE + tall * row
            written = one.write(value)
            if tall >= 18 and width(written, _SIZE) <= wide - 6:
                kind = "paper" if abs(shares[row][column]) > _DARK else "ink"
                place = (x + wide / 2, y + tall / 2)
                drawn.words(*place, written, size=_SIZE, kind=kind, anchor="middle")
            if not many:
                title = f"“{one.rows[row]}” → “{one.columns[column]}”"
                drawn.spot(x, y, wide, tall, title, *one.told(row, column))

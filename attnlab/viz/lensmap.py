"""What a model would say after each layer, at each word: layers run right, words down.

The stronger a field, the likelier the word that is followed. In a field stands what the layer would
say, written once where several layers in a row would say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from attnlab.viz.cells import some
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import cut, width

_ROW, _FOOT, _SIZE, _GAP = 25.0, 22.0, 11.0, 1.5
_LEAST, _WIDEST = 24.0, 110.0
_DARK: Final = 0.55
"""From this strength on, light letters are easier to read."""


@dataclass(frozen=True)
class LensMap:
    """What is drawn.

    Attributes:
        rows: the words of the text; ``columns``: the layers' names.
        says: [rows][columns], the likeliest word; ``shares``: the probability of the word that is
            followed, 0 to 1.
        told: what a field says when it is pointed at: a title, and lines.
        chosen: the row that is looked at.
        kind: the colour of the text.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    says: Sequence[Sequence[str]]
    shares: Sequence[Sequence[float]]
    told: Callable[[int, int], Sequence[str]]
    chosen: int | None = None
    kind: str = "a"


def lens_map(of: LensMap, *, wide: float, label: str = "") -> Diagram:
    """The picture; its spots are the fields, row after row."""
    left = min(_WIDEST, max((width(name, _SIZE) for name in of.rows), default=0.0)) + 12
    side = max(_LEAST, (wide - left) / max(len(of.columns), 1))
    wide = left + side * len(of.columns)
    high = _ROW * len(of.rows)
    drawn = Diagram(wide, high + _FOOT, label)
    for row, name in enumerate(of.rows):
        _line(drawn, of, row, cut(name, left - 10, _SIZE), left, side)
    for column, _ in some(len(of.columns), side * len(of.columns), 26):
        x = left + side * (column + 0.5)
        drawn.words(x, high + 10, of.columns[column], size=_SIZE, kind="mute", anchor="middle")
    if of.chosen is not None:
        y = _ROW * of.chosen
        corners = [(left, y), (wide - 1, y), (wide - 1, y + _ROW), (left, y + _ROW), (left, y)]
        drawn.line(corners, "ink", width=1.6)
    for row in range(len(of.rows)):
        for column in range(len(of.columns)):
            place = (left + side * column, _ROW * row, side, _ROW)
            drawn.spot(*place, *of.told(row, column))
    return drawn


def _line(drawn: Diagram, of: LensMap, row: int, name: str, left: float, side: float) -> None:
    """One word of the text, and what each layer would say after it."""
    y, chosen = _ROW * row, of.chosen == row
    kind = "ink" if chosen else "mute"
    drawn.words(left - 7, y + _ROW / 2, name, size=_SIZE, kind=kind, bold=chosen, anchor="end")
    shares = [min(max(float(share), 0.0), 1.0) for share in of.shares[row]]
    drawn.box(left, y + _GAP / 2, side * len(shares), _ROW - _GAP, "tile", radius=2)
    place = (left, y + _GAP / 2, side * len(shares), _ROW - _GAP)
    drawn.cells(*place, [shares], (of.kind, of.kind))
    for word, run in groupby(range(len(shares)), key=lambda column: of.says[row][column]):
        columns = list(run)
        x, room = left + side * columns[0], side * len(columns)
        if columns[0]:
            drawn.line([(x, y + _GAP / 2), (x, y + _ROW - _GAP / 2)], "paper", width=1.5)
        written = cut(word, room - 5, _SIZE)
        dark = shares[columns[-1] if len(columns) == 1 else columns[0]] > _DARK
        drawn.words(x + 3.5, y + _ROW / 2, written, size=_SIZE, kind="paper" if dark else "ink")

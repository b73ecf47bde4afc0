"""The likeliest next words as bars to choose from, and which of them sampling leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import cut, width

_ROW, _BAR, _SIZE = 25.0, 12.0, 13.5
_FIGURE, _WIDEST_WORD = 52.0, 150.0
_LEGEND: Final = 24.0


@dataclass(frozen=True)
class Chance:
    """One word that may come next.

    Attributes:
        model: what the model gives it, 0 to 1.
        drawn: the chance with which it is drawn; 0 where it is left out.
        told: more lines for its tooltip.
    """

    word: str
    model: float
    drawn: float
    told: tuple[str, ...] = ()


def chances(
    rows: Sequence[Chance], *, kind: str = "a", wide: float = 460, label: str = ""
) -> Diagram:
    """A row a word, best first, with a spot each: a bar for the chance of being drawn, a thin line
    for the model's own probability. What is left out is pale.

    Raises:
        ValueError: a value is no probability.
    """
    for row in rows:
        if not (0 <= row.model <= 1 + 1e-6 and 0 <= row.drawn <= 1 + 1e-6):
            raise ValueError(f"{row.model} or {row.drawn} is no probability")
    left = min(_WIDEST_WORD, max((width(r.word, _SIZE) for r in rows), default=0.0)) + 14
    changed = any(abs(row.model - row.drawn) > 5e-4 for row in rows)
    drawn = Diagram(wide, _ROW * len(rows) + (_LEGEND if changed else 2), label)
    room = wide - left - _FIGURE
    for at, row in enumerate(rows):
        y, out = _ROW * (at + 0.5), row.drawn == 0
        paint = "mute" if out else "ink"
        word = cut(row.word, left - 12, _SIZE)
        drawn.words(left - 10, y, word, size=_SIZE, kind=paint, anchor="end")
        drawn.box(left, y - _BAR / 2, room, _BAR, "tile", radius=3)
        drawn.box(left, y - _BAR / 2, room * min(row.drawn, 1), _BAR, kind, radius=3)
        if changed:
            x = left + room * min(row.model, 1)
            drawn.line([(x, y - _BAR / 2 - 2), (x, y + _BAR / 2 + 2)], "ink", width=1.5)
        figure = "left out" if out else _written(row.drawn)
        drawn.words(wide, y, figure, size=12, kind="mute", anchor="end")
        told = (*row.told, f"the model gives it {_written(row.model)}")
        if changed:
            told += ("left out of the draw" if out else f"drawn with {_written(row.drawn)}",)
        drawn.spot(0, y - _ROW / 2 + 1, wide, _ROW - 2, f"“{row.word}”", *told)
    if changed:
        _legend(drawn, left, _ROW * len(rows) + _LEGEND / 2 + 3, kind)
    return drawn


def _legend(drawn: Diagram, x: float, y: float, kind: str) -> None:
    drawn.box(x, y - 5, 10, 10, kind)
    drawn.words(x + 16, y, "drawn with", size=11.5, kind="mute")
    x += 16 + width("drawn with", 11.5) + 22
    drawn.line([(x, y - 6), (x, y + 6)], "ink", width=1.5)
    drawn.words(x + 8, y, "the model’s own", size=11.5, kind="mute")


def _written(value: float) -> str:
    """Two figures; what is next to nothing says so.

    >>> _written(0.25), _written(0.0042), _written(1e-7)
    ('0.25', '0.004', '<0.001')
    """
    if value >= 0.095:
        return f"{value:.2f}"
    return f"{value:.3f}" if value >= 0.0005 or value == 0 else "<0.001"

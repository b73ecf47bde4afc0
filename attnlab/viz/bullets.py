"""Scores beside the least that counts: a bar, its threshold, its spread, and what chance gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import minus
from attnlab.viz.plot import steps
from attnlab.viz.svg.text import cut, width

_ROW, _TOP, _NAMES, _FIGURES, _BAR = 23.0, 26.0, 124.0, 44.0, 11.0
_SIZE, _LEAST = 12.5, 0.005


@dataclass(frozen=True)
class Bullet:
    """One score, from −1 to 1; what is below 0 is drawn as 0.

    Attributes:
        threshold: the least that counts; ``chance``: what would come of chance.
        spread: its standard deviation, None where it has none.
        counts: whether the score reaches the threshold.
        kind: the colour of the bar where it does.
        told: what the row says when it is pointed at, after its name.
    """

    name: str
    score: float
    threshold: float
    chance: float
    spread: float | None
    counts: bool
    kind: str
    told: tuple[str, ...] = ()


def bullets(
    rows: Sequence[Bullet],
    *,
    wide: float,
    chosen: str = "",
    write: Callable[[float], str] = "{:.2f}".format,
    label: str = "",
) -> Diagram:
    """A row for each score, on one axis from 0 to 1, with a spot for each.

    Raises:
        ValueError: there are none.
    """
    if not rows:
        raise ValueError("no scores to draw")
    right = wide - _FIGURES
    bottom = _TOP + _ROW * len(rows)
    drawn = Diagram(wide, bottom + 20, label)

    def place(value: float) -> float:
        return _NAMES + (right - _NAMES) * min(max(value, 0.0), 1.0)

    _legend(drawn, wide)
    for value in steps(0, 1):
        drawn.line([(place(value), _TOP - 4), (place(value), bottom)], "line", width=1)
        foot = {"size": 11, "kind": "mute", "anchor": "middle"}
        drawn.words(place(value), bottom + 10, f"{value:g}", **foot)
    for number, row in enumerate(rows):
        y = _TOP + _ROW * (number + 0.5)
        if row.name == chosen:
            drawn.box(0, y - _ROW / 2, wide, _ROW, "tile", radius=5)
        _bullet(drawn, row, y, place)
        _words(drawn, row, y, write)
        drawn.spot(0, y - _ROW / 2, wide, _ROW, row.name, *row.told)
    return drawn


def _bullet(drawn: Diagram, row: Bullet, y: float, place: Callable[[float], float]) -> None:
    """The bar, its spread, its threshold, and what chance gives."""
    fill = row.kind if row.counts else "line"
    drawn.box(_NAMES, y - _BAR / 2, place(row.score) - _NAMES, _BAR, fill, radius=2)
    if row.spread is not None:
        ends = [(place(row.score + by), y) for by in (-row.spread, row.spread)]
        drawn.line(ends, "ink" if row.counts else "mute", width=1.2)
    least = place(row.threshold)
    drawn.line([(least, y - 8), (least, y + 8)], "ink", width=2)
    dot = place(row.chance)
    drawn.box(dot - 2.5, y - 2.5, 5, 5, "paper", edge="mute", radius=2.5)


def _words(drawn: Diagram, row: Bullet, y: float, write: Callable[[float], str]) -> None:
    kind = "ink" if row.counts else "mute"
    name = cut(row.name, _NAMES - 14, _SIZE, bold=row.counts)
    drawn.words(_NAMES - 10, y, name, size=_SIZE, kind=kind, bold=row.counts, anchor="end")
    score = row.score if abs(row.score) >= _LEAST else 0.0  # no figure is −0.00
    drawn.words(drawn.width, y, minus(write(score)), size=_SIZE, kind=kind, anchor="end")


def _legend(drawn: Diagram, wide: float) -> None:
    """From the right: spread, chance, threshold."""
    x, y = wide, 9.0
    for words in ("spread", "chance", "threshold"):
        x -= width(words, 11.5)
        drawn.words(x, y, words, size=11.5, kind="mute")
        x -= 9
        if words == "threshold":
            drawn.line([(x, y - 7), (x, y + 7)], "ink", width=2)
        elif words == "chance":
            drawn.box(x - 3, y - 2.5, 5, 5, "paper", edge="mute", radius=2.5)
        else:
            drawn.line([(x - 12, y), (x + 2, y)], "mute", width=1.2)
        x -= 26

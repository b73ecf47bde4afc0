"""What every head does, in one picture: layers run right, heads down, a square for each effect.

The area of a square is the size of the effect, so that one that does twice as much has twice the
ink. Filled squares are exact, outlined ones are estimates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from attnlab.viz.cells import some
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import plain
from attnlab.viz.heads import FEED, short
from attnlab.viz.svg.text import width

Head = tuple[int, int]
KINDS: Final = ("edit", "gold")
"""Colours of effects above and below 0: of an edit that harms, and of one that helps."""
_LEFT, _FOOT, _GAP, _LEAST, _MOST = 34.0, 22.0, 2.0, 12.0, 36.0
_LEGEND: Final = 26.0
_APART: Final = 8.0


@dataclass(frozen=True)
class Effects:
    """What is drawn.

    Attributes:
        rows: by layer, how many heads it has, in the order of the columns.
        exact, estimate: effects by (layer, head), as many as there are.
        gone: what is taken away; ``chosen``: the one that is looked at.
        unit: of the effects; ``write``: one in words.
        words: what a square above 0, and one below 0, says ("rises", "falls"); ``kinds``: their
            colours.
        feeds: layers whose feed-forward has a square below the heads, as (layer, FEED).
    """

    rows: Mapping[int, int]
    exact: Mapping[Head, float]
    estimate: Mapping[Head, float]
    gone: Collection[Head] = ()
    chosen: Head | None = None
    unit: str = "nats"
    write: Callable[[float], str] = plain
    words: tuple[str, str] = ("more", "less")
    kinds: tuple[str, str] = KINDS
    feeds: Sequence[int] = ()

    @property
    def heads(self) -> list[Head]:
        """All of them, layer after layer: the order of the spots; then feed-forwards."""
        heads = [(layer, head) for layer, count in self.rows.items() for head in range(count)]
        return [*heads, *((layer, FEED) for layer in self.feeds)]

    @property
    def full(self) -> float:
        """The effect of a square that fills its tile: the largest of a head."""
        return self.full_of(False)

    def full_of(self, feed: bool) -> float:
        """The same of heads, or of feed-forwards, which may do a hundred times as much."""
        wanted = [unit for unit in self.heads if (unit[1] == FEED) == feed]
        exact, guess = (
            [abs(of[unit]) for unit in wanted if unit in of and math.isfinite(of[unit])]
            for of in (self.exact, self.estimate)
        )
        # One wild estimate must not make every exact square small.
        if len(exact) >= len(wanted) or not guess:
            return max(exact, default=0.0) or 1.0
        return max(*exact, *guess, 0.0) or 1.0


def effects(of: Effects, *, wide: float, label: str = "") -> Diagram:
    """The picture, with a spot for each head in the order of ``of.heads``."""
    layers = sorted({*of.rows, *of.feeds})
    columns, high = len(layers), max(of.rows.values(), default=0)
    side = min(_MOST, max(_LEAST, (wide - _LEFT) / max(columns, 1)))
    wide = max(wide, _LEFT + side * columns)
    below = side + _APART if of.feeds else 0.0
    bottom = side * high + below
    drawn = Diagram(wide, bottom + _FOOT + _LEGEND, label)
    if of.feeds:
        y = bottom - side / 2
        drawn.words(_LEFT - 7, y, "FF", size=11, kind="mute", anchor="end")
    for row, name in some(high, side * high, 14):
        y = side * (row + 0.5)
        drawn.words(_LEFT - 7, y, f"H{name}", size=11, kind="mute", anchor="end")
    for at, _ in some(columns, side * columns, 26):
        x = _LEFT + side * (at + 0.5)
        foot = bottom + 10
        drawn.words(x, foot, f"L{layers[at]}", size=11, kind="mute", anchor="middle")
    for unit in of.heads:
        x = _LEFT + side * layers.index(unit[0])
        _tile(drawn, of, unit, x, bottom - side if unit[1] == FEED else side * unit[1], side)
    _legend(drawn, of, bottom + _FOOT + _LEGEND / 2 + 3)
    return drawn


def _tile(drawn: Diagram, of: Effects, head: Head, x: float, y: float, side: float) -> None:
    room = side - _GAP
    x, y = x + _GAP / 2, y + _GAP / 2
    gone = head in of.gone
    drawn.box(x, y, room, room, "tile", radius=3, edge="line" if gone else "")
    exact, guess = of.exact.get(head), of.estimate.get(head)
    full = of.full_of(head[1] == FEED)
    if exact is not None and math.isfinite(exact):
        _square(drawn, x, y, room, exact, of, full, filled=True)
    elif guess is not None and math.isfinite(guess):
        _square(drawn, x, y, room, guess, of, full, filled=False)
    if gone:
        _ring(drawn, x + 1.5, y + 1.5, room - 3, "edit", 2.2)
    if head == of.chosen:
        _ring(drawn, x - 0.5, y - 0.5, room + 1, "ink", 1.8)
    drawn.spot(x, y, room, room, short(head), *_told(of, exact, guess, gone))


def _square(
    drawn: Diagram,
    x: float,
    y: float,
    room: float,
    value: float,
    of: Effects,
    full: float,
    *,
    filled: bool,
) -> None:
    side = (room - 9 * min(room / 30, 1)) * math.sqrt(min(abs(value) / full, 1.0))
    if side < 0.7:
        return
    kind, middle = of.kinds[value < 0], room / 2
    place = (x + middle - side / 2, y + middle - side / 2, side, side)
    drawn.box(*place, kind if filled else "", edge="" if filled else kind, radius=2)


def _ring(drawn: Diagram, x: float, y: float, side: float, kind: str, width: float) -> None:
    points = [(x, y), (x + side, y), (x + side, y + side), (x, y + side), (x, y), (x + 1, y)]
    drawn.line(points, kind, width=width)


def _told(of: Effects, exact: float | None, guess: float | None, gone: bool) -> list[str]:
    """What a square says."""
    lines = []
    if exact is not None:
        lines.append(f"{of.write(exact)} {of.unit}")
    if guess is not None:
        lines.append(f"estimate {of.write(guess)} {of.unit}")
    return [*lines, "click to give it back" if gone else "click to take it away"]


def _legend(drawn: Diagram, of: Effects, y: float) -> None:
    """What a square says: its area, its colour, filled or not."""
    if not of.exact and not of.estimate:
        return
    x = _LEFT + _GAP / 2
    some_below = any(v < 0 for v in (*of.exact.values(), *of.estimate.values()))
    more, less = of.kinds
    largest = f"largest: {of.write(of.full)} {of.unit}"
    if of.feeds:
        largest = f"largest head: {of.write(of.full)} {of.unit}"
        largest = f"{largest}; largest feed-forward (FF): {of.write(of.full_of(True))}"
    parts = [(more, True, f"{of.words[0]} ({largest})")]
    if some_below:
        parts = [(more, True, of.words[0]), (less, True, of.words[1]), ("", True, largest)]
    if of.estimate and len(of.exact) < len(of.heads):
        parts.append((more, False, "outlined: estimated"))
    for kind, filled, words in parts:
        if kind:
            drawn.box(x, y - 5, 10, 10, kind if filled else "", edge="" if filled else kind)
            x += 16
        drawn.words(x, y, words, size=11.5, kind="mute")
        x += width(words, 11.5) + 22

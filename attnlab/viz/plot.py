"""The field that charts of curves are drawn in: where values lie, its axes, and names at the right.

Each axis is even or logarithmic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import width

LEFT, TOP, BOTTOM = 52.0, 34.0, 40.0
"""Room around the field."""
_NAMES_APART, _NAME_SIZE = 16.0, 12.5
_FAINT: Final = {"table": "ink", "norm": "ink", "cross": "ink", "feed": "mute", "line": "ink"}
"""Colours in which words could not be read, and those that stand in for them."""
Write = Callable[[float], str]
Point = tuple[float, float]


@dataclass(frozen=True)
class Plot:
    """A field on a sheet.

    Attributes:
        across, up: the first and the last value of each axis.
        right: where the field ends; ``tall``: how high the sheet is.
    """

    drawn: Diagram
    across: Point
    up: Point
    right: float
    tall: float
    log_x: bool = False
    log_y: bool = False

    @property
    def bottom(self) -> float:
        return self.tall - BOTTOM

    def x(self, value: float) -> float:
        return LEFT + (self.right - LEFT) * _share(value, self.across, self.log_x)

    def y(self, value: float) -> float:
        share = _share(value, self.up, self.log_y)
        return self.bottom - (self.bottom - TOP) * min(max(share, 0.0), 1.0)

    def points(self, x: Sequence[float], y: Sequence[float | None]) -> list[Point]:
        """Where the values lie that there are."""
        return [(self.x(a), self.y(b)) for a, b in zip(x, y, strict=True) if b is not None]

    def most(self, apart: float) -> int:
        """How many marks fit below, so far apart."""
        return max(2, int((self.right - LEFT) / apart))

    def beside(self, values: Sequence[float], write: Write) -> None:
        """Hairlines at some values, and what they are, in words, at the left."""
        for one in values:
            y = self.y(one)
            self.drawn.line([(LEFT, y), (self.right, y)], "line", width=1)
            self.drawn.words(LEFT - 8, y, write(one), size=11.5, kind="mute", anchor="end")

    def below(self, places: Sequence[float], write: Write, name: str) -> None:
        """The axis below, with marks at some positions; ``name``: what it counts."""
        for place in places:
            x = self.x(place)
            self.drawn.line([(x, self.bottom), (x, self.bottom + 4)], "mute", width=1)
            style = {"size": 11.5, "kind": "mute", "anchor": "middle"}
            self.drawn.words(x, self.bottom + 14, write(place), **style)
        self.drawn.line([(LEFT, self.bottom), (self.right, self.bottom)], "mute", width=1)
        style = {"size": 11.5, "kind": "mute", "anchor": "end"}
        self.drawn.words(self.right, self.tall - 6, name, **style)

    def dashes(self, value: float) -> None:
        """A dashed upright line at a position."""
        x = self.x(value)
        self.drawn.line([(x, TOP), (x, self.bottom)], "mute", width=1, dashed=True)

    def dot(self, point: Point, kind: str, size: float, **style: str) -> None:
        """A round dot."""
        half = size / 2
        self.drawn.box(point[0] - half, point[1] - half, size, size, kind, radius=half, **style)

    def names(self, ends: Sequence[tuple[float, str, str]]) -> None:
        """Names (how high its curve ends, name, colour) at the right, apart where they meet."""
        under = self.bottom + _NAMES_APART
        rising = sorted(ends, key=lambda end: end[0])
        for above, (y, words, kind) in reversed(list(enumerate(rising))):
            # Those above need room too, up to the top.
            under = max(min(y, under - _NAMES_APART), TOP - 8 + above * _NAMES_APART)
            self.name(self.right + 8, under, words, kind)

    def name(self, x: float, y: float, words: str, kind: str) -> None:
        """The name of a curve, in a colour in which words can be read."""
        kind = _FAINT.get(kind, kind)
        self.drawn.words(x, y, words, size=_NAME_SIZE, kind=kind, bold=True)

    def spots(self, x: Sequence[float], says: Sequence[Sequence[str]]) -> None:
        """A band for each position, up to half way to the next: what is said where one points."""
        places = [self.x(value) for value in x]
        edges = [LEFT, *((a + b) / 2 for a, b in pairwise(places)), self.right]
        for (left, right), words in zip(pairwise(edges), says, strict=True):
            self.drawn.spot(left, TOP, max(right - left, 1), self.bottom - TOP, *words)


def _share(value: float, span: Point, logarithmic: bool) -> float:
    low, high = span
    if logarithmic:
        low, high, value = math.log(low), math.log(high), math.log(value)
    return (value - low) / ((high - low) or 1)


def room_for(names: Sequence[str]) -> float:
    """What the longest of some names takes at the right."""
    return max((width(words, _NAME_SIZE, True) for words in names), default=0.0)


def steps(low: float, high: float, most: int = 5) -> list[float]:
    """Values in even steps of 1, 2 or 5 times a power of ten, within low..high.

    >>> steps(-1.2, 3)
    [-1.0, 0.0, 1.0, 2.0, 3.0]
    """
    if high <= low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(power * by for by in (1, 2, 5, 10) if (high - low) / (power * by) <= most + 1e-9)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [step * count for count in range(first, last + 1)]


def powers(base: int, low: float, high: float, most: int = 5) -> list[float]:
    """Powers of ``base`` from ``low`` to ``high``, evenly chosen, ``most`` of them at most.

    >>> powers(10, 2, 2_000_000)
    [10.0, 1000.0, 100000.0]
    """
    first = math.ceil(math.log(low, base) - 1e-9)
    last = math.floor(math.log(high, base) + 1e-9)
    step = max(1, -(-(last - first + 1) // most))
    return [float(base) ** power for power in range(first, last + 1, step)]

"""Estimates against exact values: a dot for each, and the line on which they would agree.

Both axes run in square roots, with their sign: a few large effects and many small ones are seen at
once, and a place along an axis is the side of the square that ``effects.py`` draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import plain
from attnlab.viz.svg.text import width

_LEFT, _TOP, _FOOT, _DOT = 56.0, 26.0, 44.0, 5.0
_NAMED: Final = 3
_TICKS_APART: Final = 34.0
_SIZE: Final = 11.0

Point = tuple[str, float, float]
"""What it is, its estimate, its exact value."""
_Room = tuple[float, float, float, float]
"""Left, top, right and bottom of what is written."""


@dataclass(frozen=True)
class _Axis:
    """From the least to the largest value, in signed square roots, over pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        low, high, at = map(root, (self.low, self.high, value))
        return self.start + (self.end - self.start) * (at - low) / ((high - low) or 1)

    def ticks(self) -> list[float]:
        """0 and powers of ten of either sign, as far apart as they can be read."""
        most = max(abs(self.low), abs(self.high)) or 1.0
        power = math.floor(math.log10(most))
        sizes = [10.0 ** (power - step) * by for step in range(3) for by in (5, 2, 1)]
        found = [0.0]
        for size in [0.0, *sizes]:
            for value in (size, -size):
                clear = all(abs(self(value) - self(other)) >= _TICKS_APART for other in found)
                if self.low <= value <= self.high and clear:
                    found.append(value)
        return sorted(found)


def root(value: float) -> float:
    """The square root of a size, with its sign.

    >>> root(-4.0)
    -2.0
    """
    return math.copysign(math.sqrt(abs(value)), value)


def scatter(
    points: Sequence[Point],
    *,
    names: tuple[str, str] = ("estimate", "exact"),
    unit: str = "",
    write: Callable[[float], str] = plain,
    wide: float = 420,
    high: float = 300,
) -> Diagram:
    """The picture; the largest few are named, and each of them can be pointed at.

    Raises:
        ValueError: there are no points, or a value is not finite.
    """
    every = [value for _, x, y in points for value in (x, y)]
    if not every or not all(map(math.isfinite, every)):
        raise ValueError("a scatter takes points with finite values")
    low, top = min(*every, 0.0), max(*every, 0.0)
    across = _Axis(low, top, _LEFT, wide - 14)
    up = _Axis(low, top, high - _FOOT, _TOP)
    told = sorted(points, key=lambda point: -abs(point[2]))
    drawn = Diagram(wide, high, _label(told[:_NAMED], names, write, unit))
    _axes(drawn, across, up, names, unit)
    for _, x, y in reversed(told):
        drawn.box(across(x) - _DOT / 2, up(y) - _DOT / 2, _DOT, _DOT, "edit", radius=_DOT / 2)
    taken: list[_Room] = []
    for name, x, y in told[:_NAMED]:
        _name(drawn, name, across(x), min(up(y) - 2, up.start - 9), taken)
    for name, x, y in told[:60]:
        lines = (f"{names[1]} {write(y)} {unit}", f"{names[0]} {write(x)} {unit}")
        drawn.spot(across(x) - 6, up(y) - 6, 12, 12, name, *lines)
    return drawn


def _name(drawn: Diagram, name: str, x: float, y: float, taken: list[_Room]) -> None:
    """A name beside its dot, where no other one stands; left out where there is no room."""
    long, high = width(name, _SIZE), 13.0
    for side, lower in ((1, 0), (-1, 0), (1, -high), (1, high), (-1, -high), (-1, high)):
        start = x + 7 if side > 0 else x - 7 - long
        room = (start, y + lower - high / 2, start + long, y + lower + high / 2)
        clear = all(
            room[2] <= other[0] or other[2] <= room[0] or room[3] <= other[1] or other[3] <= room[1]
            for other in taken
        )
        if clear and start >= _LEFT and room[2] <= drawn.width and room[1] >= 0:
            taken.append(room)
            drawn.words(start, y + lower, name, size=_SIZE)
            return


def _axes(drawn: Diagram, across: _Axis, up: _Axis, names: tuple[str, str], unit: str) -> None:
    left, right, bottom, top = across.start, across.end, up.start, up.end
    drawn.words(0, 9, f"{names[1]} ({unit})" if unit else names[1], size=11.5, kind="mute")
    for value in up.ticks():
        drawn.line([(left, up(value)), (right, up(value))], "line", width=1)
        drawn.words(left - 7, up(value), plain(value), size=11, kind="mute", anchor="end")
    for value in across.ticks():
        x = across(value)
        drawn.line([(x, bottom), (x, bottom + 4)], "mute", width=1)
        drawn.words(x, bottom + 14, plain(value), size=11, kind="mute", anchor="middle")
    drawn.line([(left, bottom), (right, bottom)], "mute", width=1)
    drawn.line([(left, bottom), (right, top)], "mute", width=1, dashed=True)
    drawn.words(right, bottom + 32, names[0], size=11.5, kind="mute", anchor="end")


def _label(
    told: Sequence[Point], names: tuple[str, str], write: Callable[[float], str], unit: str
) -> str:
    largest = "; ".join(
        f"{name} {names[1]} {write(y)}, {names[0]} {write(x)} {unit}".strip() for name, x, y in told
    )
    return f"{names[1]} against {names[0]}, root scales. The largest: {largest}."

"""Curves on logarithmic axes, each named at its end; figures of every curve where one points.

The upright axis can be an ordinary one instead, from 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram
from attnlab.viz.plot import Plot, Write, powers, room_for, steps

_TICKS_APART: Final = 60.0


@dataclass(frozen=True)
class Curve:
    """Values at the chart's positions, above 0 (0 too on an ordinary axis); None: there is none.

    ``kind``: a colour of ``diagram.KINDS``; ``dashed`` tells it apart without colour. ``beyond``
    are values that nobody measured, drawn dashed and thin from the last one that somebody did;
    ``dots``: whether each value that there is gets a dot.
    """

    name: str
    values: Sequence[float | None]
    kind: str
    dashed: bool = False
    beyond: Sequence[float | None] = ()
    dots: bool = False

    @property
    def every(self) -> list[float]:
        """All that is drawn of it."""
        return [value for value in (*self.values, *self.beyond) if value is not None]

    def at(self, place: int) -> float | None:
        """What it is at a position, measured or not."""
        value = self.values[place]
        return self.beyond[place] if value is None and self.beyond else value

    @property
    def last(self) -> float:
        """Where it ends."""
        return next(v for v in map(self.at, reversed(range(len(self.values)))) if v is not None)


def curves(
    title: str,
    x: Sequence[float],
    lines: Sequence[Curve],
    *,
    x_name: str,
    write: Write = "{:,.0f}".format,
    write_x: Write = "{:,.0f}".format,
    ticks: Callable[[float, float], Sequence[float]] | None = None,
    at: float | None = None,
    linear: bool = False,
    high: float = 260,
    wide: float = WIDE,
) -> Diagram:
    """A chart whose positions lie on a logarithmic axis, and values too unless ``linear``.

    Args:
        x: where the curves have values, rising.
        write, write_x: a value, and a position, in words.
        ticks: the values that are written at the side; None: powers of ten, or even steps.
        at: a position that is marked, and every curve there.
        linear: the values' axis runs evenly from 0.

    Raises:
        ValueError: a curve has another number of values, or one that has no logarithm.
    """
    _check(x, lines, linear)
    every = [value for line in lines for value in line.every]
    up = (0.0 if linear else min(every), max(every))
    right = wide - 12 - room_for([line.name for line in lines])
    drawn = Diagram(wide, high, _label(title, x, lines, write, write_x, x_name))
    plot = Plot(drawn, (x[0], x[-1]), up, right, high, True, not linear)
    drawn.words(0, 9, title, bold=True)
    plot.beside((ticks or (steps if linear else decimal))(*up), write)
    plot.below(_across(*plot.across, plot.most(_TICKS_APART)), write_x, x_name)
    if at is not None and x[0] <= at <= x[-1]:
        plot.dashes(at)
    for line in lines:
        _draw(plot, x, line)
        there = line.at(list(x).index(at)) if at in x else None
        if there is not None:
            plot.dot((plot.x(at), plot.y(there)), line.kind, 9, edge="paper")
    plot.names([(plot.y(line.last), line.name, line.kind) for line in lines])
    told = ([_figure(line, place, write) for line in lines] for place in range(len(x)))
    plot.spots(x, [(f"{write_x(a)} {x_name}", *b) for a, b in zip(x, told, strict=True)])
    return drawn


def _check(x: Sequence[float], lines: Sequence[Curve], linear: bool) -> None:
    for line in lines:
        low = min(line.every, default=-1)
        if len(line.values) != len(x) or min(x) <= 0 or low < 0 or (low == 0 and not linear):
            raise ValueError(f"{line.name!r} needs a value above 0 for each of {len(x)} positions")


def _draw(plot: Plot, x: Sequence[float], line: Curve) -> None:
    """The values that there are, joined; dashed from the last of them what goes on beyond."""
    points = plot.points(x, line.values)
    if len(points) > 1:
        plot.drawn.line(points, line.kind, width=2.5, dashed=line.dashed)
    beyond = points[-1:] + plot.points(x[: len(line.beyond)], line.beyond)
    if line.beyond and len(beyond) > 1:
        plot.drawn.line(beyond, line.kind, width=1.3, dashed=True)
    for point in points if line.dots else ():
        plot.dot(point, line.kind, 7, edge="paper")


def decimal(low: float, high: float) -> list[float]:
    """Powers of ten from ``low`` to ``high``, five at most."""
    return powers(10, low, high)


def binary(low: float, high: float) -> list[float]:
    """Powers of two from ``low`` to ``high``, every fifth: bytes, KiB, MiB and 32 of each."""
    return powers(32, low, high)


def _across(low: float, high: float, most: int) -> list[float]:
    """Powers of ten; where hardly any lie between, 2 and 5 times them too."""
    found = powers(10, low, high, most)
    if len(found) > 1:
        return found
    near = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    finer = [10.0**power * by for power in near for by in (1, 2, 5)]
    return [value for value in finer if low <= value <= high][:most]


def _figure(line: Curve, at: int, write: Write) -> str:
    """What a curve says at a position; "" where it says nothing."""
    value = line.at(at)
    if value is None:
        return ""
    if line.values[at] is None:
        return f"{line.name}: about {write(value)}, not measured"
    return f"{line.name}: {write(value)}"


def _label(
    title: str,
    x: Sequence[float],
    lines: Sequence[Curve],
    write: Write,
    write_x: Write,
    x_name: str,
) -> str:
    ends = ", ".join(f"{line.name} {write(line.last)}" for line in lines)
    return f"{title}. At {write_x(x[-1])} {x_name}: {ends}."

"""Curves on logarithmic axes, each named at its end; figures of every curve where one points.

The upright axis can be an ordinary one instead, from 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import width

_LEFT, _TOP, _BOTTOM = 52.0, 30.0, 40.0  # room around the plot
_NAMES_APART, _NAME_SIZE, _TICKS_APART = 16.0, 12.5, 60.0
_FAINT: Final = {"table": "ink", "norm": "ink", "cross": "ink", "feed": "mute", "line": "mute"}
"""Colours in which words could not be read, and those that stand in for them."""


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
    write: Callable[[float], str] = "{:,.0f}".format,
    write_x: Callable[[float], str] = "{:,.0f}".format,
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
    for line in lines:
        low = min(line.every, default=-1)
        if len(line.values) != len(x) or min(x) <= 0 or low < 0 or (low == 0 and not linear):
            raise ValueError(f"{line.name!r} needs a value above 0 for each of {len(x)} positions")
    every = [value for line in lines for value in line.every]
    low = 0.0 if linear else min(every)
    room = 12 + max(width(line.name, _NAME_SIZE, True) for line in lines)
    plot = _Plot((x[0], x[-1]), (low, max(every)), wide - room, high, linear)
    drawn = Diagram(wide, high, _label(title, x, lines, write, write_x, x_name))
    drawn.words(0, 9, title, bold=True)
    _axes(drawn, plot, x_name, write, write_x, ticks or (_even if linear else decimal))
    if at is not None and x[0] <= at <= x[-1]:
        drawn.line([(plot.x(at), _TOP), (plot.x(at), plot.bottom)], "mute", width=1, dashed=True)
    for line in lines:
        _draw(drawn, plot, x, line)
        place = list(x).index(at) if at in x else None
        if place is not None and line.at(place) is not None:
            _dot(drawn, plot.x(at), plot.y(line.at(place)), line.kind)
    _names(drawn, plot, lines)
    _spots(drawn, plot, x, lines, write, f"{{}} {x_name}", write_x)
    return drawn


def _draw(drawn: Diagram, plot: _Plot, x: Sequence[float], line: Curve) -> None:
    """The values that there are, joined; dashed from the last of them what goes on beyond."""
    points = [(plot.x(a), plot.y(b)) for a, b in zip(x, line.values, strict=True) if b is not None]
    more = zip(x, line.beyond, strict=False)
    beyond = points[-1:] + [(plot.x(a), plot.y(b)) for a, b in more if b is not None]
    if len(points) > 1:
        drawn.line(points, line.kind, width=2.5, dashed=line.dashed)
    if line.beyond and len(beyond) > 1:
        drawn.line(beyond, line.kind, width=1.3, dashed=True)
    for point in points if line.dots else ():
        _dot(drawn, *point, line.kind, 7)


def _dot(drawn: Diagram, x: float, y: float, kind: str, size: float = 9) -> None:
    half = size / 2
    drawn.box(x - half, y - half, size, size, kind, edge="paper", radius=half)


@dataclass(frozen=True)
class _Plot:
    """Where positions and values lie."""

    across: tuple[float, float]
    up: tuple[float, float]
    right: float
    high: float
    linear: bool = False

    @property
    def bottom(self) -> float:
        return self.high - _BOTTOM

    def x(self, value: float) -> float:
        return _LEFT + (self.right - _LEFT) * _share(value, self.across)

    def y(self, value: float) -> float:
        share = value / (self.up[1] or 1) if self.linear else _share(value, self.up)
        return self.bottom - (self.bottom - _TOP) * share


def _share(value: float, span: tuple[float, float]) -> float:
    low, high = map(math.log, span)
    return (math.log(value) - low) / ((high - low) or 1)


def decimal(low: float, high: float) -> list[float]:
    """Powers of ten from ``low`` to ``high``, five at most."""
    return _powers(10, low, high, 5)


def binary(low: float, high: float) -> list[float]:
    """Powers of two from ``low`` to ``high``, every fifth: bytes, KiB, MiB and 32 of each."""
    return _powers(32, low, high, 5)


def _powers(base: int, low: float, high: float, most: int) -> list[float]:
    first = math.ceil(math.log(low, base) - 1e-9)
    last = math.floor(math.log(high, base) + 1e-9)
    step = max(1, -(-(last - first + 1) // most))
    return [float(base) ** power for power in range(first, last + 1, step)]


def _across(low: float, high: float, most: int) -> list[float]:
    """Powers of ten; where hardly any lie between, 2 and 5 times them too."""
    found = _powers(10, low, high, most)
    if len(found) > 1:
        return found
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    finer = [10.0**power * by for power in powers for by in (1, 2, 5)]
    return [value for value in finer if low <= value <= high][:most]


def _even(low: float, high: float) -> list[float]:
    return even(high)


def even(high: float, most: int = 5) -> list[float]:
    """0 to ``high`` in even steps of 1, 2 or 5 times a power of ten, at most ``most`` steps."""
    if high <= 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(high / most))
    step = next(power * by for by in (1, 2, 5, 10) if high / (power * by) <= most + 1e-9)
    return [step * count for count in range(math.floor(high / step + 1e-9) + 1)]


def _axes(
    drawn: Diagram,
    plot: _Plot,
    x_name: str,
    write: Callable[[float], str],
    write_x: Callable[[float], str],
    ticks: Callable[[float, float], Sequence[float]],
) -> None:
    for value in ticks(*plot.up):
        y = plot.y(value)
        drawn.line([(_LEFT, y), (plot.right, y)], "line", width=1)
        drawn.words(_LEFT - 8, y, write(value), size=11.5, kind="mute", anchor="end")
    most = max(2, int((plot.right - _LEFT) / _TICKS_APART))
    for value in _across(*plot.across, most):
        x = plot.x(value)
        drawn.line([(x, plot.bottom), (x, plot.bottom + 4)], "mute", width=1)
        drawn.words(x, plot.bottom + 14, write_x(value), size=11.5, kind="mute", anchor="middle")
    drawn.line([(_LEFT, plot.bottom), (plot.right, plot.bottom)], "mute", width=1)
    drawn.words(plot.right, plot.high - 6, x_name, size=11.5, kind="mute", anchor="end")


def _names(drawn: Diagram, plot: _Plot, lines: Sequence[Curve]) -> None:
    """Each curve's name at its end, moved apart where they meet."""
    ends = sorted((plot.y(line.last), at) for at, line in enumerate(lines))
    below = plot.bottom + _NAMES_APART
    for left, (y, at) in reversed(list(enumerate(ends))):
        # Those above need room too, up to the top.
        below = max(min(y, below - _NAMES_APART), _TOP - 8 + left * _NAMES_APART)
        line = lines[at]
        kind = _FAINT.get(line.kind, line.kind)
        drawn.words(plot.right + 8, below, line.name, size=_NAME_SIZE, kind=kind, bold=True)


def _spots(
    drawn: Diagram,
    plot: _Plot,
    x: Sequence[float],
    lines: Sequence[Curve],
    write: Callable[[float], str],
    title: str,
    write_x: Callable[[float], str],
) -> None:
    """A band for each position, up to half way to the next."""
    places = [plot.x(value) for value in x]
    middles = [(a + b) / 2 for a, b in pairwise(places)]
    edges = [places[0], *middles, places[-1]]
    for at, value in enumerate(x):
        figures = [_figure(line, at, write) for line in lines]
        left, wide = edges[at], edges[at + 1] - edges[at]
        high = plot.bottom - _TOP
        drawn.spot(left, _TOP, wide, high, title.format(write_x(value)), *figures)


def _figure(line: Curve, at: int, write: Callable[[float], str]) -> str:
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
    write: Callable[[float], str],
    write_x: Callable[[float], str],
    x_name: str,
) -> str:
    ends = ", ".join(f"{line.name} {write(line.last)}" for line in lines)
    return f"{title}. At {write_x(x[-1])} {x_name}: {ends}."

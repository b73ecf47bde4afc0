"""Curves on logarithmic axes, each named at its end; figures of every curve where one points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 148.0, 30.0, 40.0  # room around the plot
_NAMES_APART: Final = 16.0


@dataclass(frozen=True)
class Curve:
    """Values at the chart's positions, all above 0.

    ``kind``: a colour of ``diagram.KINDS``; ``dashed`` tells it apart without colour.
    """

    name: str
    values: Sequence[float]
    kind: str
    dashed: bool = False


def curves(
    title: str,
    x: Sequence[float],
    lines: Sequence[Curve],
    *,
    x_name: str,
    write: Callable[[float], str] = "{:,.0f}".format,
    write_x: Callable[[float], str] = "{:,.0f}".format,
    at: float | None = None,
    high: float = 260,
    wide: float = WIDE,
) -> Diagram:
    """A chart with both axes logarithmic.

    Args:
        x: where the curves have values, rising.
        write, write_x: a value, and a position, in words.
        at: a position that is marked.

    Raises:
        ValueError: a curve has another number of values, or one that has no logarithm.
    """
    for line in lines:
        if len(line.values) != len(x) or min(line.values) <= 0 or min(x) <= 0:
            raise ValueError(f"{line.name!r} needs a value above 0 for each of {len(x)} positions")
    every = [value for line in lines for value in line.values]
    plot = _Plot((x[0], x[-1]), (min(every), max(every)), wide, high)
    drawn = Diagram(wide, high, _label(title, x, lines, write, write_x, x_name))
    drawn.words(0, 9, title, bold=True)
    _axes(drawn, plot, x_name, write, write_x)
    if at is not None and x[0] <= at <= x[-1]:
        drawn.line([(plot.x(at), _TOP), (plot.x(at), plot.bottom)], "mute", width=1, dashed=True)
    for line in lines:
        points = [(plot.x(a), plot.y(b)) for a, b in zip(x, line.values, strict=True)]
        drawn.line(points, line.kind, width=2.5, dashed=line.dashed)
    _names(drawn, plot, lines)
    _spots(drawn, plot, x, lines, write, f"{{}} {x_name}", write_x)
    return drawn


@dataclass(frozen=True)
class _Plot:
    """Where positions and values lie."""

    across: tuple[float, float]
    up: tuple[float, float]
    wide: float
    high: float

    @property
    def bottom(self) -> float:
        return self.high - _BOTTOM

    @property
    def right(self) -> float:
        return self.wide - _RIGHT

    def x(self, value: float) -> float:
        return _LEFT + (self.right - _LEFT) * _share(value, self.across)

    def y(self, value: float) -> float:
        return self.bottom - (self.bottom - _TOP) * _share(value, self.up)


def _share(value: float, span: tuple[float, float]) -> float:
    low, high = map(math.log, span)
    return (math.log(value) - low) / ((high - low) or 1)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Powers of ten from ``low`` to ``high``, every so many that at most ``most`` are left."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, -(-(last - first + 1) // most))
    return [10.0**power for power in range(first, last + 1, step)]


def _axes(
    drawn: Diagram,
    plot: _Plot,
    x_name: str,
    write: Callable[[float], str],
    write_x: Callable[[float], str],
) -> None:
    for value in ticks(*plot.up):
        y = plot.y(value)
        drawn.line([(_LEFT, y), (plot.right, y)], "line", width=1)
        drawn.words(_LEFT - 8, y, write(value), size=11.5, kind="mute", anchor="end")
    for value in ticks(*plot.across):
        x = plot.x(value)
        drawn.line([(x, plot.bottom), (x, plot.bottom + 4)], "mute", width=1)
        drawn.words(x, plot.bottom + 14, write_x(value), size=11.5, kind="mute", anchor="middle")
    drawn.line([(_LEFT, plot.bottom), (plot.right, plot.bottom)], "mute", width=1)
    drawn.words(plot.right, plot.high - 6, x_name, size=11.5, kind="mute", anchor="end")


def _names(drawn: Diagram, plot: _Plot, lines: Sequence[Curve]) -> None:
    """Each curve's name at its end, moved apart where they meet."""
    ends = sorted((plot.y(line.values[-1]), at) for at, line in enumerate(lines))
    above = -math.inf
    for y, at in ends:
        above = max(y, above + _NAMES_APART)
        line = lines[at]
        drawn.words(plot.right + 8, above, line.name, size=12.5, kind=line.kind, bold=True)


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
        figures = [f"{line.name}: {write(line.values[at])}" for line in lines]
        left, wide = edges[at], edges[at + 1] - edges[at]
        high = plot.bottom - _TOP
        drawn.spot(left, _TOP, wide, high, title.format(write_x(value)), *figures)


def _label(
    title: str,
    x: Sequence[float],
    lines: Sequence[Curve],
    write: Callable[[float], str],
    write_x: Callable[[float], str],
    x_name: str,
) -> str:
    ends = ", ".join(f"{line.name} {write(line.values[-1])}" for line in lines)
    return f"{title}. At {write_x(x[-1])} {x_name}: {ends}."

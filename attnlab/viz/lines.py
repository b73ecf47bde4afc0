"""Curves on ordinary axes: values of either sign, bands around them, and marked positions.

For quantities that span many powers of ten see ``curves.py``, whose axes are logarithmic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import minus, plain
from attnlab.viz.plot import LEFT, TOP, Plot, Point, Write, powers, room_for, steps
from attnlab.viz.svg.text import width

_TICKS_APART: Final = 56.0
_MOST_SPOTS: Final = 64
_EARLY: Final = 40.0  # a line that ends so far from the right edge is named where it ends
Mark = tuple[float, str]
"""A position that stands out, and what it is, in a word or two."""


@dataclass(frozen=True)
class Line:
    """Values at the chart's positions; None where there is none, so that the line has a gap.

    ``kind``: a colour of ``diagram.KINDS``; ``dashed`` tells it apart without colour. ``low`` and
    ``high`` bound a band around it. ``named``: whether its name stands at its end. ``stepped``: a
    value holds up to half way to the next position, where it jumps.
    """

    name: str
    values: Sequence[float | None]
    kind: str
    dashed: bool = False
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    thick: float = 2.2
    named: bool = True
    stepped: bool = False

    @property
    def every(self) -> list[float]:
        """All that is drawn of it."""
        return [v for v in (*self.values, *self.low, *self.high) if v is not None]


def _place(value: float) -> str:
    return minus(f"{value:,.0f}")


def lines(
    title: str,
    x: Sequence[float],
    drawn_lines: Sequence[Line],
    *,
    x_name: str,
    write: Write = plain,
    write_x: Write = _place,
    marks: Sequence[Mark] = (),
    log_x: bool = False,
    span: Point | None = None,
    high: float = 260,
    wide: float = WIDE,
) -> Diagram:
    """A chart of lines over rising positions ``x``.

    Args:
        write, write_x: a value, and a position, in words.
        marks: positions with a dashed upright line and a word above it; those outside of ``x`` are
            left out.
        log_x: positions on a logarithmic axis; all above 0 then.
        span: the least and the largest value of the upright axis; None: those of the lines.

    Raises:
        ValueError: a line has another number of values, or nothing is drawn.
    """
    _check(x, drawn_lines, log_x)
    every = [value for line in drawn_lines for value in line.every]
    up = span or (min(every), max(every))
    right = wide - 14 - room_for([line.name for line in drawn_lines if line.named])
    drawn = Diagram(wide, high, _label(title, x, drawn_lines, write, write_x, x_name))
    plot = Plot(drawn, (x[0], x[-1]), up, right, high, log_x)
    drawn.words(0, 9, title, bold=True)
    plot.beside(steps(*up), write)
    plot.below(_places(plot, all(float(at).is_integer() for at in x)), write_x, x_name)
    for at, words in marks:
        if x[0] <= at <= x[-1]:
            _mark(plot, at, words)
    for line in drawn_lines:
        _band(plot, x, line)
        _draw(plot, x, line)
    _names(plot, x, drawn_lines)
    _spots(plot, x, drawn_lines, write, write_x, x_name)
    return drawn


def _check(x: Sequence[float], drawn_lines: Sequence[Line], log_x: bool) -> None:
    for line in drawn_lines:
        if len(line.values) != len(x):
            raise ValueError(f"{line.name!r} needs a value for each of {len(x)} positions")
    if not any(line.every for line in drawn_lines) or (log_x and min(x) <= 0):
        raise ValueError("nothing to draw, or a position that has no logarithm")


def _places(plot: Plot, whole: bool) -> list[float]:
    """Positions that are written: powers of two on a logarithmic axis, else even steps, each a
    whole number where all positions are (``whole``)."""
    (low, high), most = plot.across, plot.most(_TICKS_APART)
    if plot.log_x:
        return powers(2, low, high, most)
    return steps(low, high, max(1, min(most, math.floor(high - low))) if whole else most)


def _mark(plot: Plot, at: float, words: str) -> None:
    plot.dashes(at)
    if words:
        x = plot.x(at)
        late = x + 6 + width(words, 11.5) > plot.right
        place = {"anchor": "end"} if late else {}
        x += -5 if late else 5
        plot.drawn.words(x, TOP - 8, words, size=11.5, kind="mute", **place)


def _draw(plot: Plot, x: Sequence[float], line: Line) -> None:
    """Each unbroken piece; a single value as a dot."""
    for there, piece in groupby(zip(x, line.values, strict=True), lambda one: one[1] is not None):
        if not there:
            continue
        points = [(plot.x(a), plot.y(b)) for a, b in piece]
        if len(points) == 1:  # a line to nowhere could not be seen
            plot.dot(points[0], line.kind, 7)
        if line.stepped:
            points = _steps_of(points)
        points = points if len(points) > 1 else points * 2
        plot.drawn.line(points, line.kind, width=line.thick, dashed=line.dashed)


def _steps_of(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Level up to half way to the next point, and there straight up or down."""
    found = points[:1]
    for (a, level), (b, other) in pairwise(points):
        middle = (a + b) / 2
        found += [(middle, level), (middle, other)]
    return [*found, points[-1]]


def _band(plot: Plot, x: Sequence[float], line: Line) -> None:
    """What lies between ``low`` and ``high``, where both are known."""
    bounds = zip(x, line.low, line.high, strict=False)
    there = [(a, low, top) for a, low, top in bounds if low is not None and top is not None]
    if len(there) > 1:
        at, lower, upper = zip(*there, strict=True)
        back = reversed(plot.points(at, lower))
        plot.drawn.area([*plot.points(at, upper), *back], line.kind)


def _names(plot: Plot, x: Sequence[float], drawn_lines: Sequence[Line]) -> None:
    """Each line's name at its end; beside its last point where it ends well before the others."""
    ends = []
    for line in drawn_lines:
        if not line.named or not line.every:
            continue
        last_x, last = plot.points(x, line.values)[-1]
        if last_x < plot.right - _EARLY:
            up = 9 if len(x) > 1 else 0  # above the line; right of a point
            plot.name(last_x + 6, last - up, line.name, line.kind)
        else:
            ends.append((last, line.name, line.kind))
    plot.names(ends)


def _spots(
    plot: Plot,
    x: Sequence[float],
    drawn_lines: Sequence[Line],
    write: Write,
    write_x: Write,
    x_name: str,
) -> None:
    """A band for each position, or for evenly chosen ones where there are many."""
    apart = (plot.right - LEFT) / _MOST_SPOTS
    chosen = [0]
    for at in range(1, len(x)):
        if plot.x(x[at]) - plot.x(x[chosen[-1]]) >= apart * 0.999:
            chosen.append(at)
    said = []
    for at in chosen:
        there = (line for line in drawn_lines if line.values[at] is not None)
        figures = [f"{line.name}: {write(line.values[at])}" for line in there]
        said.append((f"{write_x(x[at])} {x_name}".rstrip(), *figures))
    plot.spots([x[at] for at in chosen], said)


def _label(
    title: str,
    x: Sequence[float],
    drawn_lines: Sequence[Line],
    write: Write,
    write_x: Write,
    x_name: str,
) -> str:
    ends = [
        f"{line.name} {write(line.values[-1])}"
        for line in drawn_lines
        if line.values[-1] is not None
    ]
    return f"{title}. At {write_x(x[-1])} {x_name}: {', '.join(ends)}."

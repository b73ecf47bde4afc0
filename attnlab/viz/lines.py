"""Curves on ordinary axes: values of either sign, bands around them, and marked positions.

For quantities that span many powers of ten see ``curves.py``, whose axes are logarithmic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import minus, plain
from attnlab.viz.svg.text import width

_LEFT, _TOP, _BOTTOM = 52.0, 30.0, 40.0  # room around the plot
_NAMES_APART, _NAME_SIZE, _TICKS_APART = 16.0, 12.5, 56.0
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
    write: Callable[[float], str] = plain,
    write_x: Callable[[float], str] = _place,
    marks: Sequence[Mark] = (),
    log_x: bool = False,
    span: tuple[float, float] | None = None,
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
    for line in drawn_lines:
        if len(line.values) != len(x):
            raise ValueError(f"{line.name!r} needs a value for each of {len(x)} positions")
    every = [value for line in drawn_lines for value in line.every]
    if not every or (log_x and min(x) <= 0):
        raise ValueError("nothing to draw, or a position that has no logarithm")
    room = 14 + max((width(o.name, _NAME_SIZE, True) for o in drawn_lines if o.named), default=0)
    plot = _Plot((x[0], x[-1]), span or (min(every), max(every)), wide - room, high, log_x)
    drawn = Diagram(wide, high, _label(title, x, drawn_lines, write, write_x, x_name))
    drawn.words(0, 9, title, bold=True)
    _axes(drawn, plot, x_name, write, write_x, all(float(at).is_integer() for at in x))
    for at, words in marks:
        if x[0] <= at <= x[-1]:
            _mark(drawn, plot, at, words)
    for line in drawn_lines:
        _band(drawn, plot, x, line)
        for piece in _pieces(plot, x, line.values):
            if len(set(piece)) == 1:  # a line to nowhere could not be seen
                drawn.box(piece[0][0] - 3.5, piece[0][1] - 3.5, 7, 7, line.kind, radius=3.5)
            if line.stepped:
                piece = _steps_of(piece)
            drawn.line(piece, line.kind, width=line.thick, dashed=line.dashed)
    _names(drawn, plot, x, drawn_lines)
    _spots(drawn, plot, x, drawn_lines, write, write_x, x_name)
    return drawn


@dataclass(frozen=True)
class _Plot:
    """Where positions and values lie."""

    across: tuple[float, float]
    up: tuple[float, float]
    right: float
    tall: float
    log_x: bool

    @property
    def bottom(self) -> float:
        return self.tall - _BOTTOM

    def x(self, value: float) -> float:
        low, high = self.across
        if self.log_x:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return _LEFT + (self.right - _LEFT) * (value - low) / ((high - low) or 1)

    def y(self, value: float) -> float:
        low, high = self.up
        share = (value - low) / ((high - low) or 1)
        return self.bottom - (self.bottom - _TOP) * min(max(share, 0.0), 1.0)


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


def _axes(
    drawn: Diagram,
    plot: _Plot,
    x_name: str,
    write: Callable[[float], str],
    write_x: Callable[[float], str],
    whole: bool,
) -> None:
    """``whole``: whether all positions are whole numbers."""
    for value in steps(*plot.up):
        y = plot.y(value)
        drawn.line([(_LEFT, y), (plot.right, y)], "line", width=1)
        drawn.words(_LEFT - 8, y, write(value), size=11.5, kind="mute", anchor="end")
    most = max(2, int((plot.right - _LEFT) / _TICKS_APART))
    for value in _places(plot, most, whole):
        x = plot.x(value)
        drawn.line([(x, plot.bottom), (x, plot.bottom + 4)], "mute", width=1)
        drawn.words(x, plot.bottom + 14, write_x(value), size=11.5, kind="mute", anchor="middle")
    drawn.line([(_LEFT, plot.bottom), (plot.right, plot.bottom)], "mute", width=1)
    drawn.words(plot.right, plot.tall - 6, x_name, size=11.5, kind="mute", anchor="end")


def _places(plot: _Plot, most: int, whole: bool) -> list[float]:
    """Positions that are written: powers of two on a logarithmic axis, else even steps, each a
    whole number where all positions are."""
    if not plot.log_x:
        low, high = plot.across
        return steps(low, high, max(1, min(most, math.floor(high - low))) if whole else most)
    first = math.ceil(math.log2(plot.across[0]) - 1e-9)
    last = math.floor(math.log2(plot.across[1]) + 1e-9)
    step = max(1, -(-(last - first + 1) // most))
    return [2.0**power for power in range(first, last + 1, step)]


def _mark(drawn: Diagram, plot: _Plot, at: float, words: str) -> None:
    x = plot.x(at)
    drawn.line([(x, _TOP), (x, plot.bottom)], "mute", width=1, dashed=True)
    if words:
        late = x + 6 + width(words, 11.5) > plot.right
        place = {"anchor": "end"} if late else {}
        drawn.words(x - 5 if late else x + 5, _TOP - 8, words, size=11.5, kind="mute", **place)


def _pieces(
    plot: _Plot, x: Sequence[float], values: Sequence[float | None]
) -> list[list[tuple[float, float]]]:
    """The points of each unbroken piece."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for a, b in zip(x, values, strict=True):
        if b is not None:
            pieces[-1].append((plot.x(a), plot.y(b)))
        elif pieces[-1]:
            pieces.append([])
    return [piece if len(piece) > 1 else piece * 2 for piece in pieces if piece]


def _steps_of(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Level up to half way to the next point, and there straight up or down."""
    found = points[:1]
    for (a, level), (b, other) in pairwise(points):
        middle = (a + b) / 2
        found += [(middle, level), (middle, other)]
    return [*found, points[-1]]


def _band(drawn: Diagram, plot: _Plot, x: Sequence[float], line: Line) -> None:
    if not line.low:
        return
    there = [
        (a, low, top)
        for a, low, top in zip(x, line.low, line.high, strict=True)
        if low is not None and top is not None
    ]
    if len(there) > 1:
        upper = [(plot.x(a), plot.y(top)) for a, _, top in there]
        lower = [(plot.x(a), plot.y(low)) for a, low, _ in reversed(there)]
        drawn.area(upper + lower, line.kind)


def _names(drawn: Diagram, plot: _Plot, x: Sequence[float], drawn_lines: Sequence[Line]) -> None:
    """Each line's name at its end, moved apart where they meet; beside its last point where it ends
    well before the others."""
    named = []
    for line in drawn_lines:
        if line.named and line.every:
            last = max(at for at, value in enumerate(line.values) if value is not None)
            if plot.x(x[last]) < plot.right - _EARLY:
                up = 9 if len(x) > 1 else 0  # above the line; right of a point
                place = (plot.x(x[last]) + 6, plot.y(line.values[last]) - up)
                drawn.words(*place, line.name, size=_NAME_SIZE, kind=_readable(line), bold=True)
            else:
                named.append((plot.y(line.values[last]), line))
    ends = sorted((y, at) for at, (y, _) in enumerate(named))
    below = plot.bottom + _NAMES_APART
    for left, (y, at) in reversed(list(enumerate(ends))):
        # Those above need room too, up to the top.
        below = max(min(y, below - _NAMES_APART), _TOP - 8 + left * _NAMES_APART)
        line = named[at][1]
        kind = _readable(line)
        drawn.words(plot.right + 8, below, line.name, size=_NAME_SIZE, kind=kind, bold=True)


def _readable(line: Line) -> str:
    """A colour in which words can be read."""
    return "ink" if line.kind == "line" else line.kind


def _spots(
    drawn: Diagram,
    plot: _Plot,
    x: Sequence[float],
    drawn_lines: Sequence[Line],
    write: Callable[[float], str],
    write_x: Callable[[float], str],
    x_name: str,
) -> None:
    """A band for each position, or for evenly chosen ones where there are many."""
    edges = [plot.x(value) for value in x]
    apart = (plot.right - _LEFT) / _MOST_SPOTS
    chosen = [0]
    for at in range(1, len(x)):
        if edges[at] - edges[chosen[-1]] >= apart * 0.999:
            chosen.append(at)
    places = [edges[at] for at in chosen]
    middles = [(a + b) / 2 for a, b in pairwise(places)]
    borders = [places[0], *middles, max(places[-1], edges[-1])]
    for number, at in enumerate(chosen):
        figures = [
            f"{line.name}: {write(line.values[at])}"
            for line in drawn_lines
            if line.values[at] is not None
        ]
        left, wide = borders[number], borders[number + 1] - borders[number]
        title = f"{write_x(x[at])} {x_name}" if x_name else write_x(x[at])
        drawn.spot(left, _TOP, max(wide, 1), plot.bottom - _TOP, title, *figures)


def _label(
    title: str,
    x: Sequence[float],
    drawn_lines: Sequence[Line],
    write: Callable[[float], str],
    write_x: Callable[[float], str],
    x_name: str,
) -> str:
    ends = [
        f"{line.name} {write(line.values[-1])}"
        for line in drawn_lines
        if line.values[-1] is not None
    ]
    return f"{title}. At {write_x(x[-1])} {x_name}: {', '.join(ends)}."

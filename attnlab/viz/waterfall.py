"""Parts that add up to a whole: one bar below the other, each where the one before it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import plain
from attnlab.viz.svg.text import width

_ROW, _BAR, _SIZE = 24.0, 15.0, 12.5
_FIGURE: Final = 62.0

Step = tuple[str, float]
"""A part and its value."""


def waterfall(
    steps: Sequence[Step],
    whole: Step,
    *,
    wide: float,
    kinds: tuple[str, str] = ("attention", "gold"),
    write: Callable[[float], str] = plain,
    unit: str = "",
    label: str = "",
) -> Diagram:
    """The parts, and what they add up to beside what the ``whole`` itself is.

    Args:
        kinds: the colours of values above and below 0.
        whole: its name and its value, which the parts were not made from.

    Raises:
        ValueError: there are no parts.
    """
    if not steps:
        raise ValueError("a waterfall needs parts")
    total = sum(value for _, value in steps)
    ends, at = [0.0], 0.0
    for _, value in steps:
        at += value
        ends.append(at)
    low, high = min(0.0, *ends, whole[1]), max(0.0, *ends, whole[1])
    names = [name for name, _ in steps] + ["the sum", whole[0]]
    left = max(width(name, _SIZE, True) for name in names) + 14
    scale = (wide - left - _FIGURE) / ((high - low) or 1.0)

    def x(value: float) -> float:
        return left + (value - low) * scale

    drawn = Diagram(wide, _ROW * (len(steps) + 2) + 8, label)
    zero = x(0.0)
    drawn.line([(zero, 0), (zero, drawn.height)], "line", width=1)
    for row, (name, value) in enumerate(steps):
        y = _ROW * row
        start, end = sorted((x(ends[row]), x(ends[row + 1])))
        kind = kinds[value < 0]
        _row(drawn, y, name, left, write(value), wide)
        drawn.box(start, y + (_ROW - _BAR) / 2, max(end - start, 1.0), _BAR, kind, radius=2)
        drawn.line([(x(ends[row + 1]), y + _ROW - 4), (x(ends[row + 1]), y + _ROW + 4)], "mute")
        drawn.spot(0, y, wide, _ROW, name, f"{write(value)} {unit}".strip())
    for row, (name, value) in enumerate((("the sum", total), whole), start=len(steps)):
        y = _ROW * row + 8
        _row(drawn, y, name, left, write(value), wide, bold=True)
        start, end = sorted((zero, x(value)))
        drawn.box(start, y + (_ROW - _BAR) / 2, max(end - start, 1.0), _BAR, "ink", radius=2)
        drawn.spot(0, y, wide, _ROW, name, f"{write(value)} {unit}".strip())
    return drawn


def _row(
    drawn: Diagram,
    y: float,
    name: str,
    left: float,
    figure: str,
    wide: float,
    *,
    bold: bool = False,
) -> None:
    kind = "ink" if bold else "mute"
    middle = y + _ROW / 2
    drawn.words(left - 10, middle, name, size=_SIZE, kind=kind, bold=bold, anchor="end")
    drawn.words(wide, middle, figure, size=_SIZE, kind="ink", bold=bold, anchor="end")

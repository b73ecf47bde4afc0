"""Parts that add up to a whole: one bar below the other, each where the one before it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
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
    ends = [0.0, *accumulate(value for _, value in steps)]
    low, high = min(*ends, whole[1]), max(*ends, whole[1])
    rows = [*steps, ("the sum", ends[-1]), whole]
    left = max(width(name, _SIZE, True) for name, _ in rows) + 14
    scale = (wide - left - _FIGURE) / ((high - low) or 1.0)

    def x(value: float) -> float:
        return left + (value - low) * scale

    drawn = Diagram(wide, _ROW * len(rows) + 8, label)
    drawn.line([(x(0.0), 0), (x(0.0), drawn.height)], "line", width=1)
    for row, (name, value) in enumerate(rows):
        part = row < len(steps)
        y = _ROW * row + (0 if part else 8)
        span = (ends[row], ends[row + 1]) if part else (0.0, value)
        start, end = sorted(map(x, span))
        kind = kinds[value < 0] if part else "ink"
        _words(drawn, y, left, name, write(value), bold=not part)
        drawn.box(start, y + (_ROW - _BAR) / 2, max(end - start, 1.0), _BAR, kind, radius=2)
        if part:
            drawn.line([(x(span[1]), y + _ROW - 4), (x(span[1]), y + _ROW + 4)], "mute")
        drawn.spot(0, y, wide, _ROW, name, f"{write(value)} {unit}".strip())
    return drawn


def _words(drawn: Diagram, y: float, left: float, name: str, figure: str, *, bold: bool) -> None:
    kind, middle = "ink" if bold else "mute", y + _ROW / 2
    drawn.words(left - 10, middle, name, size=_SIZE, kind=kind, bold=bold, anchor="end")
    drawn.words(drawn.width, middle, figure, size=_SIZE, kind="ink", bold=bold, anchor="end")

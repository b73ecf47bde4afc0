"""Pairs of values, before and after: a dot for each, a line between, both figures at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram
from attnlab.viz.plot import steps
from attnlab.viz.svg.text import cut, width

_ROW, _TOP, _NAMES, _FIGURES, _DOT = 21.0, 44.0, 118.0, 92.0, 9.0
_SIZE: Final = 12.5

Row = tuple[str, float, float]
"""What it is about, the value before, the value after."""


def dumbbells(
    title: str,
    rows: Sequence[Row],
    *,
    names: tuple[str, str],
    write: Callable[[float], str] = "{:.2f}".format,
    kinds: tuple[str, str] = ("ink", "edit"),
    unit: str = "",
    wide: float = WIDE,
) -> Diagram:
    """A row for each pair, from 0 to the largest value.

    Raises:
        ValueError: there are none, or a value is below 0.
    """
    if not rows or min(min(before, after) for _, before, after in rows) < 0:
        raise ValueError("pairs of values from 0 on are needed")
    most = max(max(before, after) for _, before, after in rows) or 1.0
    bottom = _TOP + _ROW * len(rows)
    ends = "; ".join(f"{n.strip()} {write(a)} to {write(b)}" for n, a, b in rows)
    drawn = Diagram(wide, bottom + 22, f"{title}, {names[0]} and {names[1]}: {ends}.")
    drawn.words(0, 9, title, bold=True)
    _legend(drawn, names, kinds, wide)
    right = wide - _FIGURES

    def place(value: float) -> float:
        return _NAMES + (right - _NAMES) * value / most

    for value in steps(0, most):
        x = place(value)
        drawn.line([(x, _TOP - 6), (x, bottom)], "line", width=1)
        drawn.words(x, bottom + 11, f"{value:g}", size=11, kind="mute", anchor="middle")
    if unit:
        drawn.words(wide, bottom + 11, unit, size=11, kind="mute", anchor="end")
    for number, (name, before, after) in enumerate(rows):
        y = _TOP + _ROW * (number + 0.5)
        drawn.words(_NAMES - 12, y, cut(name, _NAMES - 14, _SIZE), size=_SIZE, anchor="end")
        drawn.line([(place(before), y), (place(after), y)], kinds[1], width=2.5)
        for value, kind in zip((before, after), kinds, strict=True):
            half = _DOT / 2
            drawn.box(place(value) - half, y - half, _DOT, _DOT, kind, edge="paper", radius=half)
        figures = f"{write(before)} → {write(after)}"
        drawn.words(wide, y, figures, size=_SIZE, anchor="end")
        told = [f"{n}: {write(v)}" for n, v in zip(names, (before, after), strict=True)]
        drawn.spot(0, y - _ROW / 2, wide, _ROW, name, *told)
    return drawn


def _legend(drawn: Diagram, names: tuple[str, str], kinds: tuple[str, str], wide: float) -> None:
    x = wide
    for name, kind in reversed(list(zip(names, kinds, strict=True))):
        x -= width(name, 12)
        drawn.words(x, 9, name, size=12, kind="mute")
        drawn.box(x - 15, 4.5, _DOT, _DOT, kind, radius=_DOT / 2)
        x -= 32

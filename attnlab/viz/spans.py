"""How far from the query most of a head's attention lies: a bar for each head."""

from __future__ import annotations

from collections.abc import Sequence

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram
from attnlab.viz.plot import steps
from attnlab.viz.svg.text import cut, width

_NAMES, _TOP, _FIGURES = 128.0, 34.0, 76.0


def spans(
    rows: Sequence[tuple[str, int, int]],
    longest: int,
    *,
    names: tuple[str, str],
    x_name: str,
    kind: str = "attention",
    wide: float = WIDE,
) -> Diagram:
    """A strong bar to the first distance, a faint one on to the second.

    Args:
        rows: what each is called, and two distances, from 1 on.
        longest: where the axis ends.
        names: what the two distances are.
    """
    each = max(14.0, min(26.0, 240 / len(rows)))
    bottom = _TOP + each * len(rows)
    told = "; ".join(f"{name}: {near} and {far}" for name, near, far in rows)
    drawn = Diagram(wide, bottom + 40, f"{names[0]} and {names[1]}, {x_name}. {told}.")
    _legend(drawn, names, kind)
    right = wide - _FIGURES

    def place(value: float) -> float:
        return _NAMES + (right - _NAMES) * value / longest

    for value in steps(0, longest):
        drawn.line([(place(value), _TOP), (place(value), bottom)], "line", width=1)
        at = place(value), bottom + 12
        drawn.words(*at, f"{value:,.0f}", size=11.5, kind="mute", anchor="middle")
    drawn.words(right, bottom + 30, x_name, size=11.5, kind="mute", anchor="end")
    for at, (name, near, far) in enumerate(rows):
        y, high = _TOP + each * at + 2, each - 4
        middle = y + high / 2
        drawn.words(_NAMES - 10, middle, cut(name, _NAMES - 10, 12), size=12, anchor="end")
        drawn.area(_box(_NAMES, y, place(far), y + high), kind, 0.3)
        drawn.area(_box(_NAMES, y, place(near), y + high), kind, 1.0)
        drawn.words(wide, middle, f"{near:,} · {far:,}", size=12, kind="mute", anchor="end")
        lines = [f"{names[0]}: {near:,} tokens", f"{names[1]}: {far:,} tokens"]
        drawn.spot(0, y - 2, wide, each, name, *lines)
    return drawn


def _box(x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float]]:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def _legend(drawn: Diagram, names: tuple[str, str], kind: str) -> None:
    x = _NAMES
    for name, strength in zip(names, (1.0, 0.3), strict=True):
        drawn.area(_box(x, 3, x + 14, 14), kind, strength)
        drawn.words(x + 20, 9, name, size=12, kind="mute")
        x += 44 + width(name, 12)

"""Turns of rotary pairs: how far round each came in training, and how far it goes beyond."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import width

_LEFT, _TOP, _BOTTOM = 52.0, 30.0, 40.0
_LEAST: Final = 1e-3  # of a turn, the lower end of the axis


def turns(
    title: str,
    then: Sequence[float],
    now: Sequence[float],
    new: Sequence[bool],
    *,
    names: tuple[str, str],
    high: float = 300,
    wide: float = WIDE,
) -> Diagram:
    """A column for each pair, on a logarithmic axis of full turns.

    Args:
        then, now: full turns in training, and in the longer text.
        new: whether the longer text reaches angles that training never showed.
        names: what the two are.
    """
    most = max(*then, *now, 10.0)
    bottom, right = high - _BOTTOM, wide - 8
    span = math.log(most / _LEAST)

    def y(value: float) -> float:
        return bottom - (bottom - _TOP) * max(0.0, math.log(max(value, _LEAST) / _LEAST) / span)

    said = f"{title}: {sum(new)} of {len(new)} pairs reach new angles {names[1]} tokens."
    drawn = Diagram(wide, high, said)
    drawn.words(0, 9, title, bold=True)
    _legend(drawn, names, wide)
    for power in range(-3, math.ceil(math.log10(most))):
        drawn.line([(_LEFT, y(10.0**power)), (right, y(10.0**power))], "line", width=1)
        drawn.words(
            _LEFT - 8, y(10.0**power), f"{10.0**power:,g}", size=11.5, kind="mute", anchor="end"
        )
    each = (right - _LEFT) / len(then)
    for at, (a, b, c) in enumerate(zip(then, now, new, strict=True)):
        x = _LEFT + each * at + each * 0.15
        broad = each * 0.7
        drawn.box(x, y(a), broad, bottom - y(a), "line", radius=2)
        drawn.box(x, min(y(a), y(b)), broad, abs(y(b) - y(a)), "edit" if c else "tile", radius=2)
        drawn.line([(x, y(b)), (x + broad, y(b))], "edit" if c else "mute", width=2)
        lines = [f"{names[0]} tokens: {a:,.3g} turns", f"{names[1]}: {b:,.3g} turns"]
        drawn.spot(
            _LEFT + each * at,
            _TOP,
            each,
            bottom - _TOP,
            f"pair {at}",
            *lines,
            "new angles" if c else "no new angle",
        )
    whole = y(1.0)
    drawn.line([(_LEFT, whole), (right, whole)], "ink", width=1.2, dashed=True)
    drawn.words(right, whole - 8, "all the way round", size=11.5, kind="mute", anchor="end")
    drawn.line([(_LEFT, bottom), (right, bottom)], "mute", width=1)
    drawn.words(_LEFT, bottom + 14, "fast pairs", size=11.5, kind="mute")
    drawn.words(right, bottom + 14, "slow pairs", size=11.5, kind="mute", anchor="end")
    return drawn


def _legend(drawn: Diagram, names: tuple[str, str], wide: float) -> None:
    words = f"grey: {names[0]} · violet: new {names[1]}"
    drawn.words(wide - width(words, 12), 9, words, size=12, kind="mute")

"""Turns of rotary pairs: how far round each came in training, and how far it goes beyond."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram
from attnlab.viz.plot import LEFT, TOP, Plot
from attnlab.viz.svg.text import width

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
    said = f"{title}: {sum(new)} of {len(new)} pairs reach new angles {names[1]} tokens."
    drawn, most = Diagram(wide, high, said), max(*then, *now, 10.0)
    plot = Plot(drawn, (0, len(then)), (_LEAST, most), wide - 8, high, log_y=True)
    drawn.words(0, 9, title, bold=True)
    _legend(drawn, names, wide)
    powers = range(-3, math.ceil(math.log10(most)))
    plot.beside([10.0**power for power in powers], "{:,g}".format)
    for at, figures in enumerate(zip(then, now, new, strict=True)):
        _pair(plot, at, *figures, names)
    whole, style = plot.y(1.0), {"size": 11.5, "kind": "mute"}
    drawn.line([(LEFT, whole), (plot.right, whole)], "ink", width=1.2, dashed=True)
    drawn.words(plot.right, whole - 8, "all the way round", anchor="end", **style)
    drawn.line([(LEFT, plot.bottom), (plot.right, plot.bottom)], "mute", width=1)
    drawn.words(LEFT, plot.bottom + 14, "fast pairs", **style)
    drawn.words(plot.right, plot.bottom + 14, "slow pairs", anchor="end", **style)
    return drawn


def _pair(plot: Plot, at: int, then: float, now: float, new: bool, names: tuple[str, str]) -> None:
    """A grey column up to ``then``, and on it what lies between that and ``now``."""
    drawn, bottom, colour = plot.drawn, plot.bottom, "edit" if new else "tile"
    a, b = (plot.y(max(value, _LEAST)) for value in (then, now))
    left, each = plot.x(at), plot.x(at + 1) - plot.x(at)
    x, broad = left + each * 0.15, each * 0.7
    drawn.box(x, a, broad, bottom - a, "line", radius=2)
    drawn.box(x, min(a, b), broad, abs(b - a), colour, radius=2)
    drawn.line([(x, b), (x + broad, b)], "edit" if new else "mute", width=2)
    said = [f"{names[0]} tokens: {then:,.3g} turns", f"{names[1]}: {now:,.3g} turns"]
    said.append("new angles" if new else "no new angle")
    drawn.spot(left, TOP, each, bottom - TOP, f"pair {at}", *said)


def _legend(drawn: Diagram, names: tuple[str, str], wide: float) -> None:
    words = f"grey: {names[0]} · violet: new {names[1]}"
    drawn.words(wide - width(words, 12), 9, words, size=12, kind="mute")

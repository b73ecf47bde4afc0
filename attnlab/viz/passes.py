"""The steps of one pass, in the order in which they run: name, shape, parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram

_ROW, _SHAPE = 25, 300  # the height of a row, and where shapes end, across


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        name, shape, figure: what it makes, of which shape, with how many parameters.
        kind: its colour in ``diagram.KINDS``, "" for none.
        about: sentences for who points at it.
        inner: whether it belongs to the block that is repeated.
    """

    name: str
    shape: str
    figure: str = ""
    kind: str = ""
    about: tuple[str, ...] = ()
    inner: bool = False


def one_pass(steps: Sequence[Step], repeats: str, label: str = "") -> Diagram:
    """A row for each step; a bracket holds those of the block, and says how often it runs."""
    drawn = Diagram(WIDE, label=label)
    for x, word, anchor in ((16, "step", "start"), (_SHAPE, "shape", "end")):
        drawn.words(x, 8, word, size=11.5, kind="mute", anchor=anchor)
    drawn.words(WIDE - 62, 8, "parameters", size=11.5, kind="mute", anchor="end")
    for at, step in enumerate(steps):
        _row(drawn, 20 + at * _ROW, step)
    inner = [at for at, step in enumerate(steps) if step.inner]
    if inner:
        top, bottom = 20 + inner[0] * _ROW + 3, 20 + (inner[-1] + 1) * _ROW - 3
        x = WIDE - 46
        drawn.line([(x, top), (x + 7, top), (x + 7, bottom), (x, bottom)], "mute")
        drawn.words(x + 13, (top + bottom) / 2, repeats, size=12.5, bold=True)
    drawn.height = 20 + len(steps) * _ROW + 2
    return drawn


def _row(drawn: Diagram, y: float, step: Step) -> None:
    drawn.line([(0, y), (WIDE - 58, y)], "line", width=1)
    drawn.box(0, y + 4, 5, _ROW - 8, step.kind, radius=2)
    drawn.words(16, y + _ROW / 2, step.name)
    drawn.words(_SHAPE, y + _ROW / 2, step.shape, anchor="end", bold=True)
    drawn.words(WIDE - 62, y + _ROW / 2, step.figure, kind="mute", size=12.5, anchor="end")
    drawn.spot(0, y, WIDE - 58, _ROW, f"{step.name}: {step.shape}", *step.about)

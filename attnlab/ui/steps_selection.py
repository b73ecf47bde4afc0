"""What the page Step by step shows of its own; nothing here imports Streamlit.

show=by-hand|real|why   which panel is open
preset=tired|wide|cat|colours|dog|man   the worked example
step=tokens|x|…|out     the step that is drawn
cells=x1.2_0.75         edited cells, see steps_edits.py
cell=weights.0.3.1      the chosen cell: matrix, head, row, column, counted from 0
cut=1|2                 how many heads share the columns
mask=on|off  scale=on|off   where they differ from the example's own
values=3                columns of W_V
query=2                 whose lookup is made softer or sharper, and sharp=0|…|inf how much
lesson=blur             the experiment that set this up
d=64 scores=random|six draw=0   of the panel “Why √d”
"""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from attnlab.analysis.scaling import DRAWS
from attnlab.attention.because import COMPUTED, Cell
from attnlab.attention.steps import TYPED, Worked
from attnlab.ui import steps_edits
from attnlab.ui.own_link import Page, Reader, one_of, whole
from attnlab.ui.steps_edits import Edits
from attnlab.ui.steps_presets import NAMES, Preset, preset
from attnlab.viz.steps import STEPS

Panel = Literal["by-hand", "real", "why"]

PANELS: Final[tuple[Panel, ...]] = ("by-hand", "real", "why")
HEADS: Final = (1, 2)
VALUES: Final = (1, 2, 3, 4, 5, 6)
"""How many columns W_V may have."""
SHARPNESS: Final = ("0", "0.25", "0.5", "1", "2", "4", "8", "16", "32", "inf")
"""From an even blend to a single match; 1 is attention as it is."""


@dataclass(frozen=True)
class StepByStep:
    """The panel that is open, and what each of them was set to.

    None is the example's own. Of the panel “By hand”: everything up to ``lesson``, which is also
    the other panels'. Of the panel “Why √d”: ``d``, ``scores``, ``draw``.
    """

    panel: Panel = "by-hand"
    preset: str = "tired"
    step: str = "x"
    cells: Edits = ()
    cell: Cell | None = None
    heads: int | None = None
    causal: bool | None = None
    scaled: bool | None = None
    values: int | None = None
    query: int | None = None
    sharp: str = "1"
    lesson: str = ""
    d: int = 64
    scores: Literal["random", "six"] = "random"
    draw: int = 0


@dataclass(frozen=True)
class Example:
    """A worked example as it is shown.

    Attributes:
        preset: where it started.
        worked: its numbers, after every choice and edit.
        plain: the same before the edits.
        cells: the edits that fit it.
        problems: a sentence for what does not.
    """

    preset: Preset
    worked: Worked
    plain: Worked
    cells: Edits
    problems: tuple[str, ...] = ()


def example_of(value: StepByStep) -> Example:
    """The example that is chosen, with what was changed in it."""
    start = preset(value.preset)
    plain = with_heads(start.example, value.heads, value.values)
    plain = replace(
        plain,
        causal=plain.causal if value.causal is None else value.causal,
        scaled=plain.scaled if value.scaled is None else value.scaled,
    )
    worked, left = steps_edits.applied(plain, value.cells)
    problems = ()
    if left:
        many = "an edited cell" if len(left) == 1 else f"{len(left)} edited cells"
        problems = (f"This example has no place for {many}, so it keeps its own numbers there.",)
    kept = tuple(edit for edit in value.cells if edit not in left)
    return Example(start, worked, plain, kept, problems)


def with_heads(example: Worked, heads: int | None, values: int | None) -> Worked:
    """The example with its columns cut into so many heads, and so many columns of W_V.

    Two heads share an even number of columns: one more where there is an odd one.
    """
    heads = example.heads if heads is None else heads
    wide = replace(example, heads=1)  # any number of columns fits one head
    columns = example.size("w_v")[1] if values is None else values
    wide = wide.with_values(columns + columns % heads)
    return replace(wide, heads=heads)


def _read_cell(given: str) -> Cell:
    match = re.fullmatch(r"([a-z_]{1,8})\.([0-9])\.([0-9]{1,2})\.([0-9]{1,2})", given)
    if match is None or match[1] not in (*TYPED, *COMPUTED):
        raise ValueError("is not a cell such as weights.0.3.1")
    return Cell(match[1], int(match[3]), int(match[4]), int(match[2]))


def _write_cell(cell: Cell) -> str:
    return f"{cell.matrix}.{cell.head}.{cell.row}.{cell.column}"


def _maybe_switch(field: str) -> Reader:
    """on or off; anything that is not said is the example's own."""

    def read(given: str) -> bool:
        if given not in ("on", "off"):
            raise ValueError("is neither on nor off")
        return given == "on"

    return field, read, lambda value: "on" if value else "off"


def _read_lesson(given: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]{0,40}", given):
        raise ValueError("is not the name of an experiment")
    return given


STEP_BY_STEP: Final = Page(
    "step-by-step",
    StepByStep(),
    {
        "show": one_of("panel", PANELS),
        "preset": one_of("preset", NAMES),
        "step": one_of("step", STEPS),
        "cells": ("cells", steps_edits.read, steps_edits.write),
        "cell": ("cell", _read_cell, _write_cell),
        "cut": whole("heads", HEADS[0], HEADS[-1]),
        "mask": _maybe_switch("causal"),
        "scale": _maybe_switch("scaled"),
        "values": whole("values", VALUES[0], VALUES[-1]),
        "query": whole("query", 0, 99),
        "sharp": one_of("sharp", SHARPNESS),
        "lesson": ("lesson", _read_lesson, str),
        "d": whole("d", 1, 4096),
        "scores": one_of("scores", ("random", "six")),
        "draw": whole("draw", 0, DRAWS - 1),
    },
)

"""The experiments of the open panel: a row of buttons, and the sentence of the one that is open."""

from dataclasses import fields
from functools import partial

from attnlab.ui import own, state, steps_lessons
from attnlab.ui.cards import tryrow
from attnlab.ui.cards.tryrow import Button
from attnlab.ui.selection import Selection
from attnlab.ui.steps_lessons import Stage
from attnlab.ui.steps_selection import STEP_BY_STEP, StepByStep


def draw(selection: Selection, value: StepByStep) -> None:
    """The row, and what to look for."""
    open_now = steps_lessons.active(value, selection)
    lesson, shown = (None, None) if open_now is None else open_now
    buttons = [
        Button(one.name, one.title, one == lesson, partial(_open, one.stages[0]))
        for one in steps_lessons.of(value.panel)
    ]
    stages = [
        Button(one.name, one.title, one == shown, partial(_open, one))
        for one in (() if lesson is None else lesson.stages)
    ]
    tryrow.draw(buttons, None if shown is None else shown.look_for, stages)


def _open(opens: Stage) -> None:
    """Opens a stage; what it does not speak of in the shared selection stays."""
    if opens.shared:
        state.choose(**opens.shared)
    changes = {one.name: getattr(opens.value, one.name) for one in fields(StepByStep)}
    own.choose(STEP_BY_STEP, **changes)

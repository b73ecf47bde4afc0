"""What a link asks of the page Step by step, put right where the example has no such thing."""

from attnlab.attention.because import Cell, why
from attnlab.attention.steps import Worked, work
from attnlab.errors import InputError
from attnlab.ui import lesson_links, own, state, steps_lessons
from attnlab.ui.steps_selection import STEP_BY_STEP, StepByStep, example_of


def fitted(value: StepByStep) -> StepByStep:
    """The values with which the page can be drawn; what did not fit is said in a sentence each."""
    found = steps_lessons.named(value.lesson)
    value = lesson_links.whole(STEP_BY_STEP, value, None if found is None else found[1])
    open_now = steps_lessons.active(value, state.current())
    return _in_example(lesson_links.kept(STEP_BY_STEP, value, open_now))


def _in_example(value: StepByStep) -> StepByStep:
    """Edits, cell, query and columns that the example has."""
    example = example_of(value)
    linked = own.opened(STEP_BY_STEP)  # what a switch has left behind needs no sentence
    if example.problems:
        value = own.correct(STEP_BY_STEP, example.problems[0], cells=example.cells)
    if value.cell is not None and not _has(example.worked, value.cell):
        value = own.correct(STEP_BY_STEP, "This example has no such cell to choose.", cell=None)
    queries = len(example.worked.tokens) * example.worked.heads
    if (value.query or 0) >= queries:
        doubt = f"This example has {queries} queries and none numbered {value.query}."
        value = own.correct(STEP_BY_STEP, doubt if linked else "", query=None)
    columns = example.worked.size("w_v")[1]
    if value.values not in (None, columns):
        doubt = f"Two heads share an even number of columns, so W_V has {columns} here."
        value = own.correct(STEP_BY_STEP, doubt if linked else "", values=columns)
    return value


def _has(worked: Worked, cell: Cell) -> bool:
    try:
        why(work(worked), cell)
    except InputError:
        return False
    return True

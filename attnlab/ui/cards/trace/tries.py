"""The experiments of the page Trace a prediction, and the sentence of the one that is open."""

from attnlab.ui import trace_lessons as lessons
from attnlab.ui.cards import tryrow
from attnlab.ui.selection import Selection
from attnlab.ui.trace_selection import TRACE, Traced


def draw(selection: Selection, value: Traced) -> None:
    """The row, and what to look for; what an experiment does not speak of stays."""
    open_now = lessons.active(value, selection)
    tryrow.of_page(TRACE, lessons.LESSONS, open_now, lessons.set_up)

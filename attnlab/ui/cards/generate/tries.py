"""The experiments of the page Generate, and the sentence of the one that is open."""

from attnlab.ui import generate_lessons as lessons
from attnlab.ui.cards import tryrow
from attnlab.ui.generate_selection import GENERATE, Generate
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Generate) -> None:
    """The row, and what to look for; what an experiment does not speak of stays."""
    open_now = lessons.active(value, selection)
    tryrow.of_page(GENERATE, lessons.LESSONS, open_now, lessons.set_up)

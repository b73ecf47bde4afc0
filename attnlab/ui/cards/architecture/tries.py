"""The experiments of the Architecture page, and the sentence of the one that is open."""

from attnlab.ui import architecture_lessons as lessons
from attnlab.ui.architecture_selection import ARCHITECTURE, Architecture
from attnlab.ui.cards import tryrow
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Architecture) -> None:
    """The row, and what to look for; what an experiment does not speak of stays."""
    open_now = lessons.active(value, selection)
    tryrow.of_page(ARCHITECTURE, lessons.LESSONS, open_now, lessons.set_up)

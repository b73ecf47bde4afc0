"""The experiments of the page Ablate, and the sentence of the one that is open."""

from attnlab.ui import ablate_lessons as lessons
from attnlab.ui.ablate_selection import ABLATE, Ablate
from attnlab.ui.cards import tryrow
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Ablate) -> None:
    """The row, and what to look for; what an experiment does not speak of stays."""
    open_now = lessons.active(value, selection)
    tryrow.of_page(ABLATE, lessons.LESSONS, open_now, lessons.set_up)

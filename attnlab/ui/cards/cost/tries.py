"""The experiments of the page Cost, and the sentence of the one that is open."""

from attnlab.ui import cost_lessons as lessons
from attnlab.ui.cards import tryrow
from attnlab.ui.cost_selection import COST, Cost
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Cost) -> None:
    """The row, and what to look for; what an experiment does not speak of stays."""
    open_now = lessons.active(value, selection)
    tryrow.of_page(COST, lessons.LESSONS, open_now, lessons.set_up)

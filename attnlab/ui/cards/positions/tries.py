"""The experiments of the Positions page, and the sentence of the one that is open."""

from attnlab.ui import positions_lessons as lessons
from attnlab.ui.cards import tryrow
from attnlab.ui.positions_selection import POSITIONS, Positions
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Positions) -> None:
    """The row, and what to look for; what an experiment does not speak of stays."""
    open_now = lessons.active(value, selection)
    tryrow.of_page(POSITIONS, lessons.LESSONS, open_now, lessons.set_up)

"""The experiments of the page Masks, and the sentence of the one that is open."""

from attnlab.ui import masks_lessons as lessons
from attnlab.ui.cards import tryrow
from attnlab.ui.masks_selection import MASKS, Masks
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Masks) -> None:
    """The row, and what to look for; what an experiment does not speak of stays."""
    open_now = lessons.active(value, selection)
    tryrow.of_page(MASKS, lessons.LESSONS, open_now, lessons.set_up)

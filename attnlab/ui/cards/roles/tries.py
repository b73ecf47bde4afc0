"""The experiments of the page Head roles, and the sentence of the one that is open."""

from attnlab.ui import roles_lessons as lessons
from attnlab.ui.cards import tryrow
from attnlab.ui.roles_selection import HEAD_ROLES, Roles
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Roles) -> None:
    """The row, and what to look for."""
    open_now = lessons.active(value, selection)
    tryrow.of_page(HEAD_ROLES, lessons.LESSONS, open_now, lessons.set_up)

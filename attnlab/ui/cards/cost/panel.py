"""The page Cost below its experiments."""

from attnlab.ui.cards.cost import growth
from attnlab.ui.cost_selection import Cost
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Cost) -> None:
    """The panel that is open.

    Raises:
        AttnLabError: something cannot be shown; the message says why.
    """
    if value.panel == "growth":
        growth.draw(value)

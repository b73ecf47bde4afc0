"""The page Cost below its experiments."""

from attnlab.ui.cards.cost import cache, growth, recall, tiles, why
from attnlab.ui.cost_selection import Cost
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Cost) -> None:
    """The panel that is open.

    Raises:
        AttnLabError: something cannot be shown; the message says why.
    """
    if value.panel == "growth":
        growth.draw(value)
    elif value.panel == "tiles":
        tiles.draw(selection, value)
    elif value.panel == "cache":
        cache.draw(selection, value)
    elif value.panel == "recall":
        recall.draw(value)
    elif value.panel == "why":
        why.draw(value)

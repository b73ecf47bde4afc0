"""Which panel of the page Masks is drawn."""

from attnlab.ui.cards.masks import layouts, model, paper, sinks
from attnlab.ui.masks_selection import Masks
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Masks) -> None:
    """The open panel.

    Raises:
        AttnLabError: something cannot be shown; the message says why.
    """
    if value.panel == "paper":
        paper.draw(value)
    elif value.panel == "model":
        model.draw(selection, value)
    elif value.panel == "sinks":
        sinks.draw(selection, value)
    else:
        layouts.draw(selection, value)

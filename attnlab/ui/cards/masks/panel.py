"""Which panel of the page Masks is drawn."""

from attnlab.ui.cards.masks import paper
from attnlab.ui.masks_selection import Masks
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Masks) -> None:
    """The open panel.

    Raises:
        AttnLabError: something cannot be shown; the message says why.
    """
    if value.panel == "paper":
        paper.draw(value)

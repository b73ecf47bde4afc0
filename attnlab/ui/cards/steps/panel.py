"""What stands on the page Step by step, as its switch says."""

from typing import Final

from attnlab.ui.cards.steps import hand, real, scaling
from attnlab.ui.selection import Selection
from attnlab.ui.steps_selection import StepByStep

TITLES: Final = {"by-hand": "By hand", "real": "A real head", "why": "Why √d"}


def draw(selection: Selection, value: StepByStep) -> None:
    """The open panel.

    Args:
        selection: what all pages share: the model, the texts, the head.
        value: what this page has of its own.
    """
    if value.panel == "by-hand":
        hand.draw(value)
    elif value.panel == "real":
        real.draw(selection)
    else:
        scaling.draw(value)

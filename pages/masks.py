"""Masks: who may look at whom, on paper and in a pretrained model, and what it costs."""

from pathlib import Path
from typing import Final

from attnlab.ui import frame, masks_lessons, opening
from attnlab.ui.cards.masks import panel
from attnlab.ui.masks_selection import MASKS

_TITLES: Final = {
    "paper": "On paper",
    "model": "In the model",
    "sinks": "Why sinks stay",
    "layouts": "Layouts",
}

frame.ensure(Path(__file__).parents[1] / "app.py")
chosen, shown = opening.opened(
    MASKS,
    masks_lessons,
    "Masks",
    "Who may look at whom, and what it costs to look at less.",
    opening.Switch("panel", _TITLES),
)
frame.attempt(lambda: panel.draw(chosen, shown))

"""Positions: how a model knows where a word stands, and what happens when it does not."""

from pathlib import Path
from typing import Final

from attnlab.ui import frame, opening, positions_lessons
from attnlab.ui.cards.positions import distance, family, model, order, schemes
from attnlab.ui.positions_selection import POSITIONS

_TITLES: Final = {
    "schemes": "Schemes",
    "order": "Dog bites man",
    "distance": "Distance",
    "model": "In the model",
    "family": "Five schemes",
}

frame.ensure(Path(__file__).parents[1] / "app.py")
chosen, shown = opening.opened(
    POSITIONS,
    positions_lessons,
    "Positions",
    "Attention sees a set of words. This is how it learns their order.",
    opening.Switch("panel", _TITLES),
)
if shown.panel == "schemes":
    frame.attempt(lambda: schemes.draw(chosen, shown))
elif shown.panel == "order":
    frame.attempt(lambda: order.draw(chosen, shown))
elif shown.panel == "distance":
    frame.attempt(lambda: distance.draw(shown))
elif shown.panel == "model":
    frame.attempt(lambda: model.draw(chosen, shown))
elif shown.panel == "family":
    frame.attempt(lambda: family.draw(shown))

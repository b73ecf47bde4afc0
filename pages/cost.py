"""Cost: what attention costs, how it is made cheaper, and what that gives up."""

from pathlib import Path
from typing import Final

from attnlab.ui import cost_lessons, frame, opening
from attnlab.ui.cards.cost import panel
from attnlab.ui.cost_selection import COST

_TITLES: Final = {
    "growth": "n²",
    "tiles": "FlashAttention",
    "cache": "The cache",
    "recall": "What the cheap ones give up",
    "why": "Why it won",
}

frame.ensure(Path(__file__).parents[1] / "app.py")
chosen, shown = opening.opened(
    COST,
    cost_lessons,
    "Cost",
    "What attention costs, measured on this machine, and what a cheaper one gives up.",
    opening.Switch("panel", _TITLES),
)
frame.attempt(lambda: panel.draw(chosen, shown))

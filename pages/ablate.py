"""Ablate: what each head does, exactly, and what is left without those that are taken away."""

from pathlib import Path

from attnlab.ui import ablate_lessons, frame, opening
from attnlab.ui.ablate_selection import ABLATE
from attnlab.ui.cards.ablate import panel

frame.ensure(Path(__file__).parents[1] / "app.py")
chosen, shown = opening.opened(
    ABLATE,
    ablate_lessons,
    "Ablate",
    "Take heads away, and see what the model can no longer do.",
)
frame.attempt(lambda: panel.draw(chosen, shown))

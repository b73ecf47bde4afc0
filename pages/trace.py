"""Trace a prediction: which layer knew, which part moved it, and what happens without it."""

from pathlib import Path
from typing import Final

from attnlab.ui import frame, opening, trace_lessons
from attnlab.ui.cards.trace import panel
from attnlab.ui.trace_selection import TRACE

_TITLES: Final = {
    "one": "One prediction",
    "pair": "A against B",
    "word": "A word in A and B",
    "head": "Inside a head",
}

frame.ensure(Path(__file__).parents[1] / "app.py")
chosen, shown = opening.opened(
    TRACE,
    trace_lessons,
    "Trace a prediction",
    "Which layer knew, what moved it, and what happens without that.",
    opening.Switch("view", _TITLES),
)
frame.attempt(lambda: panel.draw(chosen, shown))

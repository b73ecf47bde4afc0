"""Step by step: self-attention one step at a time, by hand and in a real head."""

from functools import partial
from pathlib import Path

from attnlab.ui import frame, opening, own, state
from attnlab.ui.cards.steps import panel, tries
from attnlab.ui.steps_fit import fitted
from attnlab.ui.steps_selection import STEP_BY_STEP

frame.ensure(Path(__file__).parents[1] / "app.py")
shown = fitted(own.restore(STEP_BY_STEP))
chosen = state.current()
state.publish(chosen)
own.publish(STEP_BY_STEP, shown)
opening.top(
    STEP_BY_STEP,
    "Step by step",
    "Attention one step at a time, every number computed from the last.",
    partial(tries.draw, chosen, shown),
    opening.Switch("panel", panel.TITLES),
)
panel.draw(chosen, shown)

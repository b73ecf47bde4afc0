"""Step by step: self-attention one step at a time, by hand and in a real head."""

from pathlib import Path

import streamlit as st

from attnlab.ui import frame, own, state
from attnlab.ui.cards.steps import panel, tries
from attnlab.ui.steps_fit import fitted
from attnlab.ui.steps_selection import PANELS, STEP_BY_STEP

frame.ensure(Path(__file__).parents[1] / "app.py")
shown = fitted(own.restore(STEP_BY_STEP))
chosen = state.current()
state.publish(chosen)
own.publish(STEP_BY_STEP, shown)
frame.title("Step by step", "Attention one step at a time, every number computed from the last.")
tries.draw(chosen, shown)
with st.container(key="switch"):
    st.segmented_control(
        "What stands here",
        PANELS,
        key=own.seeded(STEP_BY_STEP, "panel"),
        required=True,
        format_func=panel.TITLES.get,
        label_visibility="collapsed",
    )
frame.troubles(STEP_BY_STEP)
panel.draw(chosen, shown)

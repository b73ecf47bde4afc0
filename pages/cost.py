"""Cost: what attention costs, how it is made cheaper, and what that gives up."""

from pathlib import Path
from typing import Final

import streamlit as st

from attnlab.ui import cost_lessons, frame, lesson_links, own, state
from attnlab.ui.cards.cost import panel, tries
from attnlab.ui.cost_selection import COST, PANELS

_TITLES: Final = {
    "growth": "n²",
    "tiles": "FlashAttention",
    "cache": "The cache",
    "recall": "What the cheap ones give up",
    "why": "Why it won",
}

frame.ensure(Path(__file__).parents[1] / "app.py")
shown = own.restore(COST)
shown = lesson_links.whole(COST, shown, cost_lessons.named(shown.lesson))
chosen = state.current()
shown = lesson_links.kept(COST, shown, cost_lessons.active(shown, chosen))
state.publish(chosen)
own.publish(COST, shown)
frame.title(
    "Cost", "What attention costs, measured on this machine, and what a cheaper one gives up."
)
with st.container():
    tries.draw(chosen, shown)
with st.container(key="switch"):
    st.segmented_control(
        "What stands here",
        PANELS,
        key=own.seeded(COST, "panel"),
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
    )
with st.container():
    frame.troubles(COST)
frame.attempt(lambda: panel.draw(chosen, shown))

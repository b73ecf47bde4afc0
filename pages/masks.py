"""Masks: who may look at whom, on paper and in a pretrained model, and what it costs."""

from pathlib import Path
from typing import Final

import streamlit as st

from attnlab.ui import frame, lesson_links, masks_lessons, own, state
from attnlab.ui.cards.masks import panel, tries
from attnlab.ui.masks_selection import MASKS, PANELS

_TITLES: Final = {
    "paper": "On paper",
    "model": "In the model",
    "sinks": "Why sinks stay",
    "layouts": "Layouts",
}

frame.ensure(Path(__file__).parents[1] / "app.py")
shown = own.restore(MASKS)
shown = lesson_links.whole(MASKS, shown, masks_lessons.named(shown.lesson))
chosen = state.current()
shown = lesson_links.kept(MASKS, shown, masks_lessons.active(shown, chosen))
state.publish(chosen)
own.publish(MASKS, shown)
frame.title("Masks", "Who may look at whom, and what it costs to look at less.")
# What follows keeps its place, and with it the focus, when a sentence comes or goes above it.
with st.container():
    tries.draw(chosen, shown)
with st.container(key="switch"):
    st.segmented_control(
        "What stands here",
        PANELS,
        key=own.seeded(MASKS, "panel"),
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
    )
with st.container():
    frame.troubles(MASKS)
frame.attempt(lambda: panel.draw(chosen, shown))

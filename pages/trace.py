"""Trace a prediction: which layer knew, which part moved it, and what happens without it."""

from pathlib import Path
from typing import Final

import streamlit as st

from attnlab.ui import frame, lesson_links, own, state, trace_lessons
from attnlab.ui.cards.trace import panel, tries
from attnlab.ui.trace_selection import TRACE, VIEWS

_TITLES: Final = {
    "one": "One prediction",
    "pair": "A against B",
    "word": "A word in A and B",
    "head": "Inside a head",
}

frame.ensure(Path(__file__).parents[1] / "app.py")
shown = own.restore(TRACE)
shown = lesson_links.whole(TRACE, shown, trace_lessons.named(shown.lesson))
chosen = state.current()
shown = lesson_links.kept(TRACE, shown, trace_lessons.active(shown, chosen))
state.publish(chosen)
own.publish(TRACE, shown)
frame.title("Trace a prediction", "Which layer knew, what moved it, and what happens without that.")
with st.container():
    tries.draw(chosen, shown)
with st.container(key="switch"):
    st.segmented_control(
        "What stands here",
        VIEWS,
        key=own.seeded(TRACE, "view"),
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
    )
with st.container():
    frame.troubles(TRACE)
frame.attempt(lambda: panel.draw(chosen, shown))

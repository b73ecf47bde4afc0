"""Architecture: what a transformer is made of, who sees what in it, and why it won."""

from pathlib import Path
from typing import Final

import streamlit as st

from attnlab.ui import frame, own, state
from attnlab.ui.architecture_selection import ARCHITECTURE, PANELS
from attnlab.ui.cards.architecture import sees

_TITLES: Final = {
    "block": "The block",
    "heads": "Heads and cache",
    "sees": "Who sees what",
    "cross": "Cross-attention",
    "why": "Why it won",
}

frame.ensure(Path(__file__).parents[1] / "app.py")
chosen = state.current()
shown = own.restore(ARCHITECTURE)
state.publish(chosen)
own.publish(ARCHITECTURE, shown)
frame.title("Architecture", "What a transformer is made of, and who sees what in it.")
frame.troubles(ARCHITECTURE)
with st.container(key="switch"):
    st.segmented_control(
        "What stands here",
        PANELS,
        key=own.seeded(ARCHITECTURE, "panel"),
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
    )


def show() -> None:
    if shown.panel == "sees":
        st.text_input("Sentence A", key=state.seeded("a"), label_visibility="collapsed")
        sees.draw(chosen)


frame.attempt(show)

"""Positions: how a model knows where a word stands, and what happens when it does not."""

from pathlib import Path
from typing import Final

import streamlit as st

from attnlab.ui import frame, lesson_links, own, positions_lessons, state
from attnlab.ui.cards.positions import distance, family, model, order, schemes, tries
from attnlab.ui.positions_selection import PANELS, POSITIONS

_TITLES: Final = {
    "schemes": "Schemes",
    "order": "Dog bites man",
    "distance": "Distance",
    "model": "In the model",
    "family": "Five schemes",
}

frame.ensure(Path(__file__).parents[1] / "app.py")
shown = own.restore(POSITIONS)
shown = lesson_links.whole(POSITIONS, shown, positions_lessons.named(shown.lesson))
chosen = state.current()
shown = lesson_links.kept(POSITIONS, shown, positions_lessons.active(shown, chosen))
state.publish(chosen)
own.publish(POSITIONS, shown)
frame.title("Positions", "Attention sees a set of words. This is how it learns their order.")
tries.draw(chosen, shown)
with st.container(key="switch"):
    st.segmented_control(
        "What stands here",
        PANELS,
        key=own.seeded(POSITIONS, "panel"),
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
    )
frame.troubles(POSITIONS)

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

"""Generate: attention over a text while the model writes it, token by token."""

from pathlib import Path
from typing import Final

import streamlit as st

from attnlab.ui import frame, generate_lessons, generate_play, lesson_links, own, state
from attnlab.ui.cards.generate import panel, tries
from attnlab.ui.generate_selection import GENERATE, RUNS

_TITLES: Final = {"one": "One run", "edited": "Plain and edited", "two": "Two prompts"}

frame.ensure(Path(__file__).parents[1] / "app.py")
shown = own.restore(GENERATE)
shown = lesson_links.whole(GENERATE, shown, generate_lessons.named(shown.lesson))
chosen = state.current()
shown = lesson_links.kept(GENERATE, shown, generate_lessons.active(shown, chosen))
shown = generate_play.begun(shown, chosen)
state.publish(chosen)
if not generate_play.playing():
    own.publish(GENERATE, shown)
frame.title("Generate", "One token at a time: where it looks, what may come, what is kept.")
with st.container():
    tries.draw(chosen, shown)
with st.container(key="switch"):
    st.segmented_control(
        "What is written",
        RUNS,
        key=own.seeded(GENERATE, "runs"),
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
    )
with st.container():
    frame.troubles(GENERATE)
frame.attempt(lambda: panel.draw(chosen, shown))
generate_play.go_on()

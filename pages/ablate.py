"""Ablate: what each head does, exactly, and what is left without those that are taken away."""

from pathlib import Path

import streamlit as st

from attnlab.ui import ablate_lessons, frame, lesson_links, own, state
from attnlab.ui.ablate_selection import ABLATE
from attnlab.ui.cards.ablate import panel, tries

frame.ensure(Path(__file__).parents[1] / "app.py")
shown = own.restore(ABLATE)
shown = lesson_links.whole(ABLATE, shown, ablate_lessons.named(shown.lesson))
chosen = state.current()
shown = lesson_links.kept(ABLATE, shown, ablate_lessons.active(shown, chosen))
state.publish(chosen)
own.publish(ABLATE, shown)
frame.title("Ablate", "Take heads away, and see what the model can no longer do.")
# What follows keeps its place, and with it the focus, when a sentence comes or goes above it.
with st.container():
    tries.draw(chosen, shown)
with st.container():
    frame.troubles(ABLATE)
frame.attempt(lambda: panel.draw(chosen, shown))

"""The experiments of the Positions page, and the sentence of the one that is open."""

import streamlit as st

from attnlab.ui import own, positions_lessons, say, state
from attnlab.ui.positions_lessons import Lesson
from attnlab.ui.positions_selection import POSITIONS, Positions
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Positions) -> None:
    """The row, and what to look for."""
    open_now = positions_lessons.active(value, selection)
    with st.container(horizontal=True, vertical_alignment="center", key="tries", gap="xsmall"):
        st.html('<span class="al-section">Try</span>', width="content")
        for lesson in positions_lessons.LESSONS:
            mine = "on-" if lesson == open_now else ""
            key = f"try-{mine}{lesson.name}"
            st.button(lesson.title, key=key, on_click=_open, args=(lesson,))
    if open_now is not None:
        with st.container(key="look-for", gap="xsmall"):
            say.remark(open_now.look_for, "look-for")


def _open(lesson: Lesson) -> None:
    """Opens an experiment; what it does not speak of stays."""
    if lesson.shared:
        state.choose(**lesson.shared)
    own.choose(POSITIONS, lesson=lesson.name, **positions_lessons.set_up(lesson))

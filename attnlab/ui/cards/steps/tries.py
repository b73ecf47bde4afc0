"""The experiments of the open panel: a row of buttons, and the sentence of the one that is open."""

from dataclasses import fields

import streamlit as st

from attnlab.ui import own, say, state, steps_lessons
from attnlab.ui.selection import Selection
from attnlab.ui.steps_lessons import Stage
from attnlab.ui.steps_selection import STEP_BY_STEP, StepByStep


def draw(selection: Selection, value: StepByStep) -> None:
    """The row, and what to look for."""
    lessons = steps_lessons.of(value.panel)
    if not lessons:
        return
    open_now = steps_lessons.active(value, selection)
    with st.container(horizontal=True, vertical_alignment="center", key="tries", gap="xsmall"):
        st.html('<span class="al-section">Try</span>', width="content")
        for lesson in lessons:
            mine = open_now is not None and open_now[0] == lesson
            _button(lesson.title, lesson.stages[0], mine, "try")
    if open_now is None:
        return
    lesson, shown = open_now
    with st.container(key="look-for", gap="xsmall"):
        say.remark(shown.look_for, "look-for")
        if len(lesson.stages) > 1:
            with st.container(horizontal=True, gap="xsmall", key="steps-of-try"):
                for one in lesson.stages:
                    _button(one.title, one, one == shown, "step")


def _button(title: str, opens: Stage, on: bool, kind: str) -> None:
    key = f"{kind}-{'on-' if on else ''}{opens.name}"
    st.button(title, key=key, on_click=_open, args=(opens,))


def _open(opens: Stage) -> None:
    """Opens a stage; what it does not speak of in the shared selection stays."""
    if opens.shared:
        state.choose(**opens.shared)
    changes = {one.name: getattr(opens.value, one.name) for one in fields(StepByStep)}
    own.choose(STEP_BY_STEP, **changes)

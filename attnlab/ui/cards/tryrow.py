"""The row of experiments of every page: a button each, and what to look for in the open one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from attnlab.ui import choice, own, say, state
from attnlab.ui.lessons import Course, Lesson
from attnlab.ui.selection import Selection


@dataclass(frozen=True)
class Button:
    """One button.

    Attributes:
        name: of the link, and of its key.
        title: a few words.
        on: whether it is open.
        opens: called when it is clicked.
    """

    name: str
    title: str
    on: bool
    opens: Callable[[], None]


def draw(buttons: Sequence[Button], look_for: str | None, stages: Sequence[Button] = ()) -> None:
    """The row, and the sentence of the experiment that is open.

    Args:
        look_for: that sentence; None where none is open.
        stages: of the open experiment; drawn where there are several.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="tries", gap="xsmall"):
        st.html('<span class="al-section">Try</span>', width="content")
        for button in buttons:
            _button(button, "try")
    if look_for is None:
        return
    with st.container(key="look-for", gap="xsmall"):
        say.remark(look_for, "look-for")
        if len(stages) > 1:
            with st.container(horizontal=True, gap="xsmall", key="steps"):
                for button in stages:
                    _button(button, "step")


def _button(button: Button, kind: str) -> None:
    key = f"{kind}-{'on-' if button.on else ''}{button.name}"
    st.button(button.title, key=key, on_click=button.opens)


def of_page(page: own.Page, course: Course, selection: Selection, value: Any) -> None:
    """The row of a page whose experiments have one stage each; what the open one does not speak of
    stays."""
    open_now = course.active(value, selection)
    buttons = [
        Button(one.name, one.title, one == open_now, partial(_open, page, course, one))
        for one in course.LESSONS
    ]
    draw(buttons, None if open_now is None else open_now.look_for)


def _open(page: own.Page, course: Course, lesson: Lesson) -> None:
    choice.outdate()
    if lesson.shared:
        state.choose(**lesson.shared)
    own.choose(page, lesson=lesson.name, **course.set_up(lesson))

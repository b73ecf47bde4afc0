"""The row of experiments of every page: a button each, and what to look for in the open one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import streamlit as st

from attnlab.ui import choice, own, say, state


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


class Lesson(Protocol):
    """An experiment of one page: what it needs of the selection that all pages share, too."""

    name: str
    title: str
    look_for: str
    shared: Mapping[str, Any]


def of_page(
    page: own.Page,
    lessons: Sequence[Lesson],
    open_now: Lesson | None,
    set_up: Callable[[Lesson], dict[str, Any]],
) -> None:
    """The row of a page whose experiments have one stage each.

    Args:
        set_up: the page's own values that an experiment speaks of; what it does not stays.
    """
    buttons = [
        Button(one.name, one.title, one == open_now, partial(_open, page, one, set_up))
        for one in lessons
    ]
    draw(buttons, None if open_now is None else open_now.look_for)


def _open(page: own.Page, lesson: Lesson, set_up: Callable[[Lesson], dict[str, Any]]) -> None:
    choice.outdate()
    if lesson.shared:
        state.choose(**lesson.shared)
    own.choose(page, lesson=lesson.name, **set_up(lesson))

"""How a page opens: what is asked of it, then its title, its experiments and its switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from attnlab.ui import frame, lesson_links, own, state
from attnlab.ui.cards import tryrow
from attnlab.ui.lessons import Course
from attnlab.ui.own import Page, Value
from attnlab.ui.selection import Selection


@dataclass(frozen=True)
class Switch:
    """The one choice of a page that changes all that stands below it.

    Attributes:
        field: the page's own value that it edits.
        titles: its options, each with what its button says.
        label: what is chosen, for those who hear the page.
    """

    field: str
    titles: Mapping[str, str]
    label: str = "What stands here"


def opened(
    page: Page[Value], course: Course, title: str, about: str, switch: Switch | None = None
) -> tuple[Selection, Value]:
    """Draws the top of a page; returns what is asked of all pages, and of this one.

    Args:
        course: the page's experiments.
        about: one line on what the page shows.
    """
    chosen, value = restored(page, course)
    state.publish(chosen)
    own.publish(page, value)
    top(page, title, about, partial(tryrow.of_page, page, course, chosen, value), switch)
    return chosen, value


def restored(page: Page[Value], course: Course) -> tuple[Selection, Value]:
    """What the address and the widgets ask for.

    A link that names an experiment and nothing else asks for all of it; one that sets up something
    else than is chosen loses its name.
    """
    value = own.restore(page)
    value = lesson_links.whole(page, value, course.named(value.lesson))
    chosen = state.current()
    return chosen, lesson_links.kept(page, value, course.active(value, chosen))


def top(
    page: Page, title: str, about: str, tries: Callable[[], None], switch: Switch | None = None
) -> None:
    """The title, the row of experiments, the switch, and what of a link was not understood."""
    frame.title(title, about)
    # What follows keeps its place, and with it the focus, when a sentence comes or goes above it.
    with st.container():
        tries()
    if switch is not None:
        with st.container(key="switch"):
            st.segmented_control(
                switch.label,
                tuple(switch.titles),
                key=own.seeded(page, switch.field),
                required=True,
                format_func=switch.titles.get,
                label_visibility="collapsed",
            )
    with st.container():
        frame.troubles(page)

"""Which answers are followed, and after which word."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attnlab.ui import answers, own, say
from attnlab.ui.answers import Found
from attnlab.ui.cards.parts import group
from attnlab.ui.trace_selection import MOST_TYPED, TRACE, Traced


def moved(at: int) -> None:
    """Looks at the prediction after another word; a callback."""
    own.choose(TRACE, at=at)


def words(answer: str, other: str) -> None:
    """Boxes of the two answers; what stands in the empty ones is what the model says.

    Args:
        answer, other: shown in boxes that are left empty.
    """
    fields = (("answer", "Answer", "", answer), ("other", "Compared with", "over", other))
    for name, label, shown, hint in fields:
        with group(name):
            st.markdown(shown or label, width="content")
            st.text_input(
                label,
                key=own.seeded(TRACE, name),
                placeholder=hint,
                max_chars=MOST_TYPED,
                label_visibility="collapsed",
                width=150,
            )


def fitting(value: Traced, find: Callable[[Traced], Found]) -> Found:
    """What is found of answers as typed; one that does not fit is left out, and that is said.

    Raises:
        AttnLabError: it is no answer that does not fit, or the work was stopped.
    """
    found, refused = answers.fitting(value, ("answer", "other"), find)
    if refused is not None:
        say.problem(f"{refused} Until then, the likeliest stands in for it.", "answer")
    return found

"""After which word something is predicted, and which answers are followed."""

from __future__ import annotations

import streamlit as st

from attnlab.ui import own
from attnlab.ui.trace_answers import Prediction
from attnlab.ui.trace_selection import MOST_TYPED, TRACE
from attnlab.viz.svg.text import spoken

_POSITION = "trace-after"


def position(of: Prediction) -> None:
    """A box that lists the words of the text."""
    sign = of.where.split()[0]
    st.session_state[_POSITION] = of.position
    st.selectbox(
        "Prediction after",
        range(len(of.tokens)),
        key=_POSITION,
        format_func=lambda at: f"{sign} {at} · {spoken(of.tokens[at]).strip()}",
        on_change=_moved,
        args=(of.usual,),
        label_visibility="collapsed",
        width=190,
    )


def _moved(usual: int) -> None:
    at = st.session_state[_POSITION]
    moved(-1 if at == usual else at)


def moved(at: int) -> None:
    """Looks at the prediction after another word; a callback."""
    own.choose(TRACE, at=at)


def words(answer: str, other: str) -> None:
    """Boxes of the two answers; what stands in the empty ones is what the model says.

    Args:
        answer, other: shown in boxes that are left empty.
    """
    for name, label, hint in (("answer", "Answer", answer), ("other", "Compared with", other)):
        st.text_input(
            label,
            key=own.seeded(TRACE, name),
            placeholder=hint,
            max_chars=MOST_TYPED,
            label_visibility="collapsed",
            width=165,
        )

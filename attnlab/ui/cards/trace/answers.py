"""After which word something is predicted, and which answers are followed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attnlab.ui import answers, own, say, widget
from attnlab.ui.answers import Found
from attnlab.ui.cards.parts import group
from attnlab.ui.trace_answers import Prediction
from attnlab.ui.trace_selection import MOST_TYPED, TRACE, Traced
from attnlab.viz.svg.text import spoken


def position(of: Prediction) -> None:
    """A box that lists the words of the text."""
    sign = of.where.split()[0]
    key = widget.mirrored("trace-after", of.position)
    st.selectbox(
        "Prediction after",
        range(len(of.tokens)),
        key=key,
        format_func=lambda at: f"{sign} {at} · {spoken(of.tokens[at]).strip()}",
        on_change=_moved,
        args=(key, of.usual),
        label_visibility="collapsed",
        width=190,
    )


def _moved(key: str, usual: int) -> None:
    at = st.session_state[key]
    moved(-1 if at == usual else at)


def there(value: Traced, count: int) -> Traced:
    """With a token that the text has; that another was asked for is said."""
    if value.at < count:
        return value
    say.problem(f"Sentence A has no token {value.at:,}; the last is {count - 1}.", "at")
    value = own.correct(TRACE, at=-1)
    own.publish(TRACE, value)
    return value


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

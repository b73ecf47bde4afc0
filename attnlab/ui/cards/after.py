"""After which word of sentence A something is predicted: a choice of Ablate and of Trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attnlab.ui import own, say, widget
from attnlab.ui.own import Page, Value
from attnlab.viz.svg.text import spoken


def box(page: Page, sign: str, tokens: Sequence[Any], position: int, usual: int) -> None:
    """A box that lists the words of the text.

    Args:
        page: its value ``at`` is chosen: a token, or -1 where the usual one is.
        sign: "after", or "at" where a word is filled in.
        position: the token that is shown; ``usual``: the one that is before anything is chosen.
    """
    key = widget.mirrored(f"{page.name}-after", position)
    st.selectbox(
        "Prediction after",
        range(len(tokens)),
        key=key,
        format_func=lambda at: f"{sign} {at} · {spoken(tokens[at]).strip()}",
        on_change=_moved,
        args=(page, key, usual),
        label_visibility="collapsed",
        width=190,
    )


def _moved(page: Page, key: str, usual: int) -> None:
    at = st.session_state[key]
    own.choose(page, at=-1 if at == usual else at)


def there(page: Page[Value], value: Value, count: int) -> Value:
    """With a token that the text has; that another was asked for is said."""
    if value.at < count:
        return value
    say.problem(f"Sentence A has no token {value.at:,}; the last is {count - 1}.", "at")
    value = own.correct(page, at=-1)
    own.publish(page, value)
    return value

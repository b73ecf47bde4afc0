"""Sentences on a page that may quote what someone typed: always literal, never Markdown."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui.hosting import public

Found = TypeVar("Found")


def problem(sentence: str, key: str) -> None:
    """One clear sentence on what cannot be shown and what would help."""
    with st.container(key=f"problem-{key}"):
        st.text(public(sentence), width="stretch")


def remark(sentence: str, key: str, help: str | None = None) -> None:
    """A quiet sentence beside a picture; `help` is our own Markdown, never what someone typed."""
    with st.container(key=f"remark-{key}"):
        st.text(public(sentence), width="stretch", help=help)


def pill(words: str, key: str) -> None:
    """A few words in a rounded badge."""
    with st.container(key=f"pill-{key}", width="content"):
        st.text(public(words))


def unless_refused(show: Callable[[], Found], key: str) -> Found | None:
    """One part of a page; where it is refused, a sentence and None: the others still stand.

    Raises:
        Cancelled: the work was stopped, which is said of the page as a whole.
    """
    try:
        return show()
    except Cancelled:
        raise
    except AttnLabError as error:
        problem(str(error), key)
        return None

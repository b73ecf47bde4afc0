"""Sentences on a page that may quote what someone typed: always literal, never Markdown."""

import streamlit as st

from attnlab.ui.hosting import public


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

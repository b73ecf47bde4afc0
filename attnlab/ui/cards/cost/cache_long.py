"""Caches that forget: a long text read with a window, and with sinks, and what each costs."""

from __future__ import annotations

import streamlit as st

from attnlab.ui import engine, say
from attnlab.ui.cost_selection import Cost


def draw(value: Cost, reader: engine.Reader, writes: bool) -> None:
    """Loss by position under each cache."""
    st.markdown("**Caches that forget**")
    if not writes:
        say.remark(f"{reader.title} does not write a text on from left to right.", "long-none")

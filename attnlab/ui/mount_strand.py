"""A text that is being written, mounted: the word that is looked from comes back to the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from attnlab.ui.choice import index
from attnlab.ui.register import register
from attnlab.viz.strand import strand_payload

_STRAND = register("strand")


def strand(key: str, *, on_change: Callable[[], None], **options: Any) -> None:
    """Draws the text; ``key`` is the Streamlit key.

    Args:
        on_change: called, before the script runs, when a word is chosen; asks
            :func:`strand_value`.
        options: as :func:`attnlab.viz.strand.strand_payload` takes them.

    Raises:
        ValueError: something does not fit.
    """
    st.session_state[f"_{key}_words"] = len(options["tokens"])
    _STRAND(key=key, data=strand_payload(**options), on_chosen_change=on_change)


def strand_value(key: str) -> int | None:
    """The word last chosen by hand in ``key``; None before."""
    state = st.session_state.get(key)
    click = state.get("chosen") if isinstance(state, Mapping) else None
    if not isinstance(click, Mapping):
        return None
    return index(click.get("at"), st.session_state.get(f"_{key}_words", 0))

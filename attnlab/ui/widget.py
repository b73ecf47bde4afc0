"""The key of a widget that edits a value which the page may change, too.

A browser sends what all of its widgets hold with every event. Where the page has just chosen a
value, an event that was under way still carries the old one, and would undo the choice. So such a
value gets a widget of another key, and nobody reads what the old one says.
"""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

_TURNS: Final = "_widget_turns"


def key_of(name: str) -> str:
    """The key now of the widget that is called ``name``."""
    turn = st.session_state.get(_TURNS, {}).get(name, 0)
    return f"{name}~{turn}" if turn else name


def held(name: str) -> Any:
    """What the widget holds; None where it was not drawn, or was cleared. Lists come as tuples."""
    value = st.session_state.get(key_of(name))
    return tuple(value) if isinstance(value, list) else value


def seeded(name: str, value: Any) -> str:
    """The key to draw the widget with, holding ``value`` where it is new."""
    key = key_of(name)
    if key not in st.session_state:
        st.session_state[key] = list(value) if isinstance(value, tuple) else value
    return key


def forget(name: str) -> None:
    """Lets the widget start anew from the value that ``seeded`` is given."""
    key = key_of(name)
    if key in st.session_state:
        # The old value stays until Streamlit drops it with its widget: were it deleted, an event
        # under way would look like a change of it, and its callback would find nothing to read.
        turns = st.session_state.get(_TURNS, {})
        st.session_state[_TURNS] = {**turns, name: turns.get(name, 0) + 1}


def renew(name: str, value: Any) -> None:
    """``forget``, where the widget holds something else than ``value``."""
    if held(name) != value:
        forget(name)


def mirrored(name: str, shown: Any) -> str:
    """The key to draw a widget with that always says ``shown``, and whose callback chooses it."""
    renew(name, shown)
    key = key_of(name)
    st.session_state[key] = shown
    return key

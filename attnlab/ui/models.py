"""The model picker and its trust line."""

import os
from collections.abc import Callable
from typing import Final

import streamlit as st

from attnlab.errors import LoadError
from attnlab.pretrained.catalogue import CATALOGUE, lookup
from attnlab.ui import engine, state
from attnlab.ui.selection import DEVICES, DTYPES, Selection

_DTYPE_WORDS: Final = {"auto": "as stored or float32"}


def hosted() -> bool:
    """Whether this server is open to strangers: packaged models only, nothing read from disk."""
    return os.environ.get("ATTNLAB_HOSTED", "") not in ("", "0")


def offered() -> list[str]:
    """Catalogue names on the menu, packaged models first."""
    return [name for name, entry in CATALOGUE.items() if entry.embedded or not hosted()]


def picker(selection: Selection) -> None:
    """The sidebar's choice of a model, and of how it is loaded."""
    options = offered()
    if selection.model not in options and not hosted():
        options.append(selection.model)
    st.selectbox(
        "Model",
        options,
        key=state.seeded("model"),
        format_func=_title,
        accept_new_options=not hosted(),
        label_visibility="collapsed",
        placeholder="A Hub id or a local folder",
        help=None,
    )
    if not hosted():
        st.caption("Or type a Hub id or a folder into the box.")


def precision() -> None:
    """Device and number format, for those who look for them."""
    with st.expander("Precision and device"):
        st.selectbox("Numbers", DTYPES, key=state.seeded("dtype"), format_func=_word(_DTYPE_WORDS))
        st.selectbox("Device", DEVICES, key=state.seeded("device"))


def open_model(selection: Selection) -> engine.Reader:
    """The chosen model, loaded.

    Raises:
        LoadError: it is not offered here, or cannot be loaded.
    """
    if hosted() and selection.model not in offered():
        raise LoadError(
            f"This server offers {', '.join(_title(name) for name in offered())} only, "
            f"so “{selection.model}” was not loaded."
        )
    return engine.reader(selection)


def trust_line(reader: engine.Reader) -> None:
    """What the probe found out about the model, in one line; the rest on demand."""
    trust = reader.lab.trust
    with st.container(key="trust", gap=None):
        with st.container(key=f"verdict-{trust.tier}"):
            st.text(trust.sentence, width="stretch")
        if trust.notes:
            with st.expander("How this was checked"):
                for note in trust.notes:
                    st.text(note, width="stretch")


def _title(name: str) -> str:
    entry = lookup(name)
    if entry is None:
        return name
    return entry.title if entry.embedded else f"{entry.title} · from the Hub"


def _word(words: dict[str, str]) -> Callable[[str], str]:
    return lambda value: words.get(value, value)

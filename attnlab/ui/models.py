"""The model picker and its trust line."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import streamlit as st

from attnlab.errors import LoadError, RebuildRefused
from attnlab.pretrained.catalogue import CATALOGUE, lookup
from attnlab.ui import engine, explain, say, state
from attnlab.ui.hosting import hosted, public
from attnlab.ui.selection import DEVICES, DTYPES, Selection

_DTYPE_WORDS: Final = {"auto": "as stored or float32"}


def offered() -> list[str]:
    """Catalogue names on the menu, embedded models first."""
    return [name for name, entry in CATALOGUE.items() if entry.embedded or not hosted()]


def resolved(typed: str) -> str:
    """The offered model that `typed` means, or `typed` as it is.

    A name, a title or a Hub id in any case and spacing; else the beginning or a part of just one
    name or title ("MiniLM", "GPT-2"). A folder that is there means itself.
    """
    exact = lookup(typed)
    if exact is not None and exact.name in offered():
        return exact.name
    wanted = _plain(typed)
    if len(wanted) < 2 or (not hosted() and _is_folder(typed.strip())):
        return typed
    spelled = {name: _spellings(name) for name in offered()}
    # A path or another owner's Hub id is no part of a name.
    for fits in (str.__eq__,) if "/" in typed else (str.__eq__, str.startswith, str.__contains__):
        found = [name for name, ways in spelled.items() if any(fits(way, wanted) for way in ways)]
        if found:
            return found[0] if len(found) == 1 else typed
    return typed


def _is_folder(typed: str) -> bool:
    try:
        return Path(typed).is_dir()
    except OSError:  # a name longer than the file system takes
        return False


def _spellings(name: str) -> list[str]:
    known = CATALOGUE[name]
    ways = (known.name, known.title, _title(name), known.hub_id)
    return [_plain(way) for way in ways if way]


def _plain(text: str) -> str:
    """Letters and digits only, so that "GPT-2 small" and "gpt2 Small" are one."""
    return "".join(char for char in text.lower() if char.isalnum())


def picker(selection: Selection) -> None:
    """The sidebar's choice of a model, and of how it is loaded."""
    meant = resolved(selection.model)
    if meant != selection.model:
        selection = state.correct(model=meant)
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
    )
    if not hosted():
        st.caption("Or type a Hub id or a folder into the box.")


def transformer() -> None:
    """Whether the model's weights run in our own transformer."""
    st.toggle("Run in our transformer", key=state.seeded("ours"), help=explain.OUR_TRANSFORMER)


def precision() -> None:
    """Device and number format, for those who look for them; a server for many decides itself."""
    if hosted():
        return
    with st.expander("Precision and device"):
        st.selectbox("Numbers", DTYPES, key=state.seeded("dtype"), format_func=_word(_DTYPE_WORDS))
        st.selectbox("Device", DEVICES, key=state.seeded("device"))


def open_model(selection: Selection) -> engine.Reader:
    """The chosen model, loaded; in our transformer where that is wished and possible.

    Where our transformer refuses it, the sidebar says why, and the model itself is shown.

    Raises:
        LoadError: it is not offered here, or cannot be loaded.
    """
    if hosted() and selection.model not in offered():
        # What looks like a path is not said back: it may be somebody's folder in a shared link.
        path = re.search(r"^[~./]|\\|:|/.*/", selection.model.strip())
        refused = "a folder" if path else f"“{selection.model}”"
        raise LoadError(
            f"This server offers {', '.join(_title(name) for name in offered())} only, "
            f"so {refused} was not loaded."
        )
    selection = _as_hosted(selection)
    try:
        return engine.reader(selection)
    except RebuildRefused as error:
        with st.sidebar:
            say.problem(f"{error} The model itself is shown.", "ours")
        return engine.reader(replace(selection, ours=False))


def loaded(selection: Selection) -> engine.Reader:
    """The chosen model, with its trust line in the sidebar.

    Raises:
        AttnLabError: it cannot be loaded.
    """
    reader = open_model(selection)
    with st.sidebar:
        trust_line(reader)
    return reader


def _as_hosted(selection: Selection) -> Selection:
    """`selection` on the device and in the numbers that every session of a server shares."""
    if not hosted() or (selection.device, selection.dtype) == ("auto", "auto"):
        return selection
    problem = "This server chooses the device and the number format itself."
    say.problem(problem, "hosted")
    shared = state.correct(problem, device="auto", dtype="auto")
    state.publish(shared)
    return shared


def trust_line(reader: engine.Reader) -> None:
    """What the probe found out about the model, in one line; the rest on demand."""
    trust = reader.lab.trust
    with st.container(key="trust", gap=None):
        with st.container(key=f"verdict-{trust.tier}"):
            st.text(trust.sentence, width="stretch", help=_checked(trust))
        said = (*trust.notes, *trust.positions)
        if said:
            with st.expander("What the check found"):
                for note in said:
                    st.text(public(note), width="stretch")


def _checked(trust: Any) -> str:
    """What stands behind the trust line."""
    if trust.tier != "ours":
        return explain.TRUST
    return explain.TRUST_OWN if trust.difference is None else explain.TRUST_OURS


def _title(name: str) -> str:
    entry = lookup(name)
    if entry is None:
        return name
    return entry.title if entry.embedded else f"{entry.title} · from the Hub"


def _word(words: dict[str, str]) -> Callable[[str], str]:
    return lambda value: words.get(value, value)

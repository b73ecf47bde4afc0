"""A text of the model's own, which is written before it is read beside caches that forget."""

from __future__ import annotations

from typing import Any

import streamlit as st

from attnlab.ui import engine, say
from attnlab.ui.cards.cost import parts
from attnlab.ui.cards.number import number
from attnlab.ui.cost_selection import COST, HEATS, MOST_SEED, Cost
from attnlab.ui.engine import owntext
from attnlab.ui.engine.owntext import OPENING, Ids

_TAIL = 160
"""Characters that are shown of a text while it is written."""
_HIGH = 120  # CSS pixels of the box that holds all of it


def controls() -> None:
    """How it is drawn."""
    with st.container(horizontal=True, vertical_alignment="center", key="own-drawn"):
        parts.slider("Temperature", "heat", HEATS, "temperature {}".format, 130)
        number(COST, "luck", "Seed", 0, MOST_SEED, width=112)


def written(value: Cost, reader: engine.Reader) -> Ids:
    """The tokens, which appear as they come; then all of the text, and whose it is.

    Raises:
        AttnLabError: the model cannot write, or the work was stopped.
    """
    slot = st.empty()

    def show(part: Ids) -> None:
        with slot.container(key=f"writing-{len(part)}"):
            tail = " ".join(owntext.spelled(reader, part)[-_TAIL:].split())
            say.remark(f"… {tail}", f"writing-{len(part)}")

    ids = owntext.ids_of(reader, value.long, value.heat, value.luck, show)
    with slot.container(key="own-text"):
        with st.container(height=_HIGH, key="own-words"):
            say.remark(owntext.spelled(reader, ids), "own-words")
        say.remark(f"{told(value, reader)} Every token was kept meanwhile.", "own-told")
    return ids


def told(value: Cost, reader: engine.Reader) -> str:
    """Whose text it is, in a sentence."""
    return (
        f"Written by {reader.title} itself after “{OPENING}”, temperature {value.heat:g}, seed "
        f"{value.luck}."
    )


def filed(value: Cost, reader: engine.Reader, ids: Ids) -> dict[str, Any]:
    """The text itself, for the file of the picture."""
    return {"text": {"is": told(value, reader), "tokens": list(ids)}}

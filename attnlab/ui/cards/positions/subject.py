"""The loaded model where it has what is drawn, else one that comes with AttnLab."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from attnlab.errors import StageNotAvailable
from attnlab.ui import engine, models
from attnlab.ui.selection import Selection

Found = TypeVar("Found")


def loaded(selection: Selection) -> engine.Reader:
    """The chosen model, with its trust line in the sidebar.

    Raises:
        AttnLabError: it cannot be loaded.
    """
    reader = models.open_model(selection)
    with st.sidebar:
        models.trust_line(reader)
    return reader


def title_of(reader: engine.Reader) -> str:
    """How a page writes a model's name."""
    return reader.title


def model_with(
    selection: Selection, other: str, read: Callable[[engine.Reader], Found | None]
) -> tuple[engine.Reader, Found | None, str]:
    """What is read off the loaded model, or off ``other`` where it has none.

    Returns:
        The model that is shown, what was read, and a sentence where it is the other one.

    Raises:
        AttnLabError: a model cannot be loaded or read.
    """
    reader = loaded(selection)
    lacks = "has none"
    try:
        found = read(reader)
    except StageNotAvailable:
        # What a model computes in code of its own is not seen before its softmax.
        found, lacks = None, "does not let it be seen"
    if found is not None or reader.key.model == other:
        return reader, found, ""
    stand_in = models.open_model(replace(selection, model=other, ours=False, role=""))
    said = f"{title_of(reader)} {lacks}, so {title_of(stand_in)} stands in."
    return stand_in, read(stand_in), said

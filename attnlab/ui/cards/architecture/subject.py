"""What the Architecture page is about: the loaded model on sentence A, or a preset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from attnlab.analysis.anatomy import Anatomy, of_preset
from attnlab.analysis.sizes import PRESETS, preset
from attnlab.ui import engine, fit, models, own, say, state
from attnlab.ui.architecture_selection import (
    ARCHITECTURE,
    MODEL,
    MODELS,
    MOST_TOKENS,
    Architecture,
)
from attnlab.ui.cards import sentences
from attnlab.ui.cards.parts import role_choice
from attnlab.ui.engine import Passage
from attnlab.ui.export import architecture as files
from attnlab.ui.export.architecture import Source
from attnlab.ui.selection import Selection


@dataclass(frozen=True)
class Subject:
    """What is drawn, how it is called, and where its numbers are from."""

    title: str
    anatomy: Anatomy
    source: Source
    reader: engine.Reader | None = None


_TITLES = {one.name: one.title for one in PRESETS} | {MODEL: "The loaded model"}


def choose(selection: Selection, value: Architecture) -> Callable[[], None]:
    """The switch between the loaded model and the presets, and the text or how long it is.

    Returns:
        What draws the box of an encoder-decoder's target.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="which-model"):
        st.segmented_control(
            "Which model",
            MODELS,
            key=own.seeded(ARCHITECTURE, "of"),
            required=True,
            format_func=_TITLES.get,
            label_visibility="collapsed",
        )
        if value.of != MODEL and value.panel == "block":
            st.number_input(
                "Tokens",
                min_value=1,
                max_value=MOST_TOKENS,
                key=own.seeded(ARCHITECTURE, "tokens"),
                label_visibility="collapsed",
                width=150,
            )
            say.remark("tokens", "tokens")
    typed = value.of == MODEL and value.panel == "block"
    return sentences.draw_one(selection) if typed else (lambda: None)


def found(selection: Selection, value: Architecture, target: Callable[[], None]) -> Subject | None:
    """What the page is about; None, and a sentence, where the model has no block to show.

    Args:
        target: draws the box of what an encoder-decoder writes.

    Raises:
        AttnLabError: the model cannot be loaded, or the text cannot be read.
    """
    one = preset(value.of)
    if one is None:
        return _loaded(selection, value, target)
    source = files.computed(f"the published sizes of {one.title}", one.source)
    return Subject(one.title, of_preset(one, value.tokens), source)


def _loaded(
    selection: Selection, value: Architecture, target: Callable[[], None]
) -> Subject | None:
    reader = models.loaded(selection)
    layers = engine.blocks(reader)
    if not reader.layers or not layers:
        say.remark("No block of this model could be told apart, so none is shown.", "none")
        return None
    on_text = value.panel == "block"
    if reader.writes and on_text:
        target()
    selection = fit.fitted(selection, reader)
    layer = selection.layer if selection.layer in layers else layers[0]
    passage = Passage(selection.a, selection.target_a) if on_text else None
    anatomy = engine.anatomy(reader, passage, layer, "Sentence A")
    return Subject(reader.title, anatomy, files.of_model(reader, passage), reader)


def which_block(of: Subject) -> None:
    """Whose block and which, where a loaded model has several."""
    if of.reader is None:
        return
    if len(of.reader.roles) > 1:
        role_choice(of.reader)
    layers = engine.blocks(of.reader)
    if len(layers) > 1:
        st.selectbox(
            "Layer",
            layers,
            key=state.seeded("layer"),
            format_func="Layer {}".format,
            label_visibility="collapsed",
            width=120,
        )

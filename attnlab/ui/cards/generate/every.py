"""Every head on the text as far as it is written; a click draws it above."""

from __future__ import annotations

import streamlit as st

from attnlab.ui import engine, explain, export, generate_play, mount, say, state
from attnlab.ui.engine import generation
from attnlab.ui.export import generate as saved
from attnlab.ui.generate_runs import Shown
from attnlab.ui.generate_selection import Generate
from attnlab.ui.selection import Selection


def draw(reader: engine.Reader, selection: Selection, value: Generate, runs: list[Shown]) -> None:
    """The grid, where it is wanted; while it plays it waits."""
    if not value.every:
        return
    with st.container(border=True, key="card-every"):
        st.markdown(explain.CHOOSE)
        if generate_play.playing():
            say.remark("Every head is drawn when it stops.", "every")
            return
        run = runs[-1]
        maps = generation.every_head(
            reader, run.ask, run.track.chosen, run.track.made, run.track.edits
        )
        place = reader.layers.index
        drop_first = selection.drop_first and reader.role != "cross"
        mount.grid(
            "every",
            a=maps,
            tokens_a=run.written.tokens,
            sources_a=run.sources,
            drop_first=drop_first,
            causal=reader.causal,
            layers=reader.layers,
            selected=(place(selection.layer), selection.head),
            on_change=lambda: _chosen(reader.layers),
        )
        with st.container(horizontal=True, key="actions-every"):
            export.menu("save-every", saved.every(reader, selection, run, maps, drop_first))


def _chosen(layers: tuple[int, ...]) -> None:
    chosen = mount.grid_value("every")
    if chosen is not None:
        state.choose(layer=layers[min(chosen[0], len(layers) - 1)], head=chosen[1])

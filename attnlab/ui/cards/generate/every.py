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
    """A grid for each run, where it is wanted; while it plays it waits."""
    if not value.every:
        return
    with st.container(border=True, key="card-every"):
        st.markdown(explain.CHOOSE)
        if generate_play.playing():
            say.remark("Every head is drawn when it stops.", "every")
            return
        for run in runs:
            _grid(reader, selection, run)


def _grid(reader: engine.Reader, selection: Selection, run: Shown) -> None:
    """Every head of one run, in the colour of its side."""
    side = run.track.side
    if run.track.name:
        say.pill(run.track.title, f"every-{side}")
    maps = generation.every_head(reader, run.ask, run.track.chosen, run.track.made, run.track.edits)
    drop_first = selection.drop_first and reader.role != "cross"
    key = f"every-{side}"
    mount.grid(
        key,
        **saved.every_sides(run, maps),
        label=f"All heads of {run.track.title}" if run.track.name else "All heads",
        drop_first=drop_first,
        causal=reader.causal,
        layers=reader.layers,
        selected=(reader.layers.index(selection.layer), selection.head),
        on_change=lambda: _chosen(key, reader.layers),
    )
    with st.container(horizontal=True, key=f"actions-{key}"):
        export.menu(f"save-{key}", saved.every(reader, selection, run, maps, drop_first))


def _chosen(key: str, layers: tuple[int, ...]) -> None:
    chosen = mount.grid_value(key)
    if chosen is not None:
        state.choose(layer=layers[min(chosen[0], len(layers) - 1)], head=chosen[1])

"""One head on the texts as far as they are written: a matrix that grows with every token."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from attnlab.ui import engine, explain, export, mount, own, state, widget
from attnlab.ui.export import generate as saved
from attnlab.ui.generate_runs import Shown, edited_sides
from attnlab.ui.generate_selection import DRAWN, GENERATE, Generate
from attnlab.ui.selection import Selection
from attnlab.viz.heads import full

_TITLES: Final = {"matrix": "matrix", "words": "words", "difference": "B − A"}


def draw(reader: engine.Reader, selection: Selection, value: Generate, runs: list[Shown]) -> None:
    """The head, which other one to see, and how it is drawn."""
    with st.container(border=True, key="card-generated"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-generated"):
            st.markdown(f"**{full(selection.chosen)}**", width="content", help=explain.HEAD)
            _chooser("Layer", "layer", reader.layers)
            _chooser("Head", "head", range(reader.heads_in(selection.layer)))
            drawn = _drawn(value, runs)
        options = head_options(reader, runs, drawn)
        mount.head("generated", on_change=lambda: _clicked(runs), **options)
        with st.container(horizontal=True, key="actions-generated", gap="medium"):
            _every()
            export.menu("save-generated", saved.head(reader, selection, runs, options))


def head_options(reader: engine.Reader, runs: list[Shown], drawn: str) -> dict[str, Any]:
    """What the picture of one head or two is made from."""
    first, second = runs[0], runs[1] if len(runs) > 1 else None
    options: dict[str, Any] = {
        "a": first.weights,
        "tokens_a": first.written.tokens,
        "row_a": first.at,
        "mode": drawn,
        "causal": reader.causal,
        "sink": reader.sink,
        "edited": edited_sides(runs),
        "forgets": {run.track.side.lower(): run.forgets for run in runs if run.forgets},
    }
    if second is not None:
        options |= {
            "b": second.weights,
            "tokens_b": second.written.tokens,
            "row_b": second.at,
        }
    if reader.role == "cross":
        options["sources_a"] = first.written.sources
        if second is not None:
            options["sources_b"] = second.written.sources
    return options


def _drawn(value: Generate, runs: list[Shown]) -> str:
    """How it is drawn: a change needs two runs."""
    offered = DRAWN if len(runs) > 1 else DRAWN[:2]
    shown = value.drawn if value.drawn in offered else "matrix"
    key = widget.mirrored("generate-drawn", shown)
    st.segmented_control(
        "Drawn as",
        offered,
        key=key,
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
        on_change=lambda: own.choose(GENERATE, drawn=st.session_state[key]),
    )
    return shown


def _chooser(label: str, field: str, numbers: range | tuple[int, ...]) -> None:
    with st.container(key=f"choose-{field}", width=112):
        st.selectbox(
            label,
            numbers,
            key=state.seeded(field),
            format_func=lambda number: f"{label} {number}",
            label_visibility="collapsed",
        )


def _every() -> None:
    st.toggle("Every head", key=own.seeded(GENERATE, "every"))


def _clicked(runs: list[Shown]) -> None:
    """A word or a cell: the word that looks."""
    pin = mount.head_value("generated")
    if pin is None:
        return
    last = len(runs["AB".index(pin["side"])].written.tokens) - 1
    own.choose(GENERATE, at=-1 if pin["position"] >= last else pin["position"])

"""CircuitsVis' own view of one layer, for those who know it."""

import streamlit as st

from attnlab.ui import engine, explain, export, mount, say
from attnlab.ui.cards.parts import side_choice
from attnlab.ui.scene import Scene


def draw(of: Scene) -> None:
    """Every head of the chosen layer."""
    layer, reading = of.selection.layer, of.reading(of.side)
    with st.container(horizontal=True, vertical_alignment="center", key="title-circuits"):
        st.markdown(f"**Layer {layer}**", width="stretch", help=explain.CIRCUITS)
        side_choice(of, "Text", "circuits-side")
    if not reading.whole:
        say.remark(
            f"CircuitsVis takes up to {engine.WHOLE_TOKENS} tokens, and this text has "
            f"{len(reading.tokens):,}: it draws one element for each cell of each head. "
            "One head draws texts of any length here.",
            "circuits",
        )
        return
    if of.reader.role == "cross":
        say.remark(
            "CircuitsVis draws squares of one text, and cross-attention looks from one text "
            "at another.",
            "circuits",
        )
        return
    weights = engine.layer_weights(of.reader, reading, layer)
    mount.circuits(
        "circuits",
        weights=weights,
        tokens=reading.tokens,
        label=f"CircuitsVis: layer {layer} on {of.side}",
        side=of.side,
        causal=of.reader.causal,
        selected=of.selection.head,
    )
    with st.container(horizontal=True, key="actions-circuits"):
        export.menu("save-circuits", _kept(of))


def _kept(of: Scene) -> export.Savable:
    """Our own picture of the same maps: CircuitsVis' cannot be drawn without a browser."""
    layer = of.selection.layer
    heads = [(layer, head) for head in range(of.reader.heads_in(layer))]
    place = of.reader.layers.index(layer)
    a, b = (
        None if reading is None else reading.maps[place, : len(heads)] for reading in (of.a, of.b)
    )
    return export.compare(of, heads, a, b)

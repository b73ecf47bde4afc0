"""The card under the grid: one head, several side by side, a search, or CircuitsVis."""

import streamlit as st

from attnlab.ui.cards import circuits, compare, find, head
from attnlab.ui.cards.parts import choice
from attnlab.ui.scene import Scene
from attnlab.ui.selection import PANELS

WIDE = ("compare",)
"""Panels that use the width of the page."""


def draw(of: Scene, found: find.Found | None) -> None:
    """What the switch on top says."""
    with st.container(border=True, key="card-head", height="stretch"):
        with st.container(key="switch"):
            choice("What stands here", PANELS, "panel")
        if of.selection.panel == "compare":
            compare.draw(of)
        elif of.selection.panel == "circuits":
            circuits.draw(of)
        elif found is not None:
            find.draw(of, found)
        else:
            head.draw(of)

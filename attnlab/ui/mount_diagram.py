"""Diagrams of boxes, lines and words, mounted; nothing is chosen in them."""

from __future__ import annotations

from attnlab.ui.register import register
from attnlab.viz.diagram import Diagram, diagram_payload

_DIAGRAM = register("diagram")


def diagram(key: str, drawn: Diagram) -> None:
    """Draws a diagram; ``key`` is the Streamlit key."""
    _DIAGRAM(key=key, data=diagram_payload(drawn))

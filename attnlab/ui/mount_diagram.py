"""Diagrams of boxes, lines and words, mounted; where a page asks for it, their parts are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from attnlab.ui.choice import index
from attnlab.ui.register import register
from attnlab.viz.diagram import Diagram, diagram_payload

_DIAGRAM = register("diagram")


def diagram(key: str, drawn: Diagram, *, scrolls: bool = False) -> None:
    """Draws a diagram; ``key`` is the Streamlit key. For ``scrolls`` see ``diagram_payload``."""
    _DIAGRAM(key=key, data=diagram_payload(drawn, scrolls=scrolls))


def side_by_side(
    key: str, draw: Callable[..., Diagram], parts: Sequence[Any], *, label: str, wide: float = 520
) -> Diagram:
    """Parts beside each other where there is room, else below; returns them as one picture.

    Args:
        draw: lays several parts out, from ``parts``, ``wide=`` and ``label=``.
        wide: of one part.
    """
    with st.container(horizontal=True, key=f"parts-of-{key}", gap="medium"):
        for at, part in enumerate(parts):
            with st.container(width=int(wide)):
                diagram(f"{key}-{at}", draw([part], wide=wide, label=label), scrolls=True)
    return draw(parts, wide=wide * len(parts) + 40 * (len(parts) - 1), label=label)


def choices(key: str, drawn: Diagram, on_change: Callable[[], None]) -> None:
    """Draws a diagram whose spots can be chosen; the page keeps and marks what was chosen.

    Args:
        on_change: called, before the script runs, when one is chosen; asks :func:`spot_value`.
    """
    st.session_state[f"_{key}_spots"] = len(drawn.spots)
    data = diagram_payload(drawn, clickable=True)
    _DIAGRAM(key=key, data=data, on_chosen_change=on_change)


def spot_value(key: str) -> int | None:
    """Which spot was last chosen by hand in ``key``, in the order in which they were drawn."""
    state = st.session_state.get(key)
    click = state.get("chosen") if isinstance(state, Mapping) else None
    if not isinstance(click, Mapping):
        return None
    return index(click.get("spot"), st.session_state.get(f"_{key}_spots", 0))

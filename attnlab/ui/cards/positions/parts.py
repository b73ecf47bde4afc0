"""What the panels share: how a picture is saved, and quiet controls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from attnlab.ui import export, own
from attnlab.ui.export import architecture as files
from attnlab.ui.export.architecture import Source
from attnlab.ui.mount_diagram import diagram
from attnlab.ui.positions_selection import POSITIONS
from attnlab.viz.diagram import Diagram


def picture(key: str, drawn: Diagram) -> None:
    """Draws a diagram."""
    diagram(key, drawn)


def keep(
    key: str,
    title: str,
    drawn: Diagram,
    source: Source,
    *,
    what: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    notes: Sequence[str] = (),
) -> None:
    """The menu that saves a picture and its numbers; ``key`` names the files too."""
    kept = files.picture(
        f"attnlab-{key}",
        title,
        drawn,
        source,
        what=what,
        columns=columns,
        rows=rows,
        notes=notes,
    )
    with st.container(horizontal=True, key=f"actions-{key}"):
        export.menu(f"save-{key}", kept)


def few(label: str, options: Sequence[Any], field: str, write: Callable[[Any], str] = str) -> None:
    """One of a few values on a slider."""
    st.select_slider(
        label, options, key=own.seeded(POSITIONS, field), format_func=write, width="stretch"
    )


def whole(label: str, least: int, most: int, field: str) -> None:
    """A whole number on a slider."""
    st.slider(label, least, most, key=own.seeded(POSITIONS, field), width="stretch")


def words(label: str, options: Sequence[str], field: str, write: Callable[[str], str]) -> None:
    """One of a few words."""
    st.segmented_control(
        label,
        options,
        key=own.seeded(POSITIONS, field),
        required=True,
        format_func=write,
        label_visibility="collapsed",
    )


def across(pairs: int) -> int:
    """How many clocks stand in a row."""
    return 4 if pairs <= 8 else 8 if pairs <= 32 else 11


def signed(value: float) -> str:
    """A number with a minus that is as wide as a plus."""
    return f"{value:.4f}".replace("-", "−")

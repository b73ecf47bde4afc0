"""What is saved of a picture of the Architecture page: the picture, and its numbers."""

from typing import Any

import streamlit as st

from attnlab.ui import export
from attnlab.ui.export import architecture as files
from attnlab.ui.export.architecture import Source
from attnlab.viz.diagram import Diagram


def keep(
    key: str, name: str, title: str, drawn: Diagram, source: Source, /, **numbers: Any
) -> None:
    """The menu under a picture.

    Args:
        key: of the menu.
        name, title: of the file, and of the picture in it.
        numbers: what, columns, rows, notes, body, as in ``export.architecture.picture``.
    """
    with st.container(horizontal=True, key=f"actions-{key}"):
        kept = files.picture(f"attnlab-{name}", title, drawn, source, **numbers)
        export.menu(f"save-{key}", kept)

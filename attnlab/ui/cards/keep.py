"""The whole view as a file: a page to show offline, or one that opens again here."""

import streamlit as st

from attnlab.analysis.effects import Effect
from attnlab.ui import explain, export
from attnlab.ui.cards.sentences import save_view
from attnlab.ui.export.menu import files
from attnlab.ui.scene import Scene


def draw(of: Scene, effect: Effect | None) -> None:
    """Two quiet buttons."""
    head = of.selection.chosen
    view = export.view(of, of.weights("A", head), of.weights("B", head), effect)
    build, mime, _ = files(view)["html"]
    with st.container(key="keep", gap=None):
        st.html('<div class="al-section">Keep this view</div>')
        st.download_button(
            "As a page to show offline",
            data=build,
            file_name=f"{view.name}.html",
            mime=mime,
            key="save-page",
            on_click="ignore",
            type="tertiary",
            help=explain.OFFLINE_PAGE,
        )
        save_view(of.selection, "save-view", "As a file that opens here again")

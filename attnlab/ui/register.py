"""Registering a drawn component with Streamlit, once, while its mounting module is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from attnlab.ui import address
from attnlab.viz import bundles


def register(name: str, **options: Any) -> Callable[..., Any]:
    """A mounting command for the component ``name`` of :mod:`attnlab.viz.bundles`.

    ``options`` are those of ``st.components.v2.component``. The command's ``on_chosen_change`` is
    called before the script runs, when something was chosen in the picture.
    """
    draw = st.components.v2.component(
        f"attnlab_{name}",
        html='<div class="al-root"></div>',
        css=bundles.style(name),
        js=bundles.script(name),
        **options,
    )

    def mount(*, on_chosen_change: Callable[[], None] | None = None, **told: Any) -> Any:
        def heard() -> None:
            address.note_event()
            if on_chosen_change is not None:
                on_chosen_change()

        # Streamlit keeps what a picture tells only where a callback is registered for it.
        return draw(on_chosen_change=heard, **told)

    return mount

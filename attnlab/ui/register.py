"""Registering a drawn component with Streamlit, once, while its mounting module is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from attnlab.viz import bundles


def register(name: str, **options: Any) -> Callable[..., Any]:
    """A mounting command for the component ``name`` of :mod:`attnlab.viz.bundles`.

    ``options`` are those of ``st.components.v2.component``.
    """
    return st.components.v2.component(
        f"attnlab_{name}",
        html='<div class="al-root"></div>',
        css=bundles.style(name),
        js=bundles.script(name),
        **options,
    )


def nothing() -> None:
    """A callback that does nothing: registering one makes Streamlit keep the state of that name."""

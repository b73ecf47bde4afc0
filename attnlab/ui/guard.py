"""Half a character, which only a script can type, is replaced before it breaks the connection."""

from pathlib import Path
from typing import Final

import streamlit as st

from attnlab.ui import say
from attnlab.ui.selection import Selection

_SCRIPT: Final = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
_GUARD: Final = st.components.v2.component(
    "attnlab_guard", html="<span></span>", js=_SCRIPT, css="span {\n  display: none;\n}"
)
_ACTED: Final = "_half_a_character"


def watch() -> None:
    """Watches every box of the page; nothing is seen of it."""
    with st.container(key="guard"):
        if _GUARD(key="guard-script", on_replaced_change=lambda: None).replaced:
            st.session_state[_ACTED] = True


def report(selection: Selection) -> None:
    """Says what was replaced, as long as a text holds what stands in its place."""
    texts = (selection.a, selection.b, selection.target_a, selection.target_b)
    if st.session_state.get(_ACTED) and any("\ufffd" in text for text in texts):
        say.problem("Half of a character (a lone surrogate) was typed; it became “�”.", "surrogate")

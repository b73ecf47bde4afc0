"""Half a character, which only a script can type, is replaced before it breaks the connection."""

from pathlib import Path
from typing import Final

import streamlit as st

from attnlab.ui import say

_SCRIPT: Final = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
_GUARD: Final = st.components.v2.component(
    "attnlab_guard", html="<span></span>", js=_SCRIPT, css="span {\n  display: none;\n}"
)


def draw() -> None:
    """Watches every box of the page; nothing is seen of it, but for a sentence when it acts."""
    with st.container(key="guard"):
        found = _GUARD(key="guard-script", on_replaced_change=lambda: None)
    if found.replaced:
        say.problem("Half of a character (a lone surrogate) was typed; it is now “�”.", "surrogate")

"""What every page shares: the style, the sidebar, and how many threads the models may use."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st
import torch

from attnlab.ui import models, state

_STYLE: Final = Path(__file__).with_name("style.css")


@st.cache_resource(max_entries=1)
def set_threads() -> int:
    """One thread for each forward pass, or ATTNLAB_THREADS.

    With two threads on two busy cores some passes took thirty times as long; the gate already
    lets only one run at a time.
    """
    threads = int(os.environ.get("ATTNLAB_THREADS", "1"))
    torch.set_num_threads(threads)
    return threads


def draw(pages: Sequence[Any]) -> None:
    """The style and the sidebar: the pages, and the model with its trust line below."""
    set_threads()
    st.html(_STYLE)
    selection = state.restore()
    with st.sidebar:
        st.html('<div class="al-name">AttnLab</div>')
        with st.container(key="pages", gap=None):
            for page in pages:
                st.page_link(page, width="stretch")
        st.html('<div class="al-section">Model</div>')
        models.picker(selection)
        models.precision()

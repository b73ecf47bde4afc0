"""What every page shares: the style, the sidebar, and how many threads the models may use."""

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st
import torch

from attnlab.ui import guard, models, state

_DRAWN: Final = "_frame_drawn"
_STYLE: Final = Path(__file__).with_name("style.css")
_SWITCH_SECONDS: Final = 0.0001


@st.cache_resource(max_entries=1)
def set_threads() -> int:
    """One thread for each forward pass, or ATTNLAB_THREADS.

    With two threads on two busy cores some passes took thirty times as long; the gate already
    lets only one run at a time.

    A pass also gives the interpreter's lock away at each of its hundreds of operations, and gets it
    back from a busy thread (another session's script) only after the switch interval. With Python's
    5 ms a pass of 0.2 s took 2.6 s beside one busy thread, with this one 0.5 s.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    threads = int(os.environ.get("ATTNLAB_THREADS", "1"))
    torch.set_num_threads(threads)
    return threads


def ensure(app: Path) -> None:
    """Called first by every page: where the page was started by itself, runs the app around it.

    A server that has not run `app.py` yet takes the folder `pages/` for pages without a frame, so
    the first visitor of a deep link would otherwise get a page without a sidebar.
    """
    if not st.session_state.pop(_DRAWN, False):
        runpy.run_path(str(app), run_name="__main__")
        st.stop()


def draw(pages: Sequence[Any]) -> None:
    """The style and the sidebar: the pages, and the model with its trust line below."""
    set_threads()
    st.session_state[_DRAWN] = True
    st.html(_STYLE)
    guard.watch()
    selection = state.restore()
    with st.sidebar:
        st.html('<div class="al-name">AttnLab</div>')
        with st.container(key="pages", gap=None):
            for page in pages:
                st.page_link(page, width="stretch")
        st.html('<div class="al-section">Model</div>')
        models.picker(selection)
        models.precision()

"""What every page shares: the style, the sidebar, and how many threads the models may use."""

import os
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st
import torch

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import guard, models, own, say, state, work

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


def draw(pages: Sequence[Any], page: Any) -> None:
    """The style and the sidebar: the pages, and the model with its trust line below.

    Args:
        page: the one of `pages` that is open.
    """
    set_threads()
    st.session_state[_DRAWN] = True
    st.html(_STYLE)
    guard.watch()
    selection = state.restore(page.url_path)
    with st.sidebar:
        st.html('<div class="al-name">AttnLab</div>')
        with st.container(key="pages", gap=None):
            for other in pages:
                # A link without a query would open that page as if nothing had been chosen.
                st.page_link(other, width="stretch", query_params=own.link_to(other.url_path))
        st.html('<div class="al-section">Model</div>')
        models.picker(selection)
        models.transformer()
        models.precision()


def title(words: str, about: str) -> None:
    """The name of a page and one line on what it shows; words of ours, never what was typed."""
    st.html(f'<h1 class="al-title">{words}</h1><p class="al-about">{about}</p>')


def troubles(page: own.Page | None = None) -> None:
    """What of the address was not understood, one sentence each, until a choice is made."""
    said = (*state.link_problems(), *(own.problems(page) if page else ()))
    for number, trouble in enumerate(said):
        say.problem(trouble, f"link-{number}")


def attempt(show: Callable[[], None]) -> None:
    """Draws what needs a model; what is refused or was stopped becomes one sentence."""
    # The sentence has its place before anything is computed: emptied at once, what was said of an
    # earlier stop does not stand below work that goes on.
    page, below = st.container(), st.empty()
    try:
        with page:
            show()
    except Cancelled as error:
        with below.container():
            say.problem(str(error), "stopped")
            st.button("Run it again", on_click=work.resume, key="resume")
    except AttnLabError as error:
        work.resume()
        with below.container():
            say.problem(str(error), "page")
    else:
        # Nothing that was stopped is wanted any more; when it is, it runs again.
        work.resume()

"""What the panels of the page Cost share: how a picture is saved, charts, and quiet controls."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import streamlit as st
import torch

from attnlab.ui import engine, export, own, say
from attnlab.ui.cards.number import few
from attnlab.ui.cost_selection import COST
from attnlab.ui.export import architecture as files
from attnlab.ui.export.architecture import Source
from attnlab.viz.diagram import Diagram

_AGAIN: Final = "_cost_again"
slider: Final = partial(few, COST)
"""One of a few values of the page."""


def keep(
    key: str,
    title: str,
    drawn: Diagram,
    source: Source,
    /,
    *,
    measured: str = "",
    **numbers: Any,
) -> None:
    """The menu under a picture; ``key`` names its files too.

    Args:
        measured: what can be measured once more, see ``anew``; "" for nothing.
        numbers: what, columns, rows, notes, body, as in ``export.architecture.picture``.
    """
    with st.container(horizontal=True, key=f"actions-{key}"):
        if measured:
            anew(measured)
        export.menu(f"save-{key}", files.picture(f"attnlab-{key}", title, drawn, source, **numbers))


def here() -> Source:
    """Numbers that were measured on this machine."""
    machine = f"{platform.machine()}, one thread, torch {torch.__version__}"
    return files.computed(f"measured on {machine}, float32", "each in a process of its own")


def no_decoder(reader: engine.Reader) -> str:
    """Why a model that is no decoder is not timed."""
    does = "reads one text and writes another" if reader.writes else "does not write a text on"
    return f"{reader.title} {does}; choose a decoder such as SmolLM2."


def start(field: str, label: str, about: str) -> None:
    """A button that sets ``field``, and what it will do."""
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"start-{field}", gap="small"
    ):
        st.button(label, key=f"measure-{field}", on_click=_start, args=(field,))
        say.remark(about, f"start-{field}")


def _start(field: str) -> None:
    own.choose(COST, **{field: True})


def again(what: str) -> int:
    """How often this session asked to measure anew."""
    return st.session_state.get(_AGAIN, {}).get(what, 0)


def anew(what: str) -> None:
    """A quiet button that measures once more."""
    st.button("Measure again", key=f"again-{what}", on_click=_anew, args=(what,), type="tertiary")


def _anew(what: str) -> None:
    st.session_state[_AGAIN] = {**st.session_state.get(_AGAIN, {}), what: again(what) + 1}


def figures(key: str, pairs: Sequence[tuple[str, str]]) -> None:
    """A few large figures, each above its name."""
    with st.container(horizontal=True, key=f"figures-{key}", gap="medium"):
        for number, (name, figure) in enumerate(pairs):
            with st.container(key=f"figure-{key}-{number}", gap=None, width="content"):
                with st.container(key=f"answer-{key}-{number}"):
                    st.text(figure)
                say.remark(name, f"{key}-{number}")

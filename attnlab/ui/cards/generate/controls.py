"""Step, play, undo; how the next token is drawn; and what is changed meanwhile."""

from __future__ import annotations

from typing import Final

import streamlit as st

from attnlab.ui import generate_play, own
from attnlab.ui.cards.number import number
from attnlab.ui.generate_runs import edit_titles
from attnlab.ui.generate_selection import (
    CACHES,
    EDITS,
    GENERATE,
    HOTTEST,
    MOST_FIRST,
    MOST_HELD,
    MOST_KEPT,
    MOST_SEED,
    MOST_SIZE,
    Generate,
)
from attnlab.ui.selection import Selection

_HEAT: Final = (
    "The logits are divided by the temperature before the softmax: below 1 likely tokens get "
    "likelier, above 1 all come nearer to each other. 0 takes the likeliest token."
)
_TOP_K: Final = "Only so many of the likeliest tokens can be drawn; 0: all of them."
_TOP_P: Final = (
    "Only the fewest likeliest tokens whose chances add up to so much can be drawn (nucleus "
    "sampling); 1: all of them. Temperature acts first, then top-k, then top-p."
)
_SEED: Final = (
    "Token number i is drawn with the i-th random number of the seed, whatever came before: two "
    "runs from one seed have the same luck, and undoing changes nothing."
)
_EDITS: Final = (
    "What is changed in the model while it writes. The heads that are taken away are those chosen "
    "on the pages Heads and Ablate, or the one that is drawn below."
)
_CACHE: Final = (
    "What the key/value cache keeps of the text. What has left it can no longer be looked at. With "
    "the first tokens kept, all that is held is numbered anew, so no distance is longer than the "
    "cache (StreamingLLM, Xiao et al. 2023). Beside a plain run, which keeps all, it is the other "
    "run’s."
)
_CACHES: Final = {"all": "keeps all", "last": "the last", "ends": "first + last"}


def going(value: Generate) -> None:
    """Step, play or stop, undo, start over; and how the next token is drawn."""
    with st.container(horizontal=True, vertical_alignment="center", key="going", gap="medium"):
        _buttons(value)
        _sampling(value)


def _buttons(value: Generate) -> None:
    made = max(value.made, value.made2 if value.runs != "one" else 0)
    on = generate_play.playing()
    with st.container(horizontal=True, key="play", gap="small", width="content"):
        st.button("Step", key="step", on_click=generate_play.step, disabled=on)
        label = "Stop" if on else "Play"
        st.button(label, key="play-stop", on_click=generate_play.play, args=(not on,))
        st.button("Undo", key="undo", on_click=generate_play.undo, disabled=on or not made)
        st.button(
            "Start over",
            key="start-over",
            type="tertiary",
            on_click=generate_play.start_over,
            disabled=on or not made,
        )


def _sampling(value: Generate) -> None:
    """Temperature, top-k, top-p and the seed; the last three act on a draw only."""
    number(GENERATE, "heat", "Temperature", 0.0, HOTTEST, step=0.1, width=112, about=_HEAT)
    if value.heat > 0:
        number(GENERATE, "topk", "Top-k", 0, MOST_KEPT, width=112, about=_TOP_K)
        number(GENERATE, "topp", "Top-p", 0.01, 1.0, step=0.05, width=112, about=_TOP_P)
        number(GENERATE, "seed", "Seed", 0, MOST_SEED, width=112, about=_SEED)


def changes(value: Generate, selection: Selection) -> None:
    """What is changed while the text is written, and what the cache keeps."""
    _edits(value, selection)
    _cache(value)


def _cache(value: Generate) -> None:
    """What the cache keeps, and how much."""
    with st.container(horizontal=True, vertical_alignment="center", key="keeps", gap="medium"):
        st.html(f'<span class="al-size" title="{_CACHE}">The cache</span>', width="content")
        st.segmented_control(
            "The cache",
            CACHES,
            key=own.seeded(GENERATE, "cache"),
            required=True,
            format_func=_CACHES.get,
            label_visibility="collapsed",
            width="content",
        )
        if value.cache != "all":
            number(GENERATE, "held", "Tokens held", 1, MOST_HELD, width=112)
        if value.cache == "ends":
            number(GENERATE, "first", "the first among them", 1, MOST_FIRST, width=112)


def _edits(value: Generate, selection: Selection) -> None:
    """What is changed meanwhile, and the sizes of a window."""
    titles = edit_titles(value, selection)
    with st.container(horizontal=True, vertical_alignment="center", key="edits", gap="medium"):
        st.html(f'<span class="al-size" title="{_EDITS}">Changed meanwhile</span>', width="content")
        st.pills(
            "Changed meanwhile",
            EDITS,
            selection_mode="multi",
            key=own.seeded(GENERATE, "edits"),
            format_func=titles.get,
            label_visibility="collapsed",
        )
        if "window" in value.edits:
            number(GENERATE, "window", "Window", 1, MOST_SIZE, width=112)
            number(GENERATE, "sinks", "First words kept", 0, MOST_SIZE, width=112)

"""One head of each of the five models on one sentence, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import own, say, widget
from attnlab.ui.cards.positions import parts
from attnlab.ui.engine import schemes as engine
from attnlab.ui.engine.schemes import LAYERS, SCHEMES
from attnlab.ui.export import architecture as files
from attnlab.ui.phrases import title
from attnlab.ui.positions_selection import MOST_SENTENCE, POSITIONS, Positions
from attnlab.viz import cells
from attnlab.viz.cells import Table
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import spoken

NAMES: Final = {
    "none": "none",
    "sinusoidal": "sinusoidal",
    "learned": "learned",
    "rope": "RoPE",
    "alibi": "ALiBi",
}
STYLES: Final = {
    "none": ("feed", True),
    "sinusoidal": ("gold", False),
    "learned": ("pink", False),
    "rope": ("attention", False),
    "alibi": ("brown", False),
}
SOURCE: Final = files.computed("AttnLab's five position models, three seeds each")
_HEADS: Final = (
    "The same head, by its number, in each of the five models: they began alike and were trained "
    "alike, but for positions."
)


def draw(value: Positions) -> None:
    """A choice of a head, and its attention under each scheme."""
    with st.container(border=True, key="card-five-heads"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-five"):
            st.markdown("**One head, five schemes**", width="content", help=_HEADS)
            key = widget.mirrored("five-head", _fitting(value))
            with st.container(key="switches", width=120):
                st.selectbox(
                    "Head",
                    [(layer, head) for layer in range(LAYERS) for head in range(engine.HEADS)],
                    key=key,
                    format_func=title,
                    label_visibility="collapsed",
                    on_change=_chosen,
                    args=(key,),
                )
            with st.container(key="sentences"):
                st.text_input(
                    "A sentence",
                    key=own.seeded(POSITIONS, "sentence"),
                    on_change=own.keep_first,
                    args=(POSITIONS, "sentence", MOST_SENTENCE),
                    label_visibility="collapsed",
                )
        place = _fitting(value)
        with st.container(horizontal=True, gap="small", key="five"):
            drawn = [_one_head(scheme, value.sentence, place) for scheme in SCHEMES]
        _keep_heads([one for one in drawn if one is not None], place, value.sentence)


def _fitting(value: Positions) -> tuple[int, int]:
    """The chosen head, if there is one of that number."""
    layer, head = value.seen
    return value.seen if layer < LAYERS and head < engine.HEADS else (0, 0)


def _chosen(key: str) -> None:
    own.choose(POSITIONS, seen=st.session_state[key])


def _one_head(scheme: str, sentence: str, place: tuple[int, int]) -> Any:
    with st.container(width=190, key=f"one-{scheme}"):
        try:
            tokens, weights = engine.head(scheme, sentence, place)
        except Cancelled:
            raise
        except AttnLabError as error:
            say.remark(f"{NAMES[scheme]}: {error}", f"five-{scheme}")
            return None
        words = [spoken(token) for token in tokens]
        one = Table(
            NAMES[scheme],
            weights.clip(0, 1),
            rows=[(at, words[at]) for at, _ in cells.some(len(words), 180, 13)],
            kinds=(STYLES[scheme][0],) * 2,
            told=lambda q, k: (f"{words[q]} → {words[k]}", f"{weights[q, k]:.3f}"),
        )
        drawn = cells.tables(
            [one], wide=190, left=46, label=f"Attention of {title(place)}, {NAMES[scheme]}."
        )
        parts.picture(f"five-{scheme}", drawn)
    return scheme, drawn, words, weights


def _keep_heads(
    found: Sequence[tuple[str, Diagram, list[str], Any]], place: tuple[int, int], sentence: str
) -> None:
    if not found:
        return
    sheet = Diagram(found[0][1].width, 0, "One head under five schemes.")
    for _, drawn, _, _ in found:
        sheet.place(0, sheet.height, drawn)
        sheet.height += drawn.height + 12
    rows = [
        [scheme, *place, words[q], words[k], q, k, float(weights[q, k])]
        for scheme, _, words, weights in found
        for q in range(len(weights))
        for k in range(q + 1)
    ]
    parts.keep(
        "five-heads",
        f"Head {title(place)} under five schemes",
        sheet,
        SOURCE,
        what="Attention of one head of each of five models that differ in positions alone.",
        columns=("scheme", "layer", "head", "query_token", "key_token", "query", "key", "weight"),
        rows=rows,
        notes=(f"Sentence: {sentence}",),
    )

"""A pattern that takes the place of a head's weights: painted cell by cell, or pasted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from attnlab.errors import InputError
from attnlab.ui import ablate_fills, ablate_pattern, engine, mount_masks, own, say, widget
from attnlab.ui.ablate_pattern import MOST_WORDS, NONE, TITLES, Weights
from attnlab.ui.ablate_selection import ABLATE, MOST_PASTED, Ablate
from attnlab.ui.cards.parts import action, group
from attnlab.ui.engine.keys import Passage
from attnlab.ui.masks_cells import NOTHING
from attnlab.ui.masks_cells import applied as painted_over
from attnlab.ui.phrases import title
from attnlab.ui.selection import Head
from attnlab.viz.paint import Looks

_EXAMPLE: Final = "1 0 0\n0.5 0.5 0\n0.2 0.3 0.5"
_WAYS: Final = {"paint": "Paint", "paste": "Paste"}
_CLEAN: Final = {"cells": NOTHING}
_ABOUT: Final = (
    "Each row is a word that looks, each column a word that is looked at. **Click or drag** to "
    "paint a cell or to clear it; arrow keys move, Enter paints. Every head in turn is given this "
    "pattern. **Paste** takes a table of weights, number by number."
)


def draw(
    value: Ablate, reader: engine.Reader, passage: Passage, head: Head
) -> tuple[Ablate, Weights]:
    """The weights that are asked for; where there are none, that is said, and others are shown.

    Args:
        head: whose own weights stand in rows that are not painted.

    Raises:
        AttnLabError: the text does not fit, or the work was stopped.
    """
    if value.fill != "pattern":
        return value, NONE
    tokens, sources = engine.tokens_of(reader, passage, "Sentence A")
    short = max(len(tokens), len(sources)) <= MOST_WORDS
    square = reader.role != "cross"
    start = _start(value, square)
    with st.container(horizontal=True, vertical_alignment="center", key="pattern", gap="medium"):
        if short:
            _ways(value)
            if not value.pasting:
                _starts(start, square)
                if value.cells:
                    action("Start over", "unpaint", own.choose, args=(ABLATE,), kwargs=_CLEAN)
        else:
            say.remark(
                f"Texts of up to {MOST_WORDS} tokens can be painted by hand; a table that is "
                f"pasted has at most {MOST_PASTED:,} characters.",
                "long",
            )
    if value.pasting or not short:
        return _pasted(value, (len(tokens), len(sources)), reader.causal)
    return _painted(replace(value, start=start), reader, passage, (tokens, sources), head)


def _ways(value: Ablate) -> None:
    """Whether the pattern is painted, or pasted."""
    key = widget.mirrored("ablate-by", "paste" if value.pasting else "paint")
    with group("pattern"):
        st.markdown("Pattern", help=_ABOUT, width="content")
        st.segmented_control(
            "How the pattern is given",
            list(_WAYS),
            key=key,
            required=True,
            format_func=_WAYS.get,
            on_change=_way_chosen,
            args=(key,),
            label_visibility="collapsed",
        )


def _way_chosen(key: str) -> None:
    own.choose(ABLATE, by=st.session_state[key])


def _start(value: Ablate, square: bool) -> str:
    """What the painting starts from; what its words cannot do gives way to what they can."""
    there = ablate_pattern.starts_of(square)
    return value.start if value.start in there else there[0]


def _starts(start: str, square: bool) -> None:
    key = widget.mirrored("ablate-start", start)
    with group("start"):
        st.markdown("starting from", width="content")
        st.selectbox(
            "What the painting starts from",
            ablate_pattern.starts_of(square),
            key=key,
            format_func=TITLES.get,
            on_change=_start_chosen,
            args=(key,),
            label_visibility="collapsed",
            width=190,
        )


def _start_chosen(key: str) -> None:
    own.choose(ABLATE, start=st.session_state[key], **_CLEAN)


def _painted(
    value: Ablate,
    reader: engine.Reader,
    passage: Passage,
    words: tuple[Sequence[Any], Sequence[Any]],
    head: Head,
) -> tuple[Ablate, Weights]:
    """The square of the words, and what is painted in it."""
    tokens, sources = words
    sizes, ahead = (len(tokens), len(sources)), not reader.causal
    cells = ablate_pattern.fitting(value.cells, sizes, ahead)
    if cells != value.cells:
        say.problem("This text has no place for some of the painted cells.", "cells")
    base = ablate_pattern.table(value.start, sizes, ahead)
    reading = engine.read(reader, passage, "Sentence A", head)
    mount_masks.paint(
        "pattern-cells",
        words=tokens,
        base=base,
        cells=cells,
        row=value.row if 0 <= value.row < len(tokens) else len(tokens) - 1,
        keys=sources if reader.role == "cross" else None,
        looks=Looks(ahead, engine.head_weights(reader, passage, reading, *head)),
        predicts=False,
        label="Where each word is made to look",
        on_change=_cells_painted,
    )
    weights = ablate_pattern.weights(painted_over(base, cells))
    own_rows = not weights.rows or weights.places is not None
    shown = f": {title(head)} is shown in blue" if own_rows else ""
    say.remark(
        "A row looks evenly at its cells. In a row without any each head looks where it would"
        f"{shown}.",
        "pattern",
    )
    if weights.rows:
        return value, weights
    return _until_then(value, "Nothing is painted yet.", "painted")


def _cells_painted() -> None:
    done = mount_masks.paint_value("pattern-cells")
    if done is not None:
        own.choose(ABLATE, row=done[0], cells=done[1])


def _pasted(value: Ablate, sizes: tuple[int, int], causal: bool) -> tuple[Ablate, Weights]:
    """The table, number by number."""
    st.text_area(
        "Weights, a line for each word that looks",
        key=own.seeded(ABLATE, "rows"),
        placeholder=_EXAMPLE,
        height=120,
        max_chars=MOST_PASTED,
    )
    try:
        return value, Weights(ablate_fills.rows_of(value.rows, sizes, causal))
    except InputError as error:
        return _until_then(value, str(error), "rows")


def _until_then(value: Ablate, why: str, key: str) -> tuple[Ablate, Weights]:
    """What is shown while there is no pattern."""
    say.problem(f"{why} Until then: {ablate_fills.TITLES['uniform']}.", key)
    return replace(value, fill="uniform"), NONE

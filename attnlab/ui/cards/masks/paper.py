"""On paper: a mask over a few words, painted by hand, and what it costs and lets through."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import streamlit as st

from attnlab.analysis import masking, reach
from attnlab.errors import EmptyText
from attnlab.ui import export, masks_view, mount_masks, own, say
from attnlab.ui.cards.masks import controls, scores
from attnlab.ui.cards.parts import action
from attnlab.ui.export import masks as saved
from attnlab.ui.masks_cells import NOTHING
from attnlab.ui.masks_selection import MASKS, MOST_TYPED, THREE, Masks, split
from attnlab.ui.masks_view import Sheet
from attnlab.viz.paint import Weighed

_PAINT: Final = (
    "Each row is a word that looks, each column a word that can be looked at. Click or drag to "
    "show or hide; what you painted is violet."
)
_CONE: Final = (
    "A word takes from the words that it sees, and those took from what they saw one layer below. "
    "So a narrow window still carries news far, a layer at a time. Computed by multiplying the "
    "mask with itself."
)


def draw(value: Masks) -> None:
    """The text, the mask, its reach, and its cost.

    Raises:
        EmptyText: there are no words.
    """
    words = _typed(value)
    if not words:
        raise EmptyText("There is no word here: type a few.")
    sheet = _sheet(value, words)
    with st.container(border=True, key="card-paint"):
        _mask(value, sheet)
    with st.container(key="cards"):
        left, right = st.columns([1.25, 1], gap="small")
    with left, st.container(border=True, key="card-cone"):
        _cone(value, sheet)
    with right, st.container(border=True, key="card-scores"):
        scores.draw(value)


def _typed(value: Masks) -> list[str]:
    with st.container(key="sentences", gap="xsmall"):
        st.text_input(
            "Words",
            key=own.seeded(MASKS, "words"),
            on_change=own.keep_first,
            args=(MASKS, "words", MOST_TYPED),
            placeholder="A few words",
            label_visibility="collapsed",
        )
    words = split(value.words)
    if len(value.words.split()) > len(words):
        say.remark(f"The first {len(words)} words are shown.", "cut")
    return words


def _sheet(value: Masks, words: Sequence[str]) -> Sheet:
    base = value.pattern.table(len(words)).numpy()
    cells = value.cells.within(len(words))
    if cells != value.cells:
        lost = len(value.cells.shown) + len(value.cells.hidden) - len(cells.shown + cells.hidden)
        say.problem(f"This text has no place for {lost} of the painted cells.", "cells")
    return Sheet(tuple(words), base, cells, row_in(value.row, len(words), "row"))


def row_in(row: int, count: int, field: str) -> int:
    """The row that is looked from: the wished one, or the last, and a sentence where it is not."""
    if row >= count:
        say.problem(
            f"This text has no word numbered {row:,}, so the last one is looked from.", field
        )
        own.publish(MASKS, own.correct(MASKS, **{field: -1}))
    return row if 0 <= row < count else count - 1


def _mask(value: Masks, sheet: Sheet) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="title-paint"):
        st.markdown("**Who may look at whom**", width="content", help=_PAINT)
        with st.container(key="answer-count", width="content"):
            st.text(masks_view.counted(sheet))
        say.remark(masks_view.share(sheet), "share")
    controls.draw(value, sheet.words)
    mount_masks.paint(
        "paint",
        words=sheet.tokens,
        base=sheet.base,
        cells=sheet.cells,
        row=sheet.row,
        weighed=_weighed(value, sheet),
        label="Who may look at whom",
        on_change=_painted,
    )
    with st.container(horizontal=True, gap="medium", key="actions-paint"):
        if sheet.cells:
            action("Back to the pattern", "unpaint", _unpaint)
        export.menu("save-paint", saved.mask(value, sheet))


def _weighed(value: Masks, sheet: Sheet) -> Weighed | None:
    """The three words of the books come with their scores."""
    if " ".join(sheet.words) != THREE:
        return None
    weights = masking.weigh(masking.THREE_SCORES, sheet.seen_tensor)
    return Weighed(np.array(masking.THREE_SCORES), weights.numpy())


def _painted() -> None:
    done = mount_masks.paint_value("paint")
    if done is not None:
        own.choose(MASKS, row=done[0], cells=done[1])


def _unpaint() -> None:
    own.choose(MASKS, cells=NOTHING)


def _cone(value: Masks, sheet: Sheet) -> None:
    held = reach.reached(sheet.seen_tensor, masks_view.MOST_LAYERS).numpy()
    st.markdown("**How far a word hears, layer by layer**", help=_CONE)
    mount_masks.cone(
        "cone",
        words=sheet.tokens,
        visible=sheet.seen,
        held=held,
        row=sheet.row,
        layers=value.layers,
        formulas=masks_view.formulas(value, sheet),
        label="How far a word hears",
        on_change=_heard,
    )
    with st.container(horizontal=True, key="actions-cone"):
        export.menu("save-cone", saved.reach(value, sheet, held))


def _heard() -> None:
    done = mount_masks.cone_value("cone")
    if done is not None:
        own.choose(MASKS, row=done[0], layers=done[1])

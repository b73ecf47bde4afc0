"""A against B: values of one sentence put into the other, one head or one word at a time."""

from __future__ import annotations

import math
from typing import Any, Final

import pandas as pd
import streamlit as st

from attnlab.analysis.patching import Patching
from attnlab.errors import InputError, TextTooLong
from attnlab.ui import engine, export, models, mount_diagram, own, say
from attnlab.ui.cards import after, sentences
from attnlab.ui.cards.parts import role_choice
from attnlab.ui.cards.trace import answers, asked, patch
from attnlab.ui.cards.trace.exchange import Shown, name_of, said, way
from attnlab.ui.cards.trace.one import there
from attnlab.ui.cards.trace.parts import figure, look
from attnlab.ui.engine import trace
from attnlab.ui.engine.keys import Passage
from attnlab.ui.engine.trace import Exchange
from attnlab.ui.export import trace as saved
from attnlab.ui.selection import Selection
from attnlab.ui.trace_answers import Contrast, contrast
from attnlab.ui.trace_selection import INTO, OF_HEADS, STAGES, TRACE, Traced
from attnlab.viz import squares
from attnlab.viz.align import first_difference
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import spoken

ABOUT: Final = (
    "One sentence runs, and a single value in it is taken from the other: what a head hands on, or "
    "what a layer holds at one word (activation patching). The area of a square is how far that "
    "moves the answer: a full square takes it all the way to the other sentence. **Click a square "
    "to see the prediction with it.** A into B asks what is enough, B into A what is needed."
)
_STAGES: Final = {
    "z": "heads",
    "weights": "where heads look",
    "v": "values",
    "resid_post": "layers",
    "attn_out": "attention",
    "mlp_out": "feed-forwards",
}
_INTO: Final = {"B": "A into B", "A": "B into A"}
_WIDE: Final = 1080
_ROWS: Final = 16
MOST_TOKENS: Final = 128


def draw(selection: Selection, value: Traced) -> None:
    """The texts, the picture, and what one patch does.

    Raises:
        AttnLabError: the model or the texts do not fit; the message says why.
    """
    targets = sentences.draw(selection)
    reader = models.loaded(selection)
    if reader.writes:
        for box in targets.values():
            box()
    if not selection.b.strip():
        raise InputError("Write a sentence B: its values are put into A, or those of A into it.")
    a, b = Passage(selection.a, selection.target_a), Passage(selection.b, selection.target_b)
    tokens = [_tokens(reader, one, f"Sentence {side}") for one, side in ((a, "A"), (b, "B"))]
    chosen = there(selection, reader)
    if reader.lab.head_kind != "none":
        words, _ = engine.tokens_of(engine.predicting(reader), a, "Sentence A")
        value = after.there(TRACE, value, len(words))
    with st.container(border=True, key="card-pair"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-pair"):
            st.markdown("**What carries the difference**", width="content", help=ABOUT)
            if len(reader.roles) > 1:
                role_choice(reader)
        measured = answers.fitting(value, lambda typed: contrast(typed, reader, a, b))
        _choices(measured)
        here, other = tokens if value.into == "A" else reversed(tokens)
        by = "head" if value.stage in OF_HEADS else "position"
        places = _places(reader, *tokens, here) if by == "position" else None
        of = Exchange(reader, a, b, value.into, value.stage, by, measured.metric, places)
        shown = Shown(of, measured, here, other)
        spot = chosen.chosen if by == "head" else _spot(value, reader, places)
        if places is not None:
            _rows_said(shown, places, reader.causal)
        found = None if _waits(shown) else _picture(shown, spot)
    if found is not None and spot is not None:
        patch.draw(shown, found, spot)


def _tokens(reader: engine.Reader, passage: Passage, name: str) -> tuple[Any, ...]:
    tokens, _ = engine.tokens_of(reader, passage, name)
    if len(tokens) > MOST_TOKENS:
        raise TextTooLong(
            f"{name} has {len(tokens):,} tokens, and sentences of up to {MOST_TOKENS} are put into "
            f"one another: leave out {len(tokens) - MOST_TOKENS:,} or more, the same in both."
        )
    return tokens


def _choices(measured: Contrast) -> None:
    """What is patched into which sentence, and the answers that are compared."""
    with st.container(horizontal=True, vertical_alignment="center", key="switches", gap="medium"):
        for name, options, titles, width in (
            ("stage", STAGES, _STAGES, 560),
            ("into", INTO, _INTO, 175),
        ):
            st.segmented_control(
                {"stage": "What is put in", "into": "Which runs"}[name],
                options,
                key=own.seeded(TRACE, name),
                required=True,
                format_func=titles.get,
                label_visibility="collapsed",
                width=width,
            )
    if measured.metric is None:
        say.remark("Measured: how far the text’s mean vector is from that of A.", "pair-measured")
        return
    with st.container(horizontal=True, vertical_alignment="center", key="answers", gap="small"):
        hints = ("what A says", "what B says")
        if measured.answers is not None:
            hints = tuple(answer[0] for answer in measured.answers)
        answers.words(*hints)
        if measured.answers is None:
            say.remark(
                "Both sentences say the same word next: measured is the KL divergence from "
                "what A predicts. Or type two answers.",
                "pair-measured",
            )


def _places(
    reader: engine.Reader, a: tuple[Any, ...], b: tuple[Any, ...], here: tuple[Any, ...]
) -> tuple[int, ...]:
    """The words that are patched: what comes before the first difference is the same in both."""
    first = first_difference(a, b) if reader.causal else 0
    first = max(first or 0, len(here) - _ROWS)
    return tuple(range(min(first, len(here) - 1), len(here)))


def _spot(value: Traced, reader: engine.Reader, places: tuple[int, ...]) -> tuple[int, int] | None:
    """The square that is looked at; that there is none where one was asked for is said."""
    spot = value.spot
    layers = {block.layer for block in reader.lab.blocks if block.role == reader.role}
    if spot is None or (spot[0] in layers and spot[1] in places):
        return spot
    say.problem(
        f"No square stands at layer {spot[0]:,}, word {spot[1]:,}: choose one of those below.",
        "spot",
    )
    own.publish(TRACE, own.correct(TRACE, spot=None))
    return None


def _rows_said(shown: Shown, places: tuple[int, ...], causal: bool) -> None:
    """Which words have no row, and why."""
    count = len(shown.tokens)
    if not places[0]:
        return
    first = spoken(shown.tokens[places[0]]).strip()
    if causal and first_difference(shown.tokens, shown.others) == places[0]:
        words = f"What comes before “{first}” is the same in both sentences, in every layer."
    else:
        words = f"The last {len(places)} of {count} words have a row: {_ROWS} are put in at most."
    say.remark(words, "pair-rows")


def _waits(shown: Shown) -> bool:
    """Whether the work waits to be asked for, and the button for it."""
    of = shown.of
    if trace.held(of) or not asked.waits(of.reader, of.a, of.b, what=of.key):
        return False
    count = len(of.reader.layers) * (of.reader.heads if of.by == "head" else len(of.positions))
    with st.container(horizontal=True, key="actions-pair-run"):
        asked.button(f"{_INTO[of.into]}, one at a time: {count:,} runs", "pair-run", of.key)
    return True


def _picture(shown: Shown, spot: tuple[int, int] | None) -> Patching:
    slot, drawn_before = st.empty(), 0

    def show(table: pd.DataFrame, key: str) -> tuple[Diagram, list[tuple[int, int]]]:
        drawn, cells = _squares(shown, table, spot)
        with slot.container():
            mount_diagram.choices(key, drawn, lambda: _clicked(key, shown.of.by, cells))
        return drawn, cells

    def partly(table: pd.DataFrame) -> None:
        nonlocal drawn_before
        drawn_before += 1
        show(table, f"patched-{drawn_before}")

    found = trace.patched(shown.of, partly)
    drawn, _ = show(found.table, "patched")
    words = said(shown, found)
    say.remark(words, "pair")
    if found.why:
        say.remark(found.why, "pair-how")
    with st.container(horizontal=True, key="actions-pair", gap="medium"):
        name = f"{_STAGES[shown.of.stage]}, {_INTO[shown.of.into]}"
        export.menu("save-pair", saved.pair(shown.of, found, drawn, name, words))
    return found


def _clicked(key: str, by: str, cells: list[tuple[int, int]]) -> None:
    at = mount_diagram.spot_value(key)
    if at is None or at >= len(cells):
        return
    if by == "head":
        look(cells[at])
    else:
        own.choose(TRACE, spot=cells[at])


def _squares(
    shown: Shown, table: pd.DataFrame, spot: tuple[int, int] | None
) -> tuple[Diagram, list[tuple[int, int]]]:
    """The picture, and (layer, head or position) of each spot."""
    by, other = shown.of.by, "A" if shown.towards == "B" else "B"
    layers = sorted({int(layer) for layer in table.layer})
    units = sorted({int(unit) for unit in table[by]})
    pairs = [(int(layer), int(unit)) for layer, unit in zip(table.layer, table[by], strict=True)]
    cells = [(units.index(unit), layers.index(layer)) for layer, unit in pairs]
    known = dict(zip(cells, zip(table.share, table.value, strict=True), strict=True))
    names = [name_of(shown, unit) for unit in units]

    def told(cell: tuple[int, int]) -> tuple[str, ...]:
        share, value = known[cell]
        if not math.isfinite(share):
            return ()
        return (f"{way(shown.moved(share))} of the way to {shown.towards}", figure(value))

    of = squares.Squares(
        names,
        [f"L{layer}" for layer in layers],
        cells,
        {c: shown.moved(share) for c, (share, _) in known.items() if math.isfinite(share)},
        lambda cell: f"L{layers[cell[1]]} {names[cell[0]]}",
        told,
        cells[pairs.index(spot)] if spot in pairs else None,
        write=way,
        words=(f"moves the answer towards {shown.towards}", f"away from {shown.towards}"),
        kinds=(shown.towards.lower(), "mute"),
        full=1.0,
    )
    label = f"{_STAGES[shown.of.stage]} of {shown.towards} put into {other}, one at a time."
    return squares.squares(of, wide=_WIDE, label=label), pairs

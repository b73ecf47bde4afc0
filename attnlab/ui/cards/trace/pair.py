"""A against B: values of one sentence put into the other, one head or one word at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
import streamlit as st

from attnlab.analysis.beside import typical
from attnlab.analysis.patching import Patching
from attnlab.errors import InputError, TextTooLong
from attnlab.ui import engine, explain, export, models, mount, mount_diagram, own, say
from attnlab.ui.cards import sentences
from attnlab.ui.cards.parts import role_choice
from attnlab.ui.cards.trace import answers
from attnlab.ui.cards.trace.one import there
from attnlab.ui.cards.trace.parts import figure, look
from attnlab.ui.engine import edited, trace
from attnlab.ui.engine.keys import Passage
from attnlab.ui.engine.trace import Exchange
from attnlab.ui.export import trace as saved
from attnlab.ui.phrases import title
from attnlab.ui.selection import Selection
from attnlab.ui.trace_answers import Contrast, contrast, predicting
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


@dataclass(frozen=True)
class Shown:
    """What is patched, and how it is measured."""

    of: Exchange
    measured: Contrast
    tokens: tuple[Any, ...]
    others: tuple[Any, ...]

    @property
    def towards(self) -> str:
        """Whose values move the answer."""
        return "B" if self.of.into == "A" else "A"

    def moved(self, share: float) -> float:
        """How far a patch moves the answer to the other sentence: 0 not at all, 1 all the way."""
        return 1 - share if self.of.into == "A" else share


def draw(selection: Selection, value: Traced) -> None:
    """The texts, the picture, and what one patch does.

    Raises:
        AttnLabError: the model or the texts do not fit; the message says why.
    """
    targets = sentences.draw(selection)
    reader = models.open_model(selection)
    with st.sidebar:
        models.trust_line(reader)
    if reader.writes:
        for box in targets.values():
            box()
    if not selection.b.strip():
        raise InputError("Write a sentence B: its values are put into A, or those of A into it.")
    a, b = Passage(selection.a, selection.target_a), Passage(selection.b, selection.target_b)
    tokens = [_tokens(reader, one, f"Sentence {side}") for one, side in ((a, "A"), (b, "B"))]
    chosen = there(selection, reader)
    with st.container(border=True, key="card-pair"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-pair"):
            st.markdown("**What carries the difference**", width="content", help=ABOUT)
            if len(reader.roles) > 1:
                role_choice(reader)
        measured = contrast(value, reader, a, b)
        _choices(measured)
        here, other = tokens if value.into == "A" else reversed(tokens)
        by = "head" if value.stage in OF_HEADS else "position"
        places = _places(reader, *tokens, here) if by == "position" else None
        of = Exchange(reader, a, b, value.into, value.stage, by, measured.metric, places)
        shown = Shown(of, measured, here, other)
        spot = chosen.chosen if by == "head" else value.spot
        found = _picture(shown, spot)
    if spot is not None:
        _patch(shown, found, spot)


def _tokens(reader: engine.Reader, passage: Passage, name: str) -> tuple[Any, ...]:
    tokens, _ = engine.tokens_of(reader, passage, name)
    if len(tokens) > MOST_TOKENS:
        raise TextTooLong(
            f"{name} has {len(tokens):,} tokens; sentences of up to {MOST_TOKENS} are put into one "
            "another, so shorten it."
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
    names = [_name(shown, unit) for unit in units]

    def told(cell: tuple[int, int]) -> tuple[str, ...]:
        share, value = known[cell]
        if not math.isfinite(share):
            return ()
        return (f"{shown.moved(share):.0%} of the way to {shown.towards}", figure(value))

    of = squares.Squares(
        names,
        [f"L{layer}" for layer in layers],
        cells,
        {c: shown.moved(share) for c, (share, _) in known.items() if math.isfinite(share)},
        lambda cell: f"L{layers[cell[1]]} {names[cell[0]]}",
        told,
        cells[pairs.index(spot)] if spot in pairs else None,
        write=lambda part: f"{part:.0%}",
        words=(f"moves the answer towards {shown.towards}", f"away from {shown.towards}"),
        kinds=(shown.towards.lower(), "mute"),
        full=1.0,
    )
    label = f"{_STAGES[shown.of.stage]} of {shown.towards} put into {other}, one at a time."
    return squares.squares(of, wide=_WIDE, label=label), pairs


def _name(shown: Shown, unit: int) -> str:
    return f"H{unit}" if shown.of.by == "head" else spoken(shown.tokens[unit]).strip()


def said(shown: Shown, found: Patching) -> str:
    """Both ends of the scale, and the patch that moves the answer most."""
    answers_ = shown.measured.answers
    lead = found.metric.name
    if answers_ is not None:
        lead = f"lead of “{answers_[0][0]}” over “{answers_[1][0]}”"
    ends = (
        f"{lead[0].upper()}{lead[1:]}: {figure(found.clean)} in A, {figure(found.corrupted)} in B"
    )
    moved = found.table.share.map(shown.moved)
    if not moved.notna().any():
        return f"{ends}: nothing lies between them that could be moved."
    most = found.table.loc[moved.idxmax()]
    unit = int(most[shown.of.by])
    which = title((int(most.layer), unit))
    if shown.of.by == "position":
        which = f"layer {int(most.layer)} at “{spoken(shown.tokens[unit]).strip()}”"
    best = f"{which[0].upper()}{which[1:]} goes {moved.max():.0%} of the way."
    return f"{ends} {found.unit}. {best} {_usual(shown, moved.dropna().tolist())}".strip()


def _usual(shown: Shown, moved: list[float]) -> str:
    """What a head, or a square, drawn at random does: the yardstick for a chosen one."""
    if len(moved) < 2:
        return ""
    half, most = typical(moved)
    what = "head" if shown.of.by == "head" else "square"
    return (
        f"A {what} drawn at random moves it by less than {percent(half)} in half of all cases, "
        f"{percent(most)} in nine of ten."
    )


def percent(share: float) -> str:
    """A share of the way; below one percent with a digit more."""
    return "0.1%" if share < 0.001 else f"{share:.1%}" if share < 0.0095 else f"{share:.0%}"


def _patch(shown: Shown, found: Patching, spot: tuple[int, int]) -> None:
    """What the chosen patch does to the prediction."""
    by, table = shown.of.by, found.table
    rows = table[(table.layer == spot[0]) & (table[by] == spot[1])]
    if not len(rows):
        return
    row, other = rows.iloc[0], shown.towards
    what = f"L{spot[0]} {_name(shown, spot[1])}"
    with st.container(border=True, key="card-patch"):
        st.markdown("**With this value of the other sentence**", help=explain.KL)
        predicts = shown.of.reader.lab.head_kind != "none"
        if predicts:
            at = found.pairs if by == "head" else ((int(spot[1]), int(row.donor_position)),)
            edit = shown.of.patch(spot[0], spot[1] if by == "head" else None, tuple(at))
            reader = predicting(shown.of.reader)
            place = shown.measured.places[0 if shown.of.into == "A" else 1]
            effect = edited.predicted(reader, shown.of.receives, (edit,), place)
            names = (f"{shown.of.into} as it is", f"with {other}’s value")
            mount.bars("patch", rows=effect.rows, names=names, label="The likeliest words")
        share = shown.moved(float(row.share))
        far = "" if not math.isfinite(share) else f": {share:.0%} of the way to {other}"
        say.remark(f"{what} of {other} in {shown.of.into}{far}.", "patch")

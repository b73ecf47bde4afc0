"""Dog bites man: the tokens change places; does anything else change?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from attnlab.analysis.permuted import CASES, Change
from attnlab.errors import EditError, EmptyText
from attnlab.trace import Mask
from attnlab.trace import Positions as PositionsEdit
from attnlab.ui import engine, models, own, say, texts
from attnlab.ui.cards.positions import parts
from attnlab.ui.engine import positions as numbers
from attnlab.ui.export import architecture as files
from attnlab.ui.export.architecture import Source
from attnlab.ui.positions_selection import (
    MOST_WORDS,
    MOST_WRITTEN,
    ORDERS,
    POSITIONS,
    Positions,
)
from attnlab.ui.selection import Selection
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import LEAST, plain, share, tiny
from attnlab.viz.order import order
from attnlab.viz.svg.text import spoken, told_apart

_ORDERS: Final = {"swap": "Swap first and last", "reverse": "Reverse", "shuffle": "Shuffle"}
_TITLES: Final = {
    "bare": "No positions, no mask",
    "mask": "No positions, causal mask",
    "scheme": "With positions",
}
_SAID: Final = {
    "bare": "The words change places and nothing else: it reads a bag of words.",
    "mask": "Order is back, from the mask alone: each word sees others than before.",
    "scheme": "Order counts.",
}
_ASK: Final = (
    "The same words are read in two orders. Each word's last vector is compared with the one it "
    "had before. Where all of them are the same, the model cannot know who bit whom. The figure is "
    "the length of the difference over that of the vector."
)


def draw(selection: Selection, value: Positions) -> None:
    """Three cases, on our attention and on the loaded model."""
    with st.container(horizontal=True, vertical_alignment="center", key="which-model"):
        with st.container(key="sentences", width=320):
            st.text_input(
                "Words",
                key=own.seeded(POSITIONS, "words"),
                on_change=own.keep_first,
                args=(POSITIONS, "words", MOST_WRITTEN),
                label_visibility="collapsed",
                placeholder="dog bites man",
            )
        parts.words("How the words change places", ORDERS, "order", _ORDERS.get)
    words = value.words.split()[:MOST_WORDS]
    if len(words) < 2:
        raise EmptyText("Type two words or more: one alone cannot change places.")
    _ours(words, value)
    _model(selection, " ".join(words), value)
    if len(value.words.split()) > MOST_WORDS:
        say.remark(f"The first {MOST_WORDS} words are read.", "order-cut")


def _ours(words: Sequence[str], value: Positions) -> None:
    places = numbers.places_of(value.order, len(words), ())
    found = {case: numbers.ours_permuted(words, places, case) for case in CASES}
    source = files.computed(
        "our transformer with random weights, two layers of four heads, width 32, float32"
    )
    shown = [spoken({"text": word}) for word in words]
    _card("ours", "Our attention", "random weights", shown, places, found, source)


def _model(selection: Selection, text: str, value: Positions) -> None:
    reader = models.loaded(selection)
    texts.check_text(text, "The text")
    tokens = reader.lab.tokens(text)
    fixed = [at for at, token in enumerate(tokens) if token.special]
    places = numbers.places_of(value.order, len(tokens), fixed)
    ids = [token.id for token in tokens]
    found: dict[str, Change | EditError] = {}
    for case, edits in _edits(reader).items():
        try:
            found[case] = numbers.permuted_in(reader, ids, places, edits)
        except EditError as error:
            found[case] = error
    source = files.of_model(reader, engine.Passage(text))
    words = told_apart(tokens)
    _card("model", "The loaded model", reader.title, words, places, found, source)
    if not reader.causal:
        said = "This model has no causal mask of its own: the second case gives it one."
        say.remark(said, "order-encoder")


def _edits(reader: engine.Reader) -> dict[str, tuple[Any, ...]]:
    """What makes each case of a loaded model; as it is for the last."""
    role = reader.role
    bare = PositionsEdit("none", role=role)
    return {
        "bare": (bare, Mask("bidirectional", role=role)),
        "mask": (bare, Mask("causal", role=role)),
        "scheme": (),
    }


def _card(
    key: str,
    title: str,
    which: str,
    words: Sequence[str],
    places: Sequence[int],
    found: dict[str, Any],
    source: Source,
) -> None:
    """The three cases beside each other."""
    with st.container(border=True, key=f"card-order-{key}"):
        with st.container(horizontal=True, vertical_alignment="center", key=f"title-order-{key}"):
            st.markdown(f"**{title}**", width="content", help=_ASK)
            say.pill(which, f"order-{key}")
        with st.container(key="cards" if key == "ours" else "cards-model"):
            columns = st.columns(3, gap="medium")
        drawn = []
        for column, (case, change) in zip(columns, found.items(), strict=True):
            with column:
                drawn.append((case, _case(f"{key}-{case}", case, words, places, change)))
        shown = [(case, *one) for case, one in drawn if one is not None]
        if shown:
            _keep(key, title, shown, words, places, found, source)


def _case(
    key: str, case: str, words: Sequence[str], places: Sequence[int], change: Any
) -> tuple[Diagram, str] | None:
    """The picture, and what is said of it; None where the case cannot be had."""
    st.markdown(f"**{_TITLES[case]}**")
    if not isinstance(change, Change):
        say.remark(str(change), f"order-{key}")
        return None
    label = f"{_TITLES[case]}: the largest change is {share(change.largest)}."
    drawn = order(words, places, change.tokens, label=label)
    parts.picture(f"order-{key}", drawn)
    same = change.largest < LEAST
    said = _SAID[case] if same == (case == "bare") else _unexpected(same)
    logits = "" if change.logits is None else f", of a logit {_number(change.logits)}"
    said = f"Largest change {share(change.largest)}{logits}. {said}"
    say.remark(said, f"order-{key}")
    return drawn, said


def _number(value: float) -> str:
    return plain(value) if value >= LEAST else tiny(value)


def _unexpected(same: bool) -> str:
    return "Nothing but the places changed." if same else "More than the places changed."


def _keep(
    key: str,
    title: str,
    drawn: Sequence[tuple[str, Diagram, str]],
    words: Sequence[str],
    places: Sequence[int],
    found: dict[str, Any],
    source: Source,
) -> None:
    sheet = Diagram(drawn[0][1].width, 0, "Words in two orders.")
    for case, one, _ in drawn:
        sheet.words(0, sheet.height + 9, _TITLES[case], bold=True)
        sheet.place(0, sheet.height + 24, one)
        sheet.height += one.height + 44
    rows = [
        [case, at, words[place], place, change.tokens[at]]
        for case, change in found.items()
        if isinstance(change, Change)
        for at, place in enumerate(places)
    ]
    parts.keep(
        f"order-{key}",
        f"Words in another order: {title[0].lower()}{title[1:]}",
        sheet,
        source,
        what="How far each word's last vector is from its own before: |difference| / |vector|.",
        columns=("case", "place", "word", "place_before", "change"),
        rows=rows,
        notes=tuple(f"{_TITLES[case]}: {said}" for case, _, said in drawn),
    )

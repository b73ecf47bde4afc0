"""One prediction: which layer knew, which part moved it, and what happens without that part."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attnlab.analysis.attribution import Attribution
from attnlab.errors import AttnLabError, Cancelled, TextTooLong
from attnlab.ui import engine, models, phrases, say, state
from attnlab.ui.cards import sentences
from attnlab.ui.cards.trace import answers, lens, parts, without
from attnlab.ui.engine.keys import Passage
from attnlab.ui.selection import Selection
from attnlab.ui.trace_answers import Prediction, predicting, prediction
from attnlab.ui.trace_selection import Traced

MOST_TOKENS = 512
"""Of a text whose prediction is taken apart."""


def draw(selection: Selection, value: Traced) -> None:
    """The text, and three steps below it.

    Raises:
        AttnLabError: the model or the text does not fit; the message says why.
    """
    target = sentences.draw_one(selection)
    reader = models.open_model(selection)
    with st.sidebar:
        models.trust_line(reader)
    if reader.writes:
        target()
    passage = Passage(selection.a, selection.target_a)
    tokens, _ = engine.tokens_of(predicting(reader), passage, "Sentence A")
    if len(tokens) > MOST_TOKENS:
        raise TextTooLong(
            f"Sentence A has {len(tokens):,} tokens, and a prediction is taken apart after up to "
            f"{MOST_TOKENS}: leave out its first {len(tokens) - MOST_TOKENS:,} or more. The page "
            "Heads shows longer texts."
        )
    value = answers.there(value, len(tokens))
    of = answers.fitting(value, lambda typed: prediction(typed, reader, passage))
    chosen = there(selection, of.reader)
    with st.container(border=True, key="card-lens"):
        st.markdown("**Which layer knew**", help=lens.ABOUT)
        with st.container(
            horizontal=True, vertical_alignment="center", key="switches", gap="small"
        ):
            answers.position(of)
            answers.words(of.answer[0], "another word")
        _said(lambda: lens.draw(of), "lens")
    found = _parts(of, chosen, value)
    if of.reader.layers or value.feed >= 0:
        _said(lambda: without.draw(of, chosen, value, found), "without")


def _parts(of: Prediction, chosen: Selection, value: Traced) -> Attribution | None:
    kept: list[Attribution] = []
    with st.container(border=True, key="card-parts"):
        st.markdown("**Which part moved it**", help=parts.ABOUT)
        _said(lambda: kept.append(parts.draw(of, chosen, value)), "parts")
    return kept[0] if kept else None


def _said(show: Callable[[], None], key: str) -> None:
    """One step; where it is refused, a sentence, and the others still stand."""
    try:
        show()
    except Cancelled:
        raise
    except AttnLabError as error:
        say.problem(str(error), key)


def there(selection: Selection, reader: engine.Reader) -> Selection:
    """The selection with a head that the model has; that another was asked for is said."""
    layer, head = selection.chosen
    if layer in reader.layers and head < reader.heads_in(layer):
        return selection
    if not reader.layers:
        return selection
    corrected = state.correct(layer=reader.layers[0], head=0)
    say.problem(phrases.replaced(reader, selection.chosen, corrected.chosen), "head")
    state.publish(corrected)
    return corrected

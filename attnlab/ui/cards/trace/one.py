"""One prediction: which layer knew, which part moved it, and what happens without that part."""

from __future__ import annotations

import streamlit as st

from attnlab.analysis.attribution import Attribution
from attnlab.errors import TextTooLong
from attnlab.ui import engine, models, own, phrases, say, state
from attnlab.ui.cards import after, sentences
from attnlab.ui.cards.trace import answers, lens, parts, without
from attnlab.ui.engine.keys import Passage
from attnlab.ui.selection import DEFAULT, Selection
from attnlab.ui.trace_answers import Prediction, prediction
from attnlab.ui.trace_selection import TRACE, Traced

MOST_TOKENS = 512
"""Of a text whose prediction is taken apart."""


def draw(selection: Selection, value: Traced) -> None:
    """The text, and three steps below it.

    Raises:
        AttnLabError: the model or the text does not fit; the message says why.
    """
    target = sentences.draw_one(selection)
    reader = models.loaded(selection)
    if reader.writes:
        target()
    passage = Passage(selection.a, selection.target_a)
    tokens, _ = engine.tokens_of(engine.predicting(reader), passage, "Sentence A")
    if len(tokens) > MOST_TOKENS:
        raise TextTooLong(
            f"Sentence A has {len(tokens):,} tokens, and a prediction is taken apart after up to "
            f"{MOST_TOKENS}: leave out its first {len(tokens) - MOST_TOKENS:,} or more. The page "
            "Heads shows longer texts."
        )
    value = after.there(TRACE, value, len(tokens))
    of = answers.fitting(value, lambda typed: prediction(typed, reader, passage))
    chosen = there(selection, of.reader)
    value = _feed(value, of.reader, chosen)
    with st.container(border=True, key="card-lens"):
        st.markdown("**Which layer knew**", help=lens.ABOUT)
        with st.container(
            horizontal=True, vertical_alignment="center", key="switches", gap="small"
        ):
            after.box(TRACE, of.where.split()[0], of.tokens, of.position, of.usual)
            answers.words(of.answer[0], "another word")
        say.unless_refused(lambda: lens.draw(of), "lens")
    found = _parts(of, chosen, value)
    if of.reader.layers or value.feed >= 0:
        say.unless_refused(lambda: without.draw(of, chosen, value, found), "without")


def _parts(of: Prediction, chosen: Selection, value: Traced) -> Attribution | None:
    with st.container(border=True, key="card-parts"):
        st.markdown("**Which part moved it**", help=parts.ABOUT)
        return say.unless_refused(lambda: parts.draw(of, chosen, value), "parts")


def _feed(value: Traced, reader: engine.Reader, chosen: Selection) -> Traced:
    """With a feed-forward that the model has; that another was asked for is said."""
    blocks = [block for block in reader.lab.blocks if block.role == reader.role]
    layers = sorted(block.layer for block in blocks if block.mlp_out)
    if value.feed < 0 or value.feed in layers:
        return value
    there_are = f"{layers[0]} to {layers[-1]}" if layers else "none that could be found"
    say.problem(
        f"{reader.title} has no feed-forward in layer {value.feed:,} (there are: {there_are}); "
        f"{phrases.title(chosen.chosen)} is shown instead.",
        "feed",
    )
    value = own.correct(TRACE, feed=-1)
    own.publish(TRACE, value)
    return value


def there(selection: Selection, reader: engine.Reader) -> Selection:
    """The selection with a head that the model has; that another was asked for is said."""
    layer, head = selection.chosen
    if layer in reader.layers and head < reader.heads_in(layer):
        return selection
    if not reader.layers:
        return selection
    corrected = state.correct(layer=reader.layers[0], head=0)
    if selection.chosen != DEFAULT.chosen:  # else nobody asked for it
        say.problem(phrases.replaced(reader, selection.chosen, corrected.chosen), "head")
    state.publish(corrected)
    return corrected

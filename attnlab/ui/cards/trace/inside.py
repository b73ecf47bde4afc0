"""Inside a head: what it takes, what all looks add up to, and what it does to words alone."""

from __future__ import annotations

import streamlit as st

from attnlab.errors import TextTooLong
from attnlab.ui import engine, models, own, say, widget
from attnlab.ui.cards import after, sentences
from attnlab.ui.cards.parts import role_choice
from attnlab.ui.cards.trace import alone, looks, rolled
from attnlab.ui.cards.trace.one import there
from attnlab.ui.cards.trace.parts import look
from attnlab.ui.engine.keys import Passage
from attnlab.ui.phrases import title
from attnlab.ui.selection import Selection
from attnlab.ui.trace_selection import TRACE, Traced
from attnlab.viz.svg.text import spoken

MOST_TOKENS = 128
"""Of a text whose every look is kept, in all layers at once."""


def draw(selection: Selection, value: Traced) -> None:
    """The text, and three cards below it.

    Raises:
        AttnLabError: the model or the text does not fit; the message says why.
    """
    target = sentences.draw_one(selection)
    reader = models.loaded(selection)
    if reader.writes:
        target()
    passage = Passage(selection.a, selection.target_a)
    tokens, sources = _short(reader, passage)
    if not reader.layers:
        say.remark("This model shows no attention, so no head of it can be opened.", "none")
        return
    chosen = there(selection, reader)
    main = engine.predicting(reader)
    words, _ = engine.tokens_of(main, passage, "Sentence A")
    value = after.there(TRACE, value, max(len(tokens), len(words)))
    position = _position(value, reader, tokens)
    with st.container(border=True, key="card-looks-takes"):
        _switches(reader, chosen, tokens, position)
        say.unless_refused(
            lambda: looks.draw(reader, passage, chosen.chosen, position, tokens, sources), "takes"
        )
    with st.container(border=True, key="card-alone"):
        st.markdown(f"**{title(chosen.chosen)} on words alone**", help=alone.ABOUT)
        say.unless_refused(lambda: alone.draw(reader, chosen.chosen, value, sources), "alone")
    with st.container(border=True, key="card-rolled"):
        st.markdown("**All heads of all layers together**", help=rolled.ABOUT)
        at = _position(value, main, words)
        say.unless_refused(lambda: rolled.draw(main, passage, at), "rolled")


def _short(reader: engine.Reader, passage: Passage) -> tuple[tuple, tuple]:
    """The tokens that look and those that are looked at. Raises TextTooLong above MOST_TOKENS."""
    tokens, sources = engine.tokens_of(reader, passage, "Sentence A")
    longest = max(len(tokens), len(sources))
    if longest > MOST_TOKENS:
        raise TextTooLong(
            f"Sentence A has {longest:,} tokens, and a head is opened here on up to {MOST_TOKENS}: "
            f"leave out {longest - MOST_TOKENS:,} or more. The page Heads shows longer texts."
        )
    return tokens, sources


def _switches(reader: engine.Reader, chosen: Selection, tokens: tuple, position: int) -> None:
    """The title, the head, and the word that looks."""
    with st.container(horizontal=True, vertical_alignment="center", key="title-looks-takes"):
        st.markdown("**Where it looks, what it takes**", width="content", help=looks.ABOUT)
        if len(reader.roles) > 1:
            role_choice(reader)
    with st.container(horizontal=True, key="switches", gap="small"):
        _head(reader, chosen)
        _word(tokens, position)


def _position(value: Traced, reader: engine.Reader, tokens: tuple) -> int:
    """The word that looks: as chosen, else the mask, else the last that is a word."""
    if 0 <= value.at < len(tokens):
        return value.at
    mask = engine.mask_position(reader, tokens)
    if mask is not None:
        return mask
    words = [at for at, token in enumerate(tokens) if not token.special]
    return words[-1] if words else len(tokens) - 1


def _head(reader: engine.Reader, chosen: Selection) -> None:
    heads = [(at, head) for at in reader.layers for head in range(reader.heads_in(at))]
    key = widget.mirrored("inside-head", chosen.chosen)
    st.selectbox(
        "Head",
        heads,
        key=key,
        format_func=title,
        on_change=lambda: look(st.session_state[key]),
        label_visibility="collapsed",
        width=130,
    )


def _word(tokens: tuple, position: int) -> None:
    key = widget.mirrored("inside-word", position)
    st.selectbox(
        "The word that looks",
        range(len(tokens)),
        key=key,
        format_func=lambda at: f"from {at} · {spoken(tokens[at]).strip()}",
        on_change=lambda: own.choose(TRACE, at=st.session_state[key]),
        label_visibility="collapsed",
        width=190,
    )

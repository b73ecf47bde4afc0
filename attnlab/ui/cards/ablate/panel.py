"""The page Ablate from its text to its cards."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from attnlab.errors import EditError, EditRefused, TextTooLong
from attnlab.ui import ablate_fills, engine, phrases, say, state
from attnlab.ui.ablate_selection import FROM_B, LOOKING, Ablate
from attnlab.ui.cards import sentences
from attnlab.ui.cards.ablate import controls, grid, head, pattern, study, tray
from attnlab.ui.cards.ablate.gone import Gone, layers_there
from attnlab.ui.cards.parts import role_choice
from attnlab.ui.engine.ask import Ask, heads_of
from attnlab.ui.engine.keys import Passage
from attnlab.ui.engine.sweep import MOST_TOKENS
from attnlab.ui.selection import DEFAULT, Selection
from attnlab.viz.figures import several


def draw(selection: Selection, value: Ablate) -> None:
    """Everything below the experiments.

    Raises:
        AttnLabError: the model or the text does not fit; the message says why.
    """
    resample = value.fill in FROM_B
    targets = sentences.draw(selection) if resample else {"A": sentences.draw_one(selection)}
    reader = study.loaded(selection)
    if not reader.layers:
        say.remark("This model shows no attention, so no head of it can be taken away.", "none")
        return
    if reader.writes:
        for box in targets.values():
            box()
    passage = Passage(selection.a, selection.target_a)
    tokens = _short(reader, passage)
    with st.container(border=True, key="card-effects"):
        _title(reader, len(tokens))
        value, measured = controls.draw(value, reader, passage, tokens)
        donor = _donor(selection, reader) if resample else None
        chosen = _there(selection, reader)
        value, weights = pattern.draw(value, reader, passage, chosen.chosen)
        ask = Ask(reader, passage, value.fill, measured.metric, donor, weights, value.feed)
        gone = Gone(chosen, layers_there(value, ask, len(set(chosen.gone))))
        found = _looking(lambda: grid.draw(ask, measured, gone), value)
    if found is None:
        return
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left:
        tray.draw(ask, measured, gone, value)
    with right:
        head.draw(ask, measured, gone, found)
    tray.after(ask, measured, gone)


def _title(reader: engine.Reader, tokens: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="title-effects"):
        st.markdown("**What each head does**", width="content", help=grid.ABOUT)
        say.pill(several(tokens, "token"), "tokens")
        if len(reader.roles) > 1:
            role_choice(reader)


def _donor(selection: Selection, reader: engine.Reader) -> Passage:
    """Sentence B. Raises AttnLabError where it cannot be read."""
    donor = Passage(selection.b, selection.target_b)
    engine.tokens_of(reader, donor, "Sentence B")
    return donor


def _short(reader: engine.Reader, passage: Passage) -> tuple[Any, ...]:
    """The tokens after which something is predicted. Raises TextTooLong above MOST_TOKENS."""
    tokens, _ = engine.tokens_of(engine.predicting(reader), passage, "Sentence A")
    if len(tokens) > MOST_TOKENS:
        raise TextTooLong(
            f"Sentence A has {len(tokens):,} tokens; every head is taken away on texts of up to "
            f"{MOST_TOKENS}, so shorten it."
        )
    return tokens


def _looking(sweep: Callable[[], grid.Found], value: Ablate) -> grid.Found | None:
    """The sweep; None, and a sentence, where heads cannot be made to look there."""
    try:
        return sweep()
    except EditError as error:
        if value.fill not in LOOKING or isinstance(error, EditRefused):
            raise
        say.problem(
            f"Some word of this text cannot see where its head is to look "
            f"(“{ablate_fills.TITLES[value.fill]}”): a mask hides it, such as a sliding window. "
            "Choose another setting, or a shorter text.",
            "looking",
        )
        return None


def _there(selection: Selection, reader: engine.Reader) -> Selection:
    """The selection with heads that this model has; others are left out, and that is said."""
    every = heads_of(reader)
    heads = set(every)
    gone = tuple(one for one in selection.gone if one in heads)
    if gone != selection.gone:
        say.problem("Heads that this model does not have were left out.", "heads")
        selection = state.correct(gone=gone)
        state.publish(selection)
    if selection.chosen not in heads:
        layer, number = every[0]
        if selection.chosen != DEFAULT.chosen:  # else nobody asked for it
            say.problem(phrases.replaced(reader, selection.chosen, every[0]), "head")
        selection = state.correct(layer=layer, head=number)
        state.publish(selection)
    return selection

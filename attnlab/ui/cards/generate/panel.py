"""The page Generate below its experiments."""

from __future__ import annotations

import streamlit as st

from attnlab.ui import engine, fit, generate_play, generate_runs, models, say
from attnlab.ui.cards import sentences
from attnlab.ui.cards.generate import cache, coming, controls, every, head, text
from attnlab.ui.generate_runs import Shown
from attnlab.ui.generate_selection import Generate
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Generate) -> None:
    """The prompts, how they are written on, and what is seen of it.

    Raises:
        AttnLabError: the model or a prompt does not fit; the message says why.
    """
    two = value.runs == "two"
    targets = sentences.draw(selection) if two else {"A": sentences.draw_one(selection)}
    reader = models.open_model(selection)
    with st.sidebar:
        models.trust_line(reader)
    if reader.writes:
        for box in targets.values():
            box()
    reader = _reader(reader, selection)
    if not reader.layers:
        say.remark("This model has no attention that can be shown.", "no-attention")
        return
    selection = fit.fitted(selection, reader)
    value, runs = _runs(reader, selection, value)
    with st.container(key="cards"):
        left, right = st.columns([1.35, 1], gap="small")
    with left:
        head.draw(reader, selection, value, runs)
    with right:
        coming.draw(reader, runs)
    with right if len(runs) == 1 else left:
        cache.draw(reader, runs)
    every.draw(reader, selection, value, runs)


def _reader(reader: engine.Reader, selection: Selection) -> engine.Reader:
    """Of an encoder-decoder the decoder's attention: what its source says, unless itself."""
    if not reader.writes:
        return reader
    wished = selection.role if selection.role in ("decoder", "cross") else "cross"
    there = [role for role in reader.roles if role != "encoder"]
    return engine.with_role(reader, wished if wished in there else there[0] if there else "decoder")


def _runs(
    reader: engine.Reader, selection: Selection, value: Generate
) -> tuple[Generate, list[Shown]]:
    """The runs, one token further while it plays, in the card of the text."""
    before, value = value, generate_play.advanced(value)
    with st.container(border=True, key="card-writing"):
        text.title(reader)
        controls.going(value)
        controls.changes(value, selection)
        keep = generate_runs.keep_of(value)
        edits = generate_runs.edits_of(value, selection, reader)
        if value.runs == "edited" and not edits and keep is None:
            words = "Nothing is changed yet: choose what the second run goes without, or forgets."
            say.remark(words, "edits")
        names = {"A": "Sentence A", "B": "Sentence B"}
        runs = [
            generate_runs.shown(reader, one, value, selection.chosen, names[one.side])
            for one in generate_runs.tracks(value, selection, edits, keep)
        ]
        made = dict(zip(("made", "made2"), (run.made for run in runs), strict=False))
        value = generate_play.settled(value, before, made)
        text.draw(reader, runs)
    return value, runs

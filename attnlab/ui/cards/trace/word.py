"""A word in A and B: how its vector becomes what it means there, layer by layer."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import streamlit as st

from attnlab.analysis.alignment import words
from attnlab.analysis.meaning import Meaning
from attnlab.errors import InputError
from attnlab.ui import engine, export, models, mount_diagram, own, say
from attnlab.ui.cards import sentences
from attnlab.ui.cards.parts import group
from attnlab.ui.engine import trace
from attnlab.ui.engine.keys import Passage
from attnlab.ui.export import trace as saved
from attnlab.ui.selection import Selection
from attnlab.ui.trace_selection import MOST_TYPED, TRACE, Traced
from attnlab.viz import lines
from attnlab.viz.diagram import Diagram

ABOUT: Final = (
    "The same word has the same vector in both sentences before the first layer: cosine 1. Each "
    "layer mixes in what stands around it, and the two part. All vectors of a deep layer resemble "
    "one another, so the dashed line shows how near the other words of B are, on average."
)
_PRONOUNS: Final = ("it", "she", "he", "they")
_MOST_TOWARD: Final = 3


def draw(selection: Selection, value: Traced) -> None:
    """The texts, the word, and its cosine by layer.

    Raises:
        AttnLabError: the model or the texts do not fit; the message says why.
    """
    sentences.draw(selection)
    reader = models.loaded(selection)
    if not selection.b.strip():
        raise InputError("Write a sentence B that shares a word with A.")
    a, b = Passage(selection.a), Passage(selection.b)
    there = _common(reader, a, b)
    with st.container(border=True, key="card-word"):
        st.markdown("**One word, two sentences**", help=ABOUT)
        _boxes(there)
        toward = tuple(dict.fromkeys(value.toward.split()))[:_MOST_TOWARD]
        word = value.word.strip() or there
        found = trace.meant(reader, a, b, word, toward)
        drawn = _picture(word, found)
        mount_diagram.diagram("word", drawn)
        sentence = said(word, found)
        say.remark(sentence, "word")
        with st.container(horizontal=True, key="actions-word"):
            export.menu("save-word", saved.word(reader, (a, b), found, drawn, sentence))


def _boxes(usual: str) -> None:
    """The word, and those that it may come nearer to; ``usual`` is meant where none is typed."""
    with st.container(horizontal=True, vertical_alignment="center", key="switches"):
        for name, shown, label, hint, wide in (
            ("word", "The word", "The word", usual, 165),
            ("toward", "nearer to", "Compared with", "words, with spaces", 230),
        ):
            with group(name):
                st.markdown(shown, width="content")
                st.text_input(
                    label,
                    key=own.seeded(TRACE, name),
                    placeholder=hint,
                    max_chars=MOST_TYPED,
                    label_visibility="collapsed",
                    width=wide,
                )


def _common(reader: engine.Reader, a: Passage, b: Passage) -> str:
    """A word of both texts: a pronoun, or the last one that both have.

    Raises:
        InputError: they share none.
    """
    source = engine.with_role(reader, "encoder") if reader.writes else reader
    both = []
    for passage, name in ((a, "Sentence A"), (b, "Sentence B")):
        tokens, _ = engine.tokens_of(source, passage, name)
        both.append([span.text for span in words([_text(token) for token in tokens])])
    common = [one for one in both[0] if one in both[1] and any(map(str.isalnum, one))]
    if not common:
        raise InputError("The sentences share no word; write a B that has one of A’s words.")
    return next((one for one in common if one.lower() in _PRONOUNS), common[-1])


def _text(token: Any) -> str | None:
    return None if token.special else token.text


def _picture(word: str, found: Meaning) -> Diagram:
    """The word in A and B; below it, how near other words are in each."""
    after = list(range(len(found.cosine)))
    shown = [lines.Line(f"“{word}” in A and in B", found.cosine.tolist(), "ink")]
    if np.isfinite(found.others).all():
        others = found.others.tolist()
        shown.append(lines.Line("other words of B", others, "mute", dashed=True, thick=1.6))
    options = {"x_name": "layers", "write": _write, "wide": 860.0}
    sheet = lines.lines("Cosine", after, shown, high=230, **options)
    for name, (in_a, in_b) in found.toward.items():
        both = [
            lines.Line("in A", in_a.tolist(), "a"),
            lines.Line("in B", in_b.tolist(), "b"),
        ]
        chart = lines.lines(f"“{word}” and “{name}”", after, both, high=180, **options)
        sheet.place(0, sheet.height + 14, chart)
        sheet.height += 14 + chart.height
    return sheet


def _write(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def said(word: str, found: Meaning) -> str:
    """Whether the two part, and where most."""
    if found.fixed:
        return (
            f"“{word}” is the same in both, in every layer: nothing that differs comes before it, "
            "and this model never looks ahead. What the word means here, it cannot know yet."
        )
    layer, lowest = found.lowest
    if layer == 0:
        return f"“{word}” is as near in B as at the start."
    count = len(found.cosine) - 1
    return f"“{word}” differs most after {layer} of {count} layers: cosine {lowest:.2f}."

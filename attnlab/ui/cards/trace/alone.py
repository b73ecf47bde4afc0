"""What a head does to words by itself: who would look at whom, and what it would write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import streamlit as st

from attnlab.ui import engine, export, mount_diagram, own, say
from attnlab.ui.cards.parts import group
from attnlab.ui.engine import inside
from attnlab.ui.engine.inside import Looking, Writing
from attnlab.ui.export import inside as saved
from attnlab.ui.selection import Head
from attnlab.ui.trace_selection import MOST_APART, MOST_WORDS, TRACE, Traced
from attnlab.viz import figured
from attnlab.viz.figures import minus
from attnlab.viz.svg.text import told_apart

ABOUT: Final = (
    "The head is given words and nothing else: the layers before it are skipped. **Looks**: the "
    "score with which one word looks at another that stands so far before it (query-key circuit). "
    "**Writes**: what a word that is looked at adds to the logits of words (output-value circuit; "
    "Elhage et al. 2021). In the first layer that is what the head really does; in later ones it "
    "reads what others have written, which is missing here."
)


def draw(reader: engine.Reader, head: Head, value: Traced, tokens: Sequence[Any]) -> None:
    """The words, their distance, and two tables.

    Args:
        tokens: of the text, whose words stand here where none are typed.

    Raises:
        AttnLabError: cross-attention, words that do not fit, or the work was stopped.
    """
    _boxes(inside.words_of(reader, "", tokens))
    words = inside.words_of(reader, value.words, tokens)
    ids, names = [token.id for token in words], told_apart(words)
    look = say.unless_refused(lambda: inside.looking(reader, head, ids, value.apart), "looking")
    wrote = say.unless_refused(lambda: inside.writing(reader, head, ids), "writing")
    tables = []
    if look is not None:
        tables.append(_table("Looks: score", names, look.scores, ("looks", "at"), ()))
    if wrote is not None:
        tables.append(
            _table("Writes: logits", names, wrote.logits, ("seen", "made likelier"), wrote.promoted)
        )
    if not tables:
        return
    label = "What a head does to words by themselves."
    drawn = mount_diagram.side_by_side("alone", figured.figured, tables, label=label)
    sentence = said(names, look, wrote, value.apart)
    say.remark(sentence, "alone")
    with st.container(horizontal=True, key="actions-alone"):
        kept = saved.alone(reader, head, names, look, wrote, value.apart, drawn, sentence)
        export.menu("save-alone", kept)


def _boxes(usual: Sequence[Any]) -> None:
    """The words, and how far apart they stand; ``usual`` are meant where none are typed."""
    with st.container(horizontal=True, vertical_alignment="center", key="asked", gap="small"):
        with group("words"):
            st.markdown("Words", width="content")
            st.text_input(
                "Words",
                key=own.seeded(TRACE, "words"),
                placeholder=" ".join(token.text.strip() for token in usual),
                max_chars=MOST_WORDS,
                label_visibility="collapsed",
                width=360,
            )
        with group("apart"):
            st.markdown("looking", width="content")
            with st.container(key="size-apart", width=110):
                st.number_input(
                    "Words back",
                    min_value=0,
                    max_value=MOST_APART,
                    step=1,
                    key=own.seeded(TRACE, "apart"),
                    label_visibility="collapsed",
                )
            st.markdown("words back", width="content")


def _table(
    name: str,
    names: Sequence[str],
    values: np.ndarray,
    axes: tuple[str, str],
    promoted: Sequence[Sequence[tuple[str, float]]],
) -> figured.Table:
    def told(row: int, column: int) -> tuple[str, ...]:
        lines = [_write(float(values[row, column]))]
        if promoted:
            most = ", ".join(f"“{word}” {_write(much)}" for word, much in promoted[row])
            lines.append(f"most of all words: {most}")
        return tuple(lines)

    return figured.Table(name, names, names, values.tolist(), _write, told, axes=axes)


def _write(value: float) -> str:
    return (
        "0" if abs(value) < 5e-4 else minus(f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}")
    )


def said(names: Sequence[str], look: Looking | None, wrote: Writing | None, apart: int) -> str:
    """Who would look at whom most, and whether the head copies."""
    parts = []
    if look is not None:
        row, column = np.unravel_index(int(look.scores.argmax()), look.scores.shape)
        parts.append(
            f"At distance {apart}, “{names[row]}” looks hardest at “{names[column]}”: score "
            f"{_write(float(look.scores.max()))}."
        )
        if look.bias:
            parts.append(f"{_write(look.bias)} of every score is for the distance.")
        if look.bent:
            parts.append("This model bends its scores afterwards.")
    if wrote is not None and len(names) == 1:
        itself = float(wrote.logits[0, 0])
        how = "likelier" if itself > 0 else "less likely"
        parts.append(f"Seen, “{names[0]}” makes itself {how}: {_write(itself)} logits.")
    elif wrote is not None:
        own_first = int((wrote.logits.argmax(-1) == np.arange(len(names))).sum())
        parts.append(
            f"{own_first} of {len(names)} words make themselves likelier than the others"
            f" (copying {_write(wrote.copying)}; 1 is a pure copier)."
        )
    return " ".join(parts)

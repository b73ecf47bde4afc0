"""The head that is looked at: what it does, and where it looks."""

from __future__ import annotations

import streamlit as st

from attnlab.ui import engine, explain, mount, own, say
from attnlab.ui.ablate_measure import Measured, write
from attnlab.ui.ablate_selection import ABLATE
from attnlab.ui.cards.ablate.found import Found
from attnlab.ui.cards.ablate.gone import Gone, toggle
from attnlab.ui.cards.parts import action
from attnlab.ui.engine.ask import Ask
from attnlab.ui.phrases import title
from attnlab.ui.selection import Selection
from attnlab.viz.heads import full


def draw(ask: Ask, measured: Measured, away: Gone, found: Found) -> None:
    """Its effect beside that of the others, and its attention on the text.

    Raises:
        AttnLabError: the text does not fit, or the work was stopped.
    """
    chosen = away.chosen
    head = chosen.chosen
    with st.container(border=True, key="card-chosen"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-chosen"):
            st.markdown(f"**{full(head)}**", width="stretch", help=explain.HEAD)
            gone = head in chosen.gone
            label = f"Give {title(head)} back" if gone else f"Take {title(head)} away"
            if gone or not away.full:
                action(label, "toggle-head", toggle, args=(head,))
        value = found.exact.get(head)
        if value is not None:
            with st.container(key="answer-chosen"):
                st.text(f"{write(value)} {measured.unit}")
        say.remark(_said(ask, measured, chosen, found), "chosen")
        reading = engine.read(ask.reader, ask.passage, "Sentence A", head)
        weights = engine.head_weights(ask.reader, ask.passage, reading, *head)
        mount.head(
            "chosen-head",
            a=weights,
            tokens_a=reading.tokens,
            sources_a=reading.sources if ask.reader.role == "cross" else None,
            row_a=_row(ask, measured, len(reading.tokens)),
            mode="words",
            causal=ask.reader.causal,
            sink=ask.reader.sink,
            label=full(head),
            on_change=_word_clicked if _predicts_after(ask) else None,
        )


def _predicts_after(ask: Ask) -> bool:
    """Whether the words that look are those after which something is predicted."""
    kind, role = ask.reader.lab.head_kind, ask.reader.role
    return kind != "none" and (role != "encoder" if ask.reader.writes else True)


def _row(ask: Ask, measured: Measured, count: int) -> int | None:
    """The word that looks: the one whose prediction is measured."""
    return measured.position % count if _predicts_after(ask) else None


def _word_clicked() -> None:
    """A word that looks: its prediction is what is measured from now on."""
    pin = mount.head_value("chosen-head")
    if pin is not None:
        own.choose(ABLATE, at=pin["position"])


def _said(ask: Ask, measured: Measured, chosen: Selection, found: Found) -> str:
    """Its place among all heads, and what was estimated."""
    head, parts = chosen.chosen, []
    rank = found.rank(head)
    if rank is not None:
        parts.append(f"Alone it ranks {rank} of {len(ask.heads)}.")
    guess = found.estimate.get(head)
    if guess is not None:
        parts.append(f"Estimated: {write(guess)} {measured.unit}.")
    return " ".join(parts) or "Its exact effect is not known yet."

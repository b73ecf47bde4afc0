"""What takes the place of a head's output, and how its effect is measured."""

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from attnlab.ui import ablate_fills, ablate_measure, answers, engine, own, say
from attnlab.ui.ablate_measure import Measured
from attnlab.ui.ablate_selection import (
    ABLATE,
    FILLS,
    MOST_TYPED,
    OF_LAYERS,
    Ablate,
    Fill,
    metrics_of,
)
from attnlab.ui.cards import after
from attnlab.ui.cards.parts import group
from attnlab.ui.engine import sweep
from attnlab.ui.engine.keys import Passage
from attnlab.viz.svg.text import spoken

_LABELS: Final = {"token": "The word", "answer": "Lead of", "other": "over"}


def draw(
    value: Ablate, reader: engine.Reader, passage: Passage, tokens: Sequence[Any]
) -> tuple[Ablate, Measured]:
    """The choices; returns what is shown, and the metric.

    Args:
        tokens: those after which something is predicted.

    Raises:
        AttnLabError: an answer does not fit, or the work was stopped.
    """
    value = after.there(ABLATE, _possible(value, reader), len(tokens))
    with st.container(horizontal=True, vertical_alignment="center", key="switches", gap="medium"):
        _fill(reader)
        options = metrics_of(reader.lab.head_kind)
        if len(options) > 1:
            with group("measure"):
                st.markdown("Measure", help=ablate_measure.ABOUT, width="content")
                st.segmented_control(
                    "Measure",
                    options,
                    key=own.seeded(ABLATE, "metric"),
                    required=True,
                    format_func=ablate_measure.TITLES.get,
                    label_visibility="collapsed",
                    width=335,
                )
        position = _position(value, reader, tokens)
        if value.fill in OF_LAYERS:
            st.checkbox("feed-forwards too", key=own.seeded(ABLATE, "feed"))
    _answers(value, reader, passage, position, len(tokens))
    return value, _measured(value, reader, passage, tokens, position)


def _fill(reader: engine.Reader) -> None:
    with group("set"):
        st.markdown("Set to", help=ablate_fills.ABOUT, width="content")
        st.selectbox(
            "What a head is set to",
            fills_of(reader),
            key=own.seeded(ABLATE, "fill"),
            format_func=ablate_fills.TITLES.get,
            label_visibility="collapsed",
            width=250,
        )


def _measured(
    value: Ablate,
    reader: engine.Reader,
    passage: Passage,
    tokens: Sequence[Any],
    position: int,
) -> Measured:
    """The metric; where an answer does not fit, that is said, and a likely one stands in for it.

    Raises:
        AttnLabError: the measure does not fit, or the work was stopped.
    """
    found, refused = answers.fitting(
        value,
        ("token", "answer", "other"),
        lambda shown: ablate_measure.measured(shown, reader, passage, tokens, position),
    )
    if refused is not None:
        say.problem(f"{refused} Until then: the {found.what}.", "answer")
    return found


def fills_of(reader: engine.Reader) -> tuple[Fill, ...]:
    """What the heads of a role can be set to."""
    left_out = set()
    if reader.role == "cross":  # its words look at those of another text, which have no place there
        left_out.add("previous")
    if reader.writes and reader.role != "encoder":  # the sentences have no answers that are written
        left_out.add("corpus")
    return tuple(fill for fill in FILLS if fill not in left_out)


def _possible(value: Ablate, reader: engine.Reader) -> Ablate:
    """With a measure that the model has, and with what its heads can be set to."""
    if value.fill not in fills_of(reader):
        titles = ablate_fills.TITLES
        role = reader.role
        say.problem(f"Heads of {role} cannot be set to “{titles[value.fill]}”.", "fill")
        value = own.correct(ABLATE, fill="zero")
        own.publish(ABLATE, value)
    options = metrics_of(reader.lab.head_kind)
    if value.metric in options:
        return value
    if value.metric != ABLATE.default.metric:  # else nobody asked for it
        titles = ablate_measure.TITLES
        there = " or ".join(f"“{titles[one]}”" for one in options)
        said = f"“{titles[value.metric]}” cannot be measured in {reader.title}; {there} can."
        say.problem(said, "metric")
    value = own.correct(ABLATE, metric=options[0])
    own.publish(ABLATE, value)
    return value


def _position(value: Ablate, reader: engine.Reader, tokens: Sequence[Any]) -> int:
    """The token whose prediction is looked at."""
    usual = answers.usual_position(reader, tokens)
    position = usual if value.at < 0 else value.at
    if value.metric in ("kl", "token", "difference"):
        sign = "at" if reader.lab.head_kind == "masked" else "after"
        after.box(ABLATE, sign, tokens, position, usual)
    return position


def _answers(
    value: Ablate, reader: engine.Reader, passage: Passage, position: int, count: int
) -> None:
    """The words that are followed; the likeliest stand in the boxes that are left empty."""
    fields = {"token": ("token",), "difference": ("answer", "other")}.get(value.metric, ())
    if not fields:
        return
    at = -1 if position == count - 1 else position
    likely = sweep.next_words(reader, passage, at).before
    with st.container(horizontal=True, vertical_alignment="center", key="answers", gap="small"):
        for place, field in enumerate(fields):
            with group(field):
                st.markdown(_LABELS[field], width="content")
                st.text_input(
                    _LABELS[field],
                    key=own.seeded(ABLATE, field),
                    placeholder=spoken(likely[place][0]).strip(),
                    max_chars=MOST_TYPED,
                    label_visibility="collapsed",
                    width=150,
                )

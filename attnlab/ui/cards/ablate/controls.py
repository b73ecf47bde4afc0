"""What takes the place of a head's output, and how its effect is measured."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from attnlab.errors import InputError
from attnlab.ui import ablate_fills, ablate_measure, engine, own, say, widget
from attnlab.ui.ablate_measure import Measured
from attnlab.ui.ablate_selection import ABLATE, FILLS, MOST_TYPED, Ablate, metrics_of
from attnlab.ui.engine import sweep
from attnlab.ui.engine.keys import Passage
from attnlab.viz.svg.text import spoken

_LABELS: Final = {"token": "The word", "answer": "Lead of", "other": "over"}
_FILLED: Final = (
    "A head adds a few numbers to each word. **Zero**: it adds nothing, which the model never met "
    "in training. **Its mean**: the same for every word, the mean over this text. **What it is "
    "in B**: what the same head hands on in sentence B, word by word; only what differs between "
    "the sentences is taken away."
)


def draw(
    value: Ablate, reader: engine.Reader, passage: Passage, tokens: Sequence[Any]
) -> tuple[Ablate, Measured]:
    """The choices; returns what is shown, and the metric.

    Args:
        tokens: those after which something is predicted.

    Raises:
        AttnLabError: an answer does not fit, or the work was stopped.
    """
    value = _possible(value, reader)
    with st.container(horizontal=True, vertical_alignment="center", key="switches", gap="medium"):
        with _group("set"):
            st.markdown("Set to", help=_FILLED, width="content")
            st.segmented_control(
                "What a head hands on is set to",
                FILLS,
                key=own.seeded(ABLATE, "fill"),
                required=True,
                format_func=ablate_fills.TITLES.get,
                label_visibility="collapsed",
                width=270,
            )
        options = metrics_of(reader.lab.head_kind)
        if len(options) > 1:
            with _group("measure"):
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
    _answers(value, reader, passage, position, len(tokens))
    return value, _measured(value, reader, passage, tokens, position)


def _group(name: str) -> Any:
    """A label that stays beside its control where a row is broken."""
    return st.container(
        horizontal=True,
        vertical_alignment="center",
        width="content",
        gap="small",
        key=f"group-{name}",
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
    typed = {name for name in ("token", "answer", "other") if getattr(value, name).strip()}
    tries: tuple[tuple[str, ...], ...] = ((), ("other",), ("answer",), ("token", "answer", "other"))
    refused: InputError | None = None
    for left_out in tries:
        if left_out and not typed & set(left_out):
            continue
        try:
            shown = replace(value, **dict.fromkeys(left_out, ""))
            found = ablate_measure.measured(shown, reader, passage, tokens, position)
        except InputError as error:
            refused = refused or error
            continue
        if refused is not None:
            say.problem(f"{refused} Until then: the {found.what}.", "answer")
        return found
    raise refused


def _possible(value: Ablate, reader: engine.Reader) -> Ablate:
    """With a measure that the model has."""
    options = metrics_of(reader.lab.head_kind)
    if value.metric in options:
        return value
    titles = ablate_measure.TITLES
    there = " or ".join(f"“{titles[one]}”" for one in options)
    said = f"“{titles[value.metric]}” cannot be measured in {reader.title}; {there} can."
    say.problem(said, "metric")
    value = own.correct(ABLATE, metric=options[0])
    own.publish(ABLATE, value)
    return value


def unasked(reader: engine.Reader, tokens: Sequence[Any]) -> int:
    """Where a prediction is looked at before anything is chosen: at the mask, or the end."""
    mask = engine.mask_position(reader, tokens)
    return len(tokens) - 1 if mask is None else mask


def _position(value: Ablate, reader: engine.Reader, tokens: Sequence[Any]) -> int:
    """The token whose prediction is looked at."""
    usual = unasked(reader, tokens)
    there = value.at if 0 <= value.at < len(tokens) else usual
    if value.at >= len(tokens):
        say.problem(f"Sentence A has no token {value.at:,}; the last is {len(tokens) - 1}.", "at")
        own.publish(ABLATE, own.correct(ABLATE, at=-1))
    if value.metric not in ("kl", "token", "difference"):
        return there
    key = widget.mirrored("ablate-after", there)
    st.selectbox(
        "Prediction after",
        range(len(tokens)),
        key=key,
        format_func=lambda at: f"{_where(reader)} {at} · {spoken(tokens[at]).strip()}",
        on_change=_moved,
        args=(key, usual),
        label_visibility="collapsed",
        width=190,
    )
    return there


def _where(reader: engine.Reader) -> str:
    return "at" if reader.lab.head_kind == "masked" else "after"


def _moved(key: str, usual: int) -> None:
    at = st.session_state[key]
    own.choose(ABLATE, at=-1 if at == usual else at)


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
            st.markdown(_LABELS[field], width="content")
            st.text_input(
                _LABELS[field],
                key=own.seeded(ABLATE, field),
                placeholder=spoken(likely[place][0]).strip(),
                max_chars=MOST_TYPED,
                label_visibility="collapsed",
                width=150,
            )

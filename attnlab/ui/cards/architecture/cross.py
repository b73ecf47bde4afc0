"""Cross-attention: what a real encoder-decoder looks at while it writes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

import streamlit as st

from attnlab.pretrained.catalogue import lookup
from attnlab.ui import engine, export, models, mount, own, say, scene, state, widget
from attnlab.ui.architecture_selection import (
    ARCHITECTURE,
    DATES,
    DRAWN_AS,
    MOST_DATE,
    Architecture,
)
from attnlab.ui.engine import written
from attnlab.ui.engine.written import Written
from attnlab.ui.phrases import title
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Head, Selection
from attnlab.viz.heads import full

_MODEL: Final = "dates"  # ours; it stands in where the loaded model has no cross-attention
_MOST_WRITTEN: Final = {_MODEL: 16}  # tokens
_MOST_OTHERS: Final = 60
_FEW_HEADS: Final = 8  # as many stand side by side
_FEW_PARTS: Final = 6  # as many are told in sentences
_KNOWS: Final = (
    "It learned dates from 1900 to 2099, in English and in digits, and nothing else: it makes a "
    "date of any words."
)
_NO_DAY: Final = "There is no such day."
_CROSS: Final = (
    "The words that are written ask, the words that were read answer: queries come from the "
    "decoder, keys and values from the encoder. Each row is what is being written, each column "
    "what can be looked at."
)
_ONE_ROW: Final = (
    "The framed row writes one token. A sentence above is a mean over all tokens of its part, so "
    "the two may differ."
)
_SHARE: Final = (
    "The share of this head's attention that lies on the word: the sum over its tokens, and the "
    "mean over those being written."
)


def draw(selection: Selection) -> None:
    """A text, what the model writes for it, and where one head looks meanwhile."""
    reader = _reader(selection)
    text = _box(reader)
    most = _MOST_WRITTEN.get(reader.key.model, _MOST_OTHERS)
    told = written.written(reader, text, "The text", most)
    with st.container(border=True, key="card-cross"):
        _answer(reader, told)
        head = _head(told)
        if head is None:
            say.remark("There is no word here that could be looked at.", "cross-none")
            return
        _statements(reader, told, head)
        _picture(_scene(reader, selection, text, told, head), told, head)


def _reader(selection: Selection) -> engine.Reader:
    """The loaded model where it writes what it read anew, else the dates model."""
    reader = models.loaded(selection)
    if not (reader.writes and "cross" in reader.roles and reader.lab.tokenizer is not None):
        reader = models.open_model(replace(selection, model=_MODEL, ours=False))
    return engine.with_role(reader, "cross")


def _box(reader: engine.Reader) -> str:
    """What is read: a date for the dates model, sentence A for any other."""
    with st.container(key="sentences", gap="xsmall"):
        if reader.key.model != _MODEL:
            st.text_input("Sentence A", key=state.seeded("a"))
            return state.current().a
        key = own.seeded(ARCHITECTURE, "date")
        st.text_input("A date, written in any way", key=key, on_change=_from_the_start)
        with st.container(horizontal=True, key="dates", gap="xsmall"):
            for number, way in enumerate(DATES):
                on = "on-" if way == own.current(ARCHITECTURE).date else ""
                st.button(way, key=f"try-{on}date-{number}", on_click=_take, args=(way,))
    return own.current(ARCHITECTURE).date


def _take(way: str) -> None:
    own.choose(ARCHITECTURE, date=way, row=Architecture.row)


def _from_the_start() -> None:
    """Another date is written in other tokens: the one that was looked from is let go."""
    own.choose(ARCHITECTURE, row=Architecture.row)
    own.keep_first(ARCHITECTURE, "date", MOST_DATE)


def _answer(reader: engine.Reader, told: Written) -> None:
    """What was written, and by which model."""
    with st.container(horizontal=True, vertical_alignment="center", key="title-cross"):
        st.markdown(f"**{'It writes' if told.ended else 'It writes, cut here'}**", width="content")
        with st.container(key="answer-cross", width="stretch"):
            st.text(told.text)
        say.pill(reader.title, "cross-model")
    if reader.key.model == _MODEL:
        say.remark(_KNOWS if _in_calendar(told.text) else f"{_NO_DAY} {_KNOWS}", "knows")


def _in_calendar(written: str) -> bool:
    try:
        date.fromisoformat(written)
    except ValueError:
        return False
    return True


def _head(told: Written) -> Head | None:
    """The chosen head where the model has it, else the one that tells the parts apart best."""
    wished = own.current(ARCHITECTURE).look
    if wished in told.looks or told.best is None:
        return wished if wished in told.looks else None
    if wished is not None:
        doubt = f"This cross-attention has no head {title(wished)}; this is {title(told.best)}."
        _corrected(doubt, look=None)
    return told.best


def _corrected(doubt: str, **changes: Any) -> None:
    """Says what of a link could not be shown, and writes what is shown to the address."""
    say.problem(doubt, f"cross-{next(iter(changes))}")
    own.publish(ARCHITECTURE, own.correct(ARCHITECTURE, doubt, **changes))


def _statements(reader: engine.Reader, told: Written, head: Head) -> None:
    """What this head does, in words, computed from its weights."""
    with st.container(key="told-cross", gap=None):
        for number, look in enumerate(told.looks[head][:_FEW_PARTS]):
            sentence = (
                f"While writing {look.part.name}, head {title(head)} looks at "
                f"“{look.span.text}” with {look.weight:.2f}."
            )
            say.remark(sentence, f"look-{number}", help=None if number else _SHARE)
    entry = lookup(reader.key.model)
    if reader.key.model == _MODEL and entry.example.head is not None:
        say.remark(
            f"{title(entry.example.head)} was taught, at the end of its training, to look at what "
            "it writes; the other heads found their own ways.",
            "taught",
        )


def _picture(of: Scene, told: Written, head: Head) -> None:
    """The head's cross-attention, the choice of a head, and what is saved of it."""
    weights = written.head_weights(told, of.reader, head)
    with st.container(horizontal=True, vertical_alignment="center", key="choose-cross"):
        st.markdown(f"**{full(head)}**", width="content", help=_CROSS)
        _choose_head(list(told.looks), head)
        st.space("stretch")
        st.segmented_control(
            "Drawn as",
            DRAWN_AS,
            key=own.seeded(ARCHITECTURE, "drawn"),
            required=True,
            label_visibility="collapsed",
        )
    mount.head(
        "cross",
        a=weights,
        tokens_a=of.a.tokens,
        lead="While writing",
        label=f"Cross-attention, {full(head)}",
        on_change=_clicked,
        **scene.head_options(of),
    )
    say.remark(_ONE_ROW, "cross-row")
    with st.container(horizontal=True, gap="medium", key="actions-cross"):
        export.menu("save-cross", export.head(of, weights, None))


def _choose_head(heads: Sequence[Head], shown: Head) -> None:
    """Every head of the cross-attention, in order."""
    key = widget.mirrored("choice-cross", shown)
    options = {"label_visibility": "collapsed", "format_func": title}
    choose = {"on_change": _head_chosen, "args": (key,)}
    if len(heads) <= _FEW_HEADS:
        st.segmented_control("Head", sorted(heads), key=key, required=True, **options, **choose)
    else:
        st.selectbox("Head", sorted(heads), key=key, width=120, **options, **choose)


def _head_chosen(key: str) -> None:
    own.choose(ARCHITECTURE, look=st.session_state[key])


def _clicked() -> None:
    pin = mount.head_value("cross")
    if pin is not None:
        own.choose(ARCHITECTURE, row=pin["position"])


def _scene(
    reader: engine.Reader, selection: Selection, text: str, told: Written, head: Head
) -> Scene:
    """The picture as a scene of its own: the text is A, what was written its target."""
    drawn = replace(
        selection,
        model=reader.key.model,
        a=text,
        b="",
        target_a=told.text,
        role="cross",
        layer=head[0],
        head=head[1],
        mode=own.current(ARCHITECTURE).drawn,
        side="A",
        position=_row(told, head),
        key=None,
    )
    return Scene(reader, drawn, told.reading, None)


def _row(told: Written, head: Head) -> int:
    """The token being written that is looked from: the clicked one, else where a part begins."""
    row, count = own.current(ARCHITECTURE).row, len(told.reading.tokens)
    if row >= count:
        doubt = f"{count} tokens were written, and none is numbered {row:,}."
        _corrected(doubt, row=Architecture.row)
    return row if 0 <= row < count else _first_row(told, head)


def _first_row(told: Written, head: Head) -> int:
    """Where the part begins during which this head looks at a word most."""
    return max(told.looks[head], key=lambda look: look.weight).part.places[0]

"""Experiments of the page Masks: one click sets everything up, a sentence says what to see.

What they claim is recomputed by tests/ui/test_masks_lessons.py. Nothing here imports Streamlit.
"""

from collections.abc import Mapping
from typing import Any, Final

from attnlab.ui import lessons
from attnlab.ui.lessons import Lesson
from attnlab.ui.masks_cells import Painted
from attnlab.ui.masks_selection import THREE, WORDS, Masks
from attnlab.ui.selection import SENTENCE_A, Selection

SMOLLM: Final = "smollm2-135m"

_ON_PAPER: Final = ("panel", "words", "cells", "kind", "window", "sinks")
_SET_UP: Final = {
    "paper": _ON_PAPER,
    "model": ("panel", "painted", "kind", "window", "sinks", "first", "last", "heads", "native"),
    "sinks": ("panel", "source", "length", "wide", "keep"),
    "layouts": ("panel", "source", "length", "wide", "every", "hold"),
}
"""By panel: with other values of these, the sentence of an experiment would not be true."""


def _lesson(
    name: str,
    title: str,
    look_for: str,
    shared: Mapping[str, Any] | None = None,
    also: tuple[str, ...] = (),
    **shown: Any,
) -> Lesson:
    return Lesson(name, title, look_for, Masks(lesson=name, **shown), shared or {}, also)


LESSONS: Final = (
    _lesson(
        "three-words",
        "Three words",
        "Each row learns to predict the word after it from what it sees. A sees itself alone, so "
        "B is a guess. Paint the cell that shows A the word B, and there is nothing to learn.",
        words=THREE,
        kind="causal",
        row=1,
        also=("row", "cells"),
    ),
    _lesson(
        "seventy",
        "70 of 136",
        "A window of 4 that keeps the first word needs 70 of the 136 scores. The longer the text, "
        "the more it saves: of 131,072 tokens with a window of 4,096, one score in 16 is left.",
        words=WORDS,
        kind="sinks",
        window=4,
        sinks=1,
        far=131_072,
        far_window=4_096,
        also=("far", "far_window"),
    ),
    _lesson(
        "layers",
        "Layer by layer",
        "Through one layer the last word hears three words back. Each further layer adds three "
        "more, and after five it has heard from the first. Press play.",
        words=WORDS,
        kind="window",
        window=4,
        layers=5,
        row=15,
        also=("layers", "row"),
    ),
    _lesson(
        "one-cell",
        "One cell",
        "“The” says nothing about France. Yet hidden from “is” alone, it takes “Paris” from 0.77 "
        "to nothing: it is where most heads rest. Click the violet cell to give it back.",
        {"model": SMOLLM, "a": "The capital of France is"},
        panel="model",
        kind="causal",
        painted=Painted(hidden=((4, 0),)),
        also=("at", "painted"),
    ),
    _lesson(
        "answer",
        "The answer in sight",
        "Shown the future, the model predicts words that it has already read: its loss falls to a "
        "tenth. A model that is to learn writing must not see them.",
        {"model": SMOLLM, "a": SENTENCE_A},
        panel="model",
        kind="bidirectional",
        also=("at",),
    ),
    _lesson(
        "first-word",
        "The first word",
        "Once the window has moved past the first word, the loss climbs and stays high. Keep that "
        "one word in sight, and most of the damage is undone.",
        {"model": SMOLLM},
        panel="sinks",
        length=512,
        wide=64,
    ),
    _lesson(
        "layouts",
        "Every fifth layer",
        "Here, full attention in every fifth layer takes some of the loss back, "
        "far less than one kept word does: the other layers still miss it. Let the windows keep "
        "one token, and compare. On other texts and windows full layers alone can even cost.",
        {"model": SMOLLM},
        panel="layouts",
        length=512,
        wide=64,
    ),
)


def set_up(lesson: Lesson) -> dict[str, Any]:
    """The page's own values that an experiment speaks of."""
    names = (*_SET_UP[lesson.value.panel], *lesson.also)
    return {name: getattr(lesson.value, name) for name in names}


def named(name: str) -> Lesson | None:
    """The experiment of this name, or None."""
    return lessons.named(LESSONS, name)


def active(value: Masks, selection: Selection) -> Lesson | None:
    """The experiment that is open; None once something that it set up was changed."""
    return lessons.active(LESSONS, set_up, value, selection)

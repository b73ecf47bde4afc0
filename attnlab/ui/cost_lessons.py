"""Experiments of the Cost page: one click sets everything up, a sentence says what to see.

What they claim is recomputed by tests/ui/test_cost_lessons.py. Nothing here imports Streamlit.
"""

from collections.abc import Mapping
from typing import Any, Final

from attnlab.ui import lessons
from attnlab.ui.cost_selection import Cost
from attnlab.ui.lessons import Lesson
from attnlab.ui.selection import Selection

_SET_UP: Final = {
    "growth": ("panel", "measured", "up_to"),
    "tiles": ("panel", "tile"),
    "cache": ("panel", "of", "length", "forgetting", "text", "read", "wide", "first"),
    "recall": ("panel", "given", "pairs", "drawn", "seed"),
    "why": ("panel", "looped"),
}
"""With other values of these, the sentence of an experiment would no longer be true."""


def _lesson(
    name: str, title: str, look_for: str, shared: Mapping[str, Any] | None = None, **shown: Any
) -> Lesson:
    return Lesson(name, title, look_for, Cost(lesson=name, **shown), shared or {})


LESSONS: Final = (
    _lesson(
        "four-times",
        "Twice the text",
        "Twice the text has four times the scores. Naive attention keeps them all at once, so its "
        "memory grows just as fast; in tiles it grows only with the text.",
        panel="growth",
        measured=True,
    ),
    _lesson(
        "same-numbers",
        "Not an approximation",
        "Each tile only corrects what was summed before: by the last one, every row has the same "
        "maximum and the same sum as if it had been read at once.",
        panel="tiles",
        tile=4,
    ),
    _lesson(
        "outgrows",
        "What outgrows the model",
        "From 25,706 tokens on, a short book, the keys and values of Llama 2 7B are heavier than "
        "the model. With eight key/value heads, not 32, they would grow a quarter as fast.",
        panel="cache",
        of="llama-2-7b",
        length=32_768,
    ),
    _lesson(
        "keep-the-first",
        "Keep the first",
        "Once the first token has left a cache of the last 64, every later token costs nearly "
        "twice as many nats. With the first four kept in the same room most of that is undone.",
        {"model": "smollm2-135m"},
        panel="cache",
        forgetting=True,
        read=512,
        wide=64,
    ),
    _lesson(
        "find-it-again",
        "Find it again",
        "Of 32 pairs softmax attention finds nearly all again, and so does the hybrid, which has "
        "it in one layer of four. A state of fixed size holds part of them, a window next to none.",
        panel="recall",
        pairs=32,
    ),
)


def set_up(lesson: Lesson) -> dict[str, Any]:
    """The page's own values that an experiment speaks of."""
    return {name: getattr(lesson.value, name) for name in _SET_UP[lesson.value.panel]}


def named(name: str) -> Lesson | None:
    """The experiment of this name, or None."""
    return lessons.named(LESSONS, name)


def active(value: Cost, selection: Selection) -> Lesson | None:
    """The experiment that is open; None once something that it set up was changed."""
    return lessons.active(LESSONS, set_up, value, selection)

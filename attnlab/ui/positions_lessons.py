"""Experiments of the Positions page: one click sets everything up, a sentence says what to see.

What they claim is recomputed by tests/ui/test_positions_lessons.py. Nothing here imports Streamlit.
"""

from collections.abc import Mapping
from typing import Any, Final

from attnlab.ui import lessons
from attnlab.ui.lessons import Lesson
from attnlab.ui.positions_selection import Positions
from attnlab.ui.selection import SENTENCE_A, Selection

_SET_UP: Final = {
    "schemes": ("scheme", "width", "base", "size", "at", "by", "query", "key", "heads"),
    "order": ("words", "order"),
    "distance": ("vectors", "long", "base", "scaling", "factor", "trained"),
    "model": ("edit", "offset", "to_base", "by_factor"),
    "family": ("text", "times"),
}
"""With other values of these, the sentence of an experiment would no longer be true."""


def _lesson(
    name: str, title: str, look_for: str, shared: Mapping[str, Any] | None = None, **shown: Any
) -> Lesson:
    return Lesson(name, title, look_for, Positions(lesson=name, **shown), shared or {})


LESSONS: Final = (
    _lesson(
        "who-bit-whom",
        "Who bit whom?",
        "Without positions and without a mask every word keeps its vector, wherever it stands: "
        "attention cannot tell who bit whom. A mask alone brings the order back.",
        panel="order",
    ),
    _lesson(
        "going-on",
        "Going on is turning",
        "Move p: all hands turn, but the shaded angles stay. They depend on k alone.",
        panel="schemes",
        scheme="sinusoidal",
        at=12,
        by=5,
    ),
    _lesson(
        "stretched",
        "Four times as far",
        "Interpolation stretches the curve of 128 tokens over 512. No pair then meets an angle "
        "that training never showed; without it the slow ones do.",
        panel="distance",
        scaling="interpolated",
    ),
    _lesson(
        "shift",
        "A hundred further on",
        "SmolLM2 turns queries and keys: told that every word stands 100 further on it predicts "
        "the same. Only distances count.",
        {"model": "smollm2-135m", "a": SENTENCE_A},
        panel="model",
        edit="shifted",
        offset=100,
    ),
    _lesson(
        "untold",
        "Who counts words?",
        "Told nothing about positions, SmolLM2’s heads that look one word back lose their way, and "
        "they change more than all others.",
        {"model": "smollm2-135m", "a": SENTENCE_A},
        panel="model",
        edit="none",
    ),
    _lesson(
        "eightfold",
        "Eight times as long",
        "All five learned on 64 tokens. Further on the waves lose their way, RoPE rises, ALiBi "
        "stays flat, and the learned table ends.",
        panel="family",
        times=8,
    ),
)


def set_up(lesson: Lesson) -> dict[str, Any]:
    """The page's own values that an experiment speaks of."""
    names = ("panel", *_SET_UP[lesson.value.panel])
    return {name: getattr(lesson.value, name) for name in names}


def named(name: str) -> Lesson | None:
    """The experiment of this name, or None."""
    return lessons.named(LESSONS, name)


def active(value: Positions, selection: Selection) -> Lesson | None:
    """The experiment that is open; None once something that it set up was changed."""
    return lessons.active(LESSONS, set_up, value, selection)

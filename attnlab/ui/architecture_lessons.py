"""Experiments of the Architecture page: one click sets everything up, a sentence says what to see.

What they claim is recomputed by tests/ui/test_architecture_lessons.py. Nothing here imports
Streamlit.
"""

from collections.abc import Mapping
from typing import Any, Final

from attnlab.ui import lessons
from attnlab.ui.architecture_selection import Architecture
from attnlab.ui.lessons import Lesson
from attnlab.ui.selection import Selection

_SET_UP: Final = ("panel", "of", "length")
"""With other values of these, the sentence of an experiment would no longer be true."""
_SET_UP_TOO: Final = {"cross": ("date", "look")}
"""The same, of experiments of one panel."""


def _lesson(
    name: str, title: str, look_for: str, shared: Mapping[str, Any] | None = None, **shown: Any
) -> Lesson:
    return Lesson(name, title, look_for, Architecture(lesson=name, **shown), shared or {})


LESSONS: Final = (
    _lesson(
        "two-thirds",
        "Two thirds",
        "Two thirds of a GPT-2 block are feed-forward, where each token is on its own. Attention, "
        "where they meet, is the smaller part.",
        panel="block",
        of="gpt2-small",
    ),
    _lesson(
        "a-third",
        "A third of the cache",
        "Nine query heads share three key/value heads: SmolLM2 keeps a third of what it would keep "
        "if each had its own.",
        {"model": "smollm2-135m"},
        panel="heads",
    ),
    _lesson(
        "outweighs",
        "Heavier than the model",
        "At 131,072 tokens the keys and values of Llama 2 7B take five times as much room as the "
        "model. With eight key/value heads for its 32 query heads they would take a quarter of it.",
        panel="heads",
        of="llama-2-7b",
        length=131_072,
    ),
    _lesson(
        "one-step",
        "One step",
        "From the first word to the last a recurrent network takes a step a word; attention takes "
        "one, and computes all words at once. The price is in the last picture.",
        panel="why",
    ),
    _lesson(
        "ahead",
        "No looking ahead",
        "A decoder hides from each word what comes later, which leaves nearly half of its table "
        "blank. An encoder hides nothing.",
        panel="sees",
    ),
    _lesson(
        "month",
        "Find the month",
        "To write the month this head looks at “July”, to write the year at “2026”, wherever they "
        "stand: what is written asks, what was read answers.",
        panel="cross",
    ),
)


def set_up(lesson: Lesson) -> dict[str, Any]:
    """The page's own values that an experiment speaks of."""
    names = (*_SET_UP, *_SET_UP_TOO.get(lesson.value.panel, ()))
    return {name: getattr(lesson.value, name) for name in names}


def named(name: str) -> Lesson | None:
    """The experiment of this name, or None."""
    return lessons.named(LESSONS, name)


def active(value: Architecture, selection: Selection) -> Lesson | None:
    """The experiment that is open; None once something that it set up was changed."""
    return lessons.active(LESSONS, set_up, value, selection)

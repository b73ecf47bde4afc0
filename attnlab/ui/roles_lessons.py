"""Experiments of the page Head roles: one click sets everything up, a sentence says what to see.

What they claim is recomputed by tests/ui/test_roles_lessons.py. Nothing here imports Streamlit.
"""

from collections.abc import Mapping
from typing import Any, Final

from attnlab.ui import lessons
from attnlab.ui.lessons import Lesson
from attnlab.ui.roles_selection import Roles
from attnlab.ui.selection import Selection

SMOLLM: Final = "smollm2-135m"
MINILM: Final = "minilm-l6"


def _lesson(
    name: str, title: str, look_for: str, shared: Mapping[str, Any], **shown: Any
) -> Lesson:
    return Lesson(name, title, look_for, Roles(lesson=name, **shown), shared)


def _at(model: str, layer: int, head: int) -> dict[str, Any]:
    return {"model": model, "layer": layer, "head": head}


LESSONS: Final = (
    _lesson(
        "again",
        "What came next last time?",
        "Random words, then the same again: L18 H6 looks at the word that followed the last time. "
        "Without all induction heads the model can no longer copy, and its loss more than doubles.",
        _at(SMOLLM, 18, 6),
        only="induction",
        probe="induction",
    ),
    _lesson(
        "subject",
        "Whose verb?",
        "L13 H8 finds the subject of a verb, whichever noun stands nearer. It also scores highest "
        "of all heads for pronouns.",
        _at(SMOLLM, 13, 8),
        only="subject of verb",
        probe="subject of verb",
    ),
    _lesson(
        "rest",
        "Heads at rest",
        "More heads are named for this than for anything else: they rest on the first token, where "
        "there is nothing to fetch, L18 H8 with nearly all of its attention. The text suffers less "
        "without all of them than without as many random heads.",
        _at(SMOLLM, 18, 8),
        only="first token",
        probe="first token",
    ),
    _lesson(
        "neighbours",
        "Before and after",
        "MiniLM reads both ways: L0 H2 looks at the token before on any text, L1 H8 at the token "
        "after. It was not trained to continue a text, and not one head does induction.",
        _at(MINILM, 0, 2),
        only="",
        probe="previous token",
    ),
)


def set_up(lesson: Lesson) -> dict[str, Any]:
    """The page's own values that an experiment speaks of."""
    return {name: getattr(lesson.value, name) for name in ("only", "probe")}


def named(name: str) -> Lesson | None:
    """The experiment of this name, or None."""
    return lessons.named(LESSONS, name)


def active(value: Roles, selection: Selection) -> Lesson | None:
    """The experiment that is open; None once something that it set up was changed."""
    return lessons.active(LESSONS, set_up, value, selection)

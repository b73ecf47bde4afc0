"""Experiments of the page Trace a prediction: one click sets everything up, a sentence says what.

What they claim is recomputed by tests/ui/test_trace_lessons.py. Nothing here imports Streamlit.
"""

from collections.abc import Mapping
from typing import Any, Final

from attnlab.ui import lessons
from attnlab.ui.lessons import Lesson
from attnlab.ui.selection import SENTENCE_A, SENTENCE_B, Selection
from attnlab.ui.trace_selection import Traced

SMOLLM: Final = "smollm2-135m"
MINILM: Final = "minilm-l6"
_FRANCE: Final = "The capital of France is"
_GERMANY: Final = "The capital of Germany is"


def _lesson(
    name: str,
    title: str,
    look_for: str,
    shared: Mapping[str, Any],
    also: tuple[str, ...] = (),
    **shown: Any,
) -> Lesson:
    return Lesson(name, title, look_for, Traced(lesson=name, **shown), shared, also)


def _smollm(**shared: Any) -> dict[str, Any]:
    return {"model": SMOLLM, **shared}


LESSONS: Final = (
    _lesson(
        "paris",
        "How it comes to Paris",
        "“Paris” leads only after the last layer. Of all heads, L23 H4 puts most into its lead "
        "over “Berlin”: 3.27 logits. Without that head, “Paris” falls from 0.77 to 0.14.",
        _smollm(a=_FRANCE, layer=23, head=4),
        answer="Paris",
        other="Berlin",
    ),
    _lesson(
        "country",
        "One head carries it",
        "What each head hands on is taken from A, one at a time. L23 H4 alone goes 89% of the way "
        "from “Berlin” to “Paris”; the next best head 25%.",
        _smollm(a=_FRANCE, b=_GERMANY, layer=23, head=4),
        view="pair",
        stage="z",
        into="B",
        answer="Paris",
        other="Berlin",
    ),
    _lesson(
        "layers",
        "Where the fact sits",
        "What a layer holds at “Germany” is taken from A. Up to layer 22 that is enough, from "
        "layer 23 on it does next to nothing: the last word has fetched it by then. Choose "
        "“feed-forwards”: that of layer 0 alone goes all the way.",
        _smollm(a=_FRANCE, b=_GERMANY),
        also=("stage",),
        view="pair",
        stage="resid_post",
        into="B",
        answer="Paris",
        other="Berlin",
    ),
    _lesson(
        "it",
        "What does “it” mean?",
        "A model that reads both ways: “it” starts as one vector and becomes two, cosine 0.80 "
        "after 3 layers. Where it is tired, it comes nearer to “animal” than where it is wide.",
        {"model": MINILM, "a": SENTENCE_A, "b": SENTENCE_B},
        view="word",
        word="it",
        toward="animal street",
    ),
)


def set_up(lesson: Lesson) -> dict[str, Any]:
    """The page's own values that an experiment speaks of."""
    value = lesson.value
    if value.view == "word":
        names = ("view", "word", "toward")
    elif value.view == "pair":
        names = ("view", "at", "answer", "other", "stage", "into")
    else:
        names = ("view", "at", "answer", "other", "feed")
    return {name: getattr(value, name) for name in names}


def named(name: str) -> Lesson | None:
    """The experiment of this name, or None."""
    return lessons.named(LESSONS, name)


def active(value: Traced, selection: Selection) -> Lesson | None:
    """The experiment that is open; None once something that it set up was changed."""
    return lessons.active(LESSONS, set_up, value, selection)

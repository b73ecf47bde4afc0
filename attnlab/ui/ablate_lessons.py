"""Experiments of the page Ablate: one click sets everything up, a sentence says what to see.

What they claim is recomputed by tests/ui/test_ablate_lessons.py. Nothing here imports Streamlit.
"""

from collections.abc import Mapping
from typing import Any, Final

from attnlab.ui import lessons
from attnlab.ui.ablate_selection import Ablate
from attnlab.ui.lessons import Lesson
from attnlab.ui.masks_cells import Painted
from attnlab.ui.selection import SENTENCE_B, Head, Selection

SMOLLM: Final = "smollm2-135m"
_FRANCE: Final = "The capital of France is"
_ITALY: Final = "The capital of Italy is"


def _lesson(
    name: str,
    title: str,
    look_for: str,
    a: str,
    head: Head,
    gone: tuple[Head, ...] = (),
    b: str = "",
    also: tuple[str, ...] = (),
    **shown: Any,
) -> Lesson:
    shared: Mapping[str, Any] = {
        "model": SMOLLM,
        "a": a,
        "layer": head[0],
        "head": head[1],
        "gone": gone,
        **({"b": b} if b else {}),
    }
    return Lesson(name, title, look_for, Ablate(lesson=name, **shown), shared, also)


LESSONS: Final = (
    _lesson(
        "one-head",
        "One head of 270",
        "Without L23 H4, “Paris” falls from 0.77 to 0.14. One other square is nearly as large: "
        "L0 H4. Set heads to their mean instead of zero, and it shrinks to a tenth: L0 H4 adds "
        "much the same to every word, and only the lack of that hurts.",
        _FRANCE,
        (23, 4),
        ((23, 4),),
        also=("fill",),
    ),
    _lesson(
        "italy",
        "Italy for France",
        "Each head is given what it is in B. One head carries the country: with L23 H4 from B, "
        "“Paris” loses 12.8 of the 13.3 that lie between the sentences, and “Rome” comes first.",
        _FRANCE,
        (23, 4),
        ((23, 4),),
        b=_ITALY,
        fill="resample",
        metric="difference",
        answer="Paris",
        other="Rome",
    ),
    _lesson(
        "not-the-sum",
        "Not the sum",
        "Alone, L23 H4 does 1.20 nats and L12 H0 0.24: 1.44 if they added up. Together they do "
        "2.06. Give one back and take others: a set is never the sum of its heads.",
        _FRANCE,
        (12, 0),
        ((12, 0), (23, 4)),
    ),
    _lesson(
        "looks",
        "Looks, does little",
        "L4 H2 looks from “wide” at “street” with 0.46, so one notices it. Yet without it the "
        "prediction after “wide” moves by 0.008 nats, and its square can hardly be seen; that "
        "of L25 H3 does sixty times as much. What a head looks at does not say what it does.",
        SENTENCE_B,
        (4, 2),
        ((4, 2),),
        at=11,
    ),
    _lesson(
        "elsewhere",
        "Made to look elsewhere",
        "From “is” L23 H4 looks at “France”. Here its row is painted, so that it looks at “of” "
        "instead: “Paris” falls from 0.77 to 0.02, further than without the head (0.14). Clear "
        "that cell and paint “France”: 0.77 again. Where a head looks decides what it says.",
        _FRANCE,
        (23, 4),
        ((23, 4),),
        also=("start", "cells", "row", "by"),
        fill="pattern",
        start="empty",
        cells=Painted(shown=((4, 2),)),
        row=4,
    ),
)


def set_up(lesson: Lesson) -> dict[str, Any]:
    """The page's own values that an experiment speaks of."""
    fields = ("fill", "metric", "at", "token", "answer", "other", "layers", *lesson.also)
    names = dict.fromkeys(fields)
    return {name: getattr(lesson.value, name) for name in names}


def named(name: str) -> Lesson | None:
    """The experiment of this name, or None."""
    return lessons.named(LESSONS, name)


def active(value: Ablate, selection: Selection) -> Lesson | None:
    """The experiment that is open; None once something that it set up was changed."""
    return lessons.active(LESSONS, set_up, value, selection)

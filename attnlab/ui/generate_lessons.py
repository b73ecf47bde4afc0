"""Experiments of the page Generate: one click sets everything up, a sentence says what to see.

What they claim is recomputed by tests/ui/test_generate_lessons.py. Nothing here imports Streamlit.
"""

from collections.abc import Mapping
from typing import Any, Final

from attnlab.ui import lessons
from attnlab.ui.generate_selection import Generate
from attnlab.ui.lessons import Lesson
from attnlab.ui.selection import Selection

SMOLLM: Final = "smollm2-135m"
DATES: Final = "dates"
_STEPS: Final = ("made", "made2", "chose", "chose2", "at")
"""Going on, or looking from another word, does not end an experiment."""


def _lesson(
    name: str,
    title: str,
    look_for: str,
    shared: Mapping[str, Any],
    also: tuple[str, ...] = (),
    **shown: Any,
) -> Lesson:
    value = Generate(lesson=name, **shown)
    return Lesson(name, title, look_for, value, shared, (*_STEPS, *also))


def _smollm(**shared: Any) -> dict[str, Any]:
    return {"model": SMOLLM, "target_a": "", "gone": (), **shared}


LESSONS: Final = (
    _lesson(
        "copy",
        "How it copies",
        "It writes “tulip.” and L18 H6 is always one ahead: from “is” it looks at “tul”, from "
        "“tul” at “ip”, from “ip” at the full stop. It looks at what followed last time, and that "
        "is what comes.",
        _smollm(
            a="The password is tulip. Please do not tell anyone. The password is", layer=18, head=6
        ),
        made=3,
    ),
    _lesson(
        "luck",
        "The same luck",
        "Both runs draw with the same random numbers, so only the model can make them part. "
        "Without L23 H4 “Paris” is no longer likely enough: the same draw gives “Rome”.",
        _smollm(a="The capital of France is", layer=23, head=4),
        runs="edited",
        made=4,
        made2=4,
        heat=1.0,
        topp=0.9,
        seed=5,
        edits=("heads",),
    ),
    _lesson(
        "sinks",
        "Nowhere to rest",
        "L18 H8 rests on “My”, whatever word it looks from. B’s cache holds 12 tokens: once it "
        "drops “My”, that weight has to go elsewhere, and the text falls apart. Choose “first + "
        "last”: 12 tokens as well, and B writes what A writes.",
        _smollm(a="My dog likes to", layer=18, head=8),
        also=("cache",),
        runs="edited",
        made=24,
        made2=24,
        cache="last",
        held=12,
    ),
    _lesson(
        "date",
        "Reading while writing",
        "An encoder-decoder writes a date anew and turns to each part when its turn comes. After "
        "“0” it is about to write the 5 of May, and L0 H3 looks at “M”. Step on.",
        {
            "model": DATES,
            "a": "3 May 1994",
            "target_a": "",
            "role": "cross",
            "gone": (),
            "layer": 0,
            "head": 3,
        },
        made=6,
    ),
)


def set_up(lesson: Lesson) -> dict[str, Any]:
    """The page's own values that an experiment speaks of."""
    names = ("runs", *_STEPS, "heat", "edits", "cache")
    names += ("topk", "topp", "seed") if lesson.value.heat else ()
    names += ("window", "sinks") if "window" in lesson.value.edits else ()
    names += () if lesson.value.cache == "all" else ("held", "first")
    return {name: getattr(lesson.value, name) for name in names}


def named(name: str) -> Lesson | None:
    """The experiment of this name, or None."""
    return lessons.named(LESSONS, name)


def active(value: Generate, selection: Selection) -> Lesson | None:
    """The experiment that is open; None once something that it set up was changed."""
    return lessons.active(LESSONS, set_up, value, selection)

"""Experiments of the page Step by step: one click sets everything up, a sentence says what to see.

What they claim is recomputed by tests/ui/test_steps_lessons.py. Nothing here imports Streamlit.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from attnlab.attention.because import Cell
from attnlab.ui.selection import DEFAULT, SENTENCE_A, SENTENCE_B, Selection
from attnlab.ui.steps_edits import Edit
from attnlab.ui.steps_selection import Panel, StepByStep

_SET_UP: Final = (
    *("panel", "preset", "cells", "heads", "causal", "scaled", "values"),
    *("d", "scores", "draw"),
)
"""With other values of these, the sentence of an experiment would no longer be true."""


@dataclass(frozen=True)
class Stage:
    """What one click shows.

    Attributes:
        name: its spelling in a link; also ``value.lesson``.
        title: a few words, for a button.
        look_for: one sentence or two for a reader who is new to attention.
        value: the whole of the page's own values.
        shared: what it needs of the selection that all pages share.
    """

    name: str
    title: str
    look_for: str
    value: StepByStep
    shared: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Lesson:
    """One question and the stages that answer it; its button opens the first."""

    title: str
    stages: tuple[Stage, ...]

    @property
    def name(self) -> str:
        """The name of the first stage."""
        return self.stages[0].name

    @property
    def panel(self) -> Panel:
        """The panel in whose row it stands."""
        return self.stages[0].value.panel


def stage(
    name: str, title: str, look_for: str, shared: Mapping[str, Any] | None = None, **shown: Any
) -> Stage:
    """A stage that shows the page as it opens but for ``shown``."""
    return Stage(name, title, look_for, StepByStep(lesson=name, **shown), shared or {})


def of(panel: Panel) -> tuple[Lesson, ...]:
    """The experiments of a panel."""
    return tuple(lesson for lesson in LESSONS if lesson.panel == panel)


def named(name: str) -> tuple[Lesson, Stage] | None:
    """The experiment and the stage of this name, or None."""
    found = ((lesson, one) for lesson in LESSONS for one in lesson.stages if one.name == name)
    return next(found, None)


def active(value: StepByStep, selection: Selection) -> tuple[Lesson, Stage] | None:
    """The experiment that is open; None once something that it set up was changed."""
    found = named(value.lesson)
    if found is None:
        return None
    set_up, shared = found[1].value, found[1].shared
    same = all(getattr(value, name) == getattr(set_up, name) for name in _SET_UP)
    same = same and all(getattr(selection, name) == wish for name, wish in shared.items())
    return found if same else None


# What “A real head” shows in them: the last word and the street, in the opening pair.
_STREET: Final = {
    **{"model": DEFAULT.model, "a": SENTENCE_A, "b": SENTENCE_B, "role": ""},
    **{"layer": 4, "head": 2, "position": 11, "key": 6},
}

LESSONS: Final = (
    Lesson(
        "One word decides",
        (
            stage(
                "tired",
                "It was tired",
                "“Tired” asks for a living thing: nearly all of its weight goes to the animal.",
                preset="tired",
                step="weights",
                cell=Cell("weights", 2, 0),
            ),
            stage(
                "wide",
                "It was wide",
                "Only the question of the last word is another: now the same weight goes to the "
                "street.",
                preset="wide",
                step="weights",
                cell=Cell("weights", 2, 1),
            ),
        ),
    ),
    Lesson(
        "Not looking ahead",
        (
            stage(
                "ahead",
                "Without the mask",
                "Without the mask “The” takes a share of every word, also of those to come.",
                preset="cat",
                causal=False,
                step="weights",
                cell=Cell("weights", 0, 3),
            ),
            stage(
                "masked",
                "With the mask",
                "With the mask “The” has only itself to look at. The row of “down”, the last word, "
                "stays as it was.",
                preset="cat",
                causal=True,
                step="weights",
                cell=Cell("weights", 0, 0),
            ),
        ),
    ),
    Lesson(
        "Where to look, what to take",
        (
            stage(
                "where",
                "As it was",
                "The weights come from Q and K alone. Keep the row of “down” in mind, and go on.",
                preset="cat",
                step="z",
                cell=Cell("z", 3, 0),
            ),
            stage(
                "take",
                "Another W_V",
                "One number of W_V was changed. “Down” takes home something else, and not one "
                "weight has moved.",
                preset="cat",
                cells=(Edit("w_v", 0, 0, -2.0),),
                step="z",
                cell=Cell("z", 3, 0),
            ),
        ),
    ),
    Lesson(
        "One head blurs, two keep apart",
        (
            stage(
                "blur",
                "One head",
                "“Bites” looks for who comes before it and who comes after it. One row of weights "
                "has to serve both, so dog and man come out blended alike: who bites whom is lost.",
                preset="dog",
                heads=1,
                step="z",
                cell=Cell("z", 1, 0),
            ),
            stage(
                "blur-turned",
                "One head, turned round",
                "Turn the sentence round, and “bites” takes home the very same numbers.",
                preset="man",
                heads=1,
                step="z",
                cell=Cell("z", 1, 0),
            ),
            stage(
                "apart",
                "Two heads",
                "The same numbers in every W, cut into two heads: each head asks one question, and "
                "the dog that bites stands apart from the man that is bitten. It takes as many "
                "multiplications.",
                preset="dog",
                heads=2,
                step="joined",
                cell=Cell("joined", 1, 0),
            ),
        ),
    ),
    Lesson(
        "The same street, two questions",
        (
            stage(
                "street-wide",
                "It was wide",
                "“Wide” asks with q and “street” answers with k: 64 products add up to a score of "
                "53, and the street gets 0.46 of the weight.",
                {**_STREET, "side": "B"},
                panel="real",
            ),
            stage(
                "street-tired",
                "It was tired",
                "The street’s k is the same, number for number: it cannot know the last word. "
                "Another q asks, the score falls to 26, and the weight to 0.06.",
                {**_STREET, "side": "A"},
                panel="real",
            ),
        ),
    ),
    Lesson(
        "Longer vectors, harder choices",
        (
            stage(
                "one-number",
                "1 number",
                "With vectors of one number √d is 1: nothing is divided, and both rows are alike.",
                panel="why",
                d=1,
            ),
            stage(
                "long",
                "1,024 numbers",
                "Nothing but the length has changed. As they are, the scores give all to one key, "
                "and the gradient is gone. Divided, several keys still share.",
                panel="why",
                d=1024,
            ),
        ),
    ),
    Lesson(
        "Six scores, two rows",
        (
            stage(
                "six-scores",
                "Six scores",
                "The same six scores. As they are, the first key takes more than 0.999; divided by "
                "√64 = 8, it leaves half to the others.",
                panel="why",
                scores="six",
            ),
        ),
    ),
)

"""Four experiments on the Heads page: one click sets everything up, one sentence says what to see.

The sentences hold no figures: those are on the page, computed there. What they claim is recomputed
by tests/pages/test_experiments.py. Nothing here imports Streamlit.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from attnlab.ui import gallery
from attnlab.ui.selection import DEFAULT, SENTENCE_A, SENTENCE_B, Selection

CAPITAL: Final = "The capital of France is"
KEYS: Final = (
    "Anna gave the red key to Ben and the blue key to Carla. Carla has the blue key and Ben has the"
)
PASSWORD: Final = "The password is tulip. Please do not tell anyone. The password is"


@dataclass(frozen=True)
class Step:
    """What one click shows.

    Attributes:
        name: its spelling in a link; also `selection.experiment`.
        title: a few words, for a button.
        look_for: one sentence or two for a reader who is new to attention.
        selection: the whole page.
    """

    name: str
    title: str
    look_for: str
    selection: Selection


@dataclass(frozen=True)
class Experiment:
    """One question and the steps that answer it; its button opens the first."""

    title: str
    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        """The name of the first step."""
        return self.steps[0].name

    @property
    def look_for(self) -> str:
        """What to see in the first step."""
        return self.steps[0].look_for

    @property
    def selection(self) -> Selection:
        """What the first step shows."""
        return self.steps[0].selection


def active(name: str) -> tuple[Experiment, Step] | None:
    """The experiment and the step of this name, or None."""
    found = ((e, step) for e in EXPERIMENTS for step in e.steps if step.name == name)
    return next(found, None)


def look_for(name: str) -> str | None:
    """What to see in the experiment, or in the pair of the gallery, of this name."""
    found = active(name)
    if found is not None:
        return found[1].look_for
    pair = gallery.named(name)
    return None if pair is None else pair.look_for


def set_up(name: str) -> Selection | None:
    """The whole page of the experiment, or of the pair of the gallery, of this name."""
    found = active(name)
    if found is not None:
        return found[1].selection
    pair = gallery.named(name)
    return None if pair is None else pair.applied(DEFAULT)


def _step(name: str, title: str, look_for: str, **shown: Any) -> Step:
    """A step that shows the default page but for `shown`."""
    return Step(name, title, look_for, replace(DEFAULT, **shown, experiment=name))


def _alone(text: str, head: tuple[int, int], **more: Any) -> dict[str, Any]:
    """One text without a second one, and a head."""
    return {"a": text, "b": "", "view": "A", "side": "A", "layer": head[0], "head": head[1], **more}


EXPERIMENTS: Final = (
    Experiment(
        "The street finder",
        (
            _step(
                "street",
                "The street finder",
                "From the last word, this head looks at “street” only when that word is “wide”.",
                a=SENTENCE_A,
                b=SENTENCE_B,
            ),
        ),
    ),
    Experiment(
        "Cannot know yet",
        (
            _step(
                "future",
                "Left to right: SmolLM2",
                "“It” looks the same way in A and in B, in every head: the word that decides "
                "comes later, and here no word sees the words after it.",
                layer=13,
                head=8,
                side="B",
                position=8,
            ),
            _step(
                "future-minilm",
                "Both ways: MiniLM",
                "Here every word sees the whole sentence, so “it” can know: it looks at “animal” "
                "far more for “tired” than for “wide”.",
                model="minilm-l6",
                layer=3,
                head=1,
                side="B",
                position=10,
            ),
        ),
    ),
    Experiment(
        "A head at rest",
        (
            _step(
                "resting",
                "At rest",
                "Whatever word this head looks from, nearly all of its weight rests on the first "
                "token. Most heads rest most of the time: the line above the grid says how much of "
                "all attention lies there.",
                **_alone(SENTENCE_A, (18, 6), mode="matrix", drop_first=False),
            ),
            _step(
                "resting-woken",
                "Woken up",
                "The same head wakes up when “The password is” comes a second time: it looks at "
                "what followed the first time.",
                **_alone(PASSWORD, (18, 6), mode="matrix", drop_first=False),
            ),
        ),
    ),
    Experiment(
        "Attention is not effect",
        (
            _step(
                "effect",
                "Looks, hardly matters",
                "The head that finds the street is switched off, and what comes next hardly "
                "moves: a head can look without mattering.",
                a=SENTENCE_A,
                b=SENTENCE_B,
            ),
            _step(
                "effect-paris",
                "Paris",
                "This head looks at France. Switched off, most of “Paris” is gone: this one "
                "matters.",
                **_alone(CAPITAL, (23, 4)),
            ),
            _step(
                "effect-key",
                "The red key",
                "This head looks at “blue”, the key that is not Ben's. Switched off, “red” loses "
                "much of its share, and “blue” gains.",
                **_alone(KEYS, (20, 0)),
            ),
        ),
    ),
)

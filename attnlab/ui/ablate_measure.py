"""How an effect is measured on the page Ablate: the metric, and the words and figures of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from attnlab.analysis.metrics import (
    KL,
    CosineDistance,
    LogitDifference,
    LogProbability,
    Loss,
    Metric,
)
from attnlab.errors import InputError
from attnlab.ui import engine
from attnlab.ui.ablate_fills import DONE
from attnlab.ui.ablate_selection import Ablate
from attnlab.ui.answers import Answer, likely, typed
from attnlab.ui.engine.keys import Passage
from attnlab.viz.figures import minus
from attnlab.viz.svg.text import spoken

TITLES: Final = {
    "kl": "Prediction",
    "token": "One word",
    "difference": "Two answers",
    "loss": "Loss",
    "cosine": "Vector",
}
ABOUT: Final = (
    "**Prediction**: how far the whole prediction moves, its KL divergence. **One word**: how the "
    "log-probability of a word changes. **Two answers**: how far one answer leads the other, "
    "the difference of their logits. **Loss**: how much harder the text's own words become. "
    "**Vector**: how far the text's vector turns."
)
_HARMS: Final = ("edit", "gold")
_HELPS: Final = ("gold", "edit")


@dataclass(frozen=True)
class Measured:
    """A metric as the page speaks of it.

    Attributes:
        metric: with token ids for words.
        what: what is measured, in a few words.
        words: what an effect above 0 says, and one below 0; ``kinds``: their colours.
        position: whose prediction is looked at, -1 for the last.
    """

    metric: Metric
    what: str
    words: tuple[str, str]
    kinds: tuple[str, str]
    position: int

    @property
    def unit(self) -> str:
        """In words; of a cosine distance the formula is no unit to read."""
        return "cosine distance" if isinstance(self.metric, CosineDistance) else self.metric.unit


def write(value: float) -> str:
    """An effect in figures: three digits, and no power of ten for what is next to nothing."""
    if abs(value) < 5e-5:
        return "0"
    return minus(f"{value:.4f}" if abs(value) < 0.1 else f"{value:.3f}")


def measured(
    value: Ablate, reader: engine.Reader, passage: Passage, tokens: Sequence[Any], position: int
) -> Measured:
    """The metric that is asked for.

    Args:
        tokens: those after which something is predicted.
        position: of one of them.

    Raises:
        InputError: an answer is not one token, or there is no target to measure.
    """
    at = -1 if position == len(tokens) - 1 else position
    after = f"after “{spoken(tokens[position]).strip()}”"
    if value.metric == "kl":
        where = after if reader.lab.head_kind != "masked" else after.replace("after", "at", 1)
        what = f"how far the prediction {where} moves"
        rises = ("the larger, the further the prediction moves", "")
        return Measured(KL(at), what, rises, _HARMS, at)
    if value.metric in ("token", "difference"):
        return _of_words(value, reader, passage, after, at)
    if value.metric == "loss":
        if reader.writes and len(tokens) < 2:
            raise InputError(
                "The target is empty, so no word of it has a loss: type what the model is to write."
            )
        how, so = DONE[value.fill]
        rises = (f"loss rises {how}", f"loss falls {so}")
        return Measured(Loss(), "mean loss of the text’s words", rises, _HARMS, at)
    what, rises = "how far the text’s mean vector turns", "the larger, the further the vector turns"
    return Measured(CosineDistance(), what, (rises, ""), _HARMS, at)


def _of_words(
    value: Ablate, reader: engine.Reader, passage: Passage, after: str, at: int
) -> Measured:
    """How likely a word is, or how far one leads another. Raises InputError as ``measured``."""
    how, so = DONE[value.fill]
    if value.metric == "token":
        word, found = _word(value.token, 0, reader, passage, at)
        what = f"log-probability of “{word}” {after}"
        rises = (f"likelier {how}", f"less likely {so}")
        return Measured(LogProbability(found, at), what, rises, _HELPS, at)
    one, first = _word(value.answer, 0, reader, passage, at)
    two, second = _word(value.other, 1, reader, passage, at)
    if first == second:
        raise InputError(f"Both answers are “{one}”: name another for one of them.")
    what = f"lead of “{one}” over “{two}” {after}"
    grows = (f"lead grows {how}", f"lead shrinks {so}")
    return Measured(LogitDifference(first, second, at), what, grows, _HELPS, at)


def _word(word: str, place: int, reader: engine.Reader, passage: Passage, at: int) -> Answer:
    """What is typed, or a likely word. Raises InputError where it is several tokens."""
    return typed(reader, word, passage, at) or likely(reader, passage, at, place)

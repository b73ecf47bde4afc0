"""Whose prediction the page Trace a prediction follows: after which word, and of which answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnlab.analysis.metrics import KL, LogitDifference, Metric
from attnlab.errors import InputError
from attnlab.ui import engine
from attnlab.ui.answers import Answer, likely, typed, usual_position
from attnlab.ui.engine.keys import Passage
from attnlab.ui.trace_selection import Traced
from attnlab.viz.svg.text import spoken


@dataclass(frozen=True)
class Prediction:
    """A prediction that is followed.

    Attributes:
        reader: in the role whose tokens are followed by a prediction.
        tokens: of the text, or of what an encoder-decoder writes.
        position: of one of them; ``usual``: the one that is looked at unasked.
        answer: the word that is followed; ``other``: the one it is compared with, if any.
    """

    reader: engine.Reader
    passage: Passage
    tokens: tuple[Any, ...]
    position: int
    usual: int
    answer: Answer
    other: Answer | None

    @property
    def place(self) -> int:
        """Of the prediction, -1 for the last: of that alone models keep the least."""
        return -1 if self.position == len(self.tokens) - 1 else self.position

    @property
    def where(self) -> str:
        """Whose prediction it is, in words."""
        sign = "at" if self.reader.lab.head_kind == "masked" else "after"
        return f"{sign} “{spoken(self.tokens[self.position]).strip()}”"

    @property
    def what(self) -> str:
        """The number that is followed, in words."""
        if self.other is None:
            return f"the logit of “{self.answer[0]}”"
        return f"the lead of “{self.answer[0]}” over “{self.other[0]}”"


def position_of(value: Traced, reader: engine.Reader, tokens: tuple[Any, ...]) -> tuple[int, int]:
    """The position that is looked at, and the one that is unasked: the mask, or the end."""
    usual = usual_position(reader, tokens)
    return (value.at if 0 <= value.at < len(tokens) else usual), usual


def prediction(value: Traced, reader: engine.Reader, passage: Passage) -> Prediction:
    """The prediction of A that is asked for.

    Raises:
        AttnLabError: the model predicts nothing, the text does not fit, or an answer is several
            tokens.
    """
    if reader.lab.head_kind == "none":
        raise InputError(
            f"{reader.title} predicts no word: it turns a text into vectors. "
            "“A word in A and B” shows how they become what they mean."
        )
    reader = engine.predicting(reader)
    tokens, _ = engine.tokens_of(reader, passage, "Sentence A")
    position, usual = position_of(value, reader, tokens)
    answer = typed(reader, value.answer, passage, position) or likely(reader, passage, position)
    other = typed(reader, value.other, passage, position)
    if other is not None and other[1] == answer[1]:
        raise InputError(f"“{answer[0]}” is compared with itself; compare it with another word.")
    return Prediction(reader, passage, tokens, position, usual, answer, other)


@dataclass(frozen=True)
class Contrast:
    """What is measured between two sentences.

    Attributes:
        metric: None where the model predicts no word; the analysis then compares vectors.
        answers: of A and of B; None where both predict the same.
        places: whose prediction it is, in A and in B.
    """

    metric: Metric | None
    answers: tuple[Answer, Answer] | None
    places: tuple[int, int]


def contrast(value: Traced, reader: engine.Reader, a: Passage, b: Passage) -> Contrast:
    """The lead of what A says over what B says, at the same distance from the end.

    Raises:
        AttnLabError: a text does not fit, or an answer is several tokens.
    """
    if reader.lab.head_kind == "none":
        return Contrast(None, None, (-1, -1))
    reader = engine.predicting(reader)
    tokens_a, _ = engine.tokens_of(reader, a, "Sentence A")
    tokens_b, _ = engine.tokens_of(reader, b, "Sentence B")
    position, _ = position_of(value, reader, tokens_a)
    back = position - len(tokens_a)
    if len(tokens_b) + back < 0:
        raise InputError("Sentence B has no word as far from the end; choose a later one.")
    place_b = len(tokens_b) + back
    first = typed(reader, value.answer, a, position) or likely(reader, a, position)
    second = typed(reader, value.other, b, place_b) or likely(reader, b, place_b)
    places = (position, place_b)
    if first[1] == second[1]:
        return Contrast(KL(back), None, places)
    return Contrast(LogitDifference(first[1], second[1], back), (first, second), places)

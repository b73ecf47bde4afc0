"""A long text through the loaded model under several masks: the loss at every position, cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from attnlab.analysis import by_position
from attnlab.errors import InputError, TextTooLong
from attnlab.ui import texts, work
from attnlab.ui.engine.edited import spelled
from attnlab.ui.engine.keys import LabKey
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import as_array
from attnlab.viz.figures import several

_LEAST: Final = 16  # tokens of which a curve can be drawn
_CHARACTERS: Final = 8  # of a token, in any text that a tokenizer was made for
_SHORTER: Final = 0.95


@dataclass(frozen=True)
class CurveKey:
    """The losses of one model on token ids, under edits spelled as JSON."""

    lab: LabKey
    ids: tuple[int, ...]
    edits: str


def ids_of(reader: Reader, text: str, length: int) -> tuple[int, ...]:
    """The first ``length`` tokens of a text, or as many as the model reads.

    Raises:
        InputError: the model predicts no next token, or the text is too short to lose anything.
    """
    lab = reader.lab
    if lab.head_kind != "causal":
        raise InputError(
            f"{reader.title} does not write a text from left to right, so it has no loss by "
            "position: choose a decoder such as SmolLM2."
        )
    ids = _beginning(lab, text, min(length, texts.MAX_TOKENS))
    if len(ids) < _LEAST:
        raise InputError(
            f"This text has {several(len(ids), 'token')}; at least {_LEAST} are needed here."
        )
    return ids


def _beginning(lab: Any, text: str, length: int) -> tuple[int, ...]:
    """At most ``length`` ids; of a text longer than the model reads nearly as many as it does."""
    text = text[: length * _CHARACTERS]
    while True:
        try:
            return tuple(token.id for token in lab.tokens(text)[:length])
        except TextTooLong:
            text = text[: int(len(text) * _SHORTER)]


def losses(reader: Reader, ids: Sequence[int], edits: Sequence[Any], words: str) -> np.ndarray:
    """[n − 1] nats at every position.

    Args:
        words: what is under way, for the reader ("Full attention").

    Raises:
        AttnLabError: an edit does not fit, or the work was stopped.
    """

    def run(job: Any) -> np.ndarray:
        options = {"edits": tuple(edits), "progress": job.progress, "cancel": job.cancel}
        return as_array(by_position.loss_by_position(reader.lab, list(ids), **options).values)

    key = CurveKey(reader.key, tuple(ids), spelled(edits))
    return work.perform(key, words, run, work.stores().effects)


def known(reader: Reader, ids: Sequence[int], edits: Sequence[Any]) -> bool:
    """Whether these losses are there already."""
    key = CurveKey(reader.key, tuple(ids), spelled(edits))
    return work.stores().effects.get(key) is not None


def drawn(values: np.ndarray, width: int) -> list[float]:
    """The mean of each loss and its neighbours, ``width`` of them: a line that can be read."""
    return by_position.smoothed(torch.tensor(values), width).tolist()

"""The trained models, how often they are right, and their answers to a list that somebody typed.

All weights lie in one file in half precision; the curves beside it are those of its training.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import safe_open

from attnlab.errors import InputError
from attnlab.recall.model import MODELS, Recaller
from attnlab.recall.task import Batch, Pair, draw, encode

SEEDS: Final = 3
FOLDER: Final = Path(__file__).parent / "models"
WEIGHTS: Final = "recall.safetensors"
CURVES: Final = "accuracy.json"


@dataclass(frozen=True)
class Answer:
    """What a model says to one question.

    Attributes:
        key: what was asked; ``wanted``: its value in the list.
        value: of all that the list has, the value that the model finds most probable; None where
            it finds one more probable that the list has not.
        probability: that it gives to ``wanted``.
        probabilities: of every value of the list; the rest is of values that it has not.
    """

    key: str
    wanted: str
    value: str | None
    probability: float
    probabilities: Mapping[str, float]

    @property
    def right(self) -> bool:
        return self.value == self.wanted


@cache
def load(name: str, seed: int = 0) -> Recaller:
    """A trained model; shared, so leave it as it is.

    Raises:
        InputError: there is no such model, or no such seed.
    """
    if name not in MODELS:
        raise InputError(f"There is no recall model “{name}”; there are {', '.join(MODELS)}.")
    if seed not in range(SEEDS):
        raise InputError(f"Seeds are 0 to {SEEDS - 1}; there is no {seed!r}.")
    model = Recaller(name)
    with safe_open(FOLDER / WEIGHTS, "pt") as file:
        weights = {key: file.get_tensor(f"{name}-{seed}.{key}") for key in model.state_dict()}
    model.load_state_dict(weights)
    return model.requires_grad_(False).eval()


def answers(
    model: Recaller, pairs: Sequence[Pair], asked: Sequence[str] | None = None
) -> tuple[Answer, ...]:
    """What a model says to each question, after it has read the list once.

    Args:
        asked: keys, in the order in which they are asked; all of them in order where None.

    Raises:
        InputError: what ``task.encode`` says.
    """
    values = dict(pairs)
    asked = tuple(values) if asked is None else tuple(asked)
    if not asked:
        raise InputError("Nothing is asked; ask for one of the list's keys.")
    ids, known = encode(pairs, asked)
    with torch.no_grad():
        chances = model(ids, len(asked))[0].softmax(-1)
    said = zip(asked, chances.tolist(), strict=True)
    return tuple(_answer(key, values[key], row, known) for key, row in said)


def _answer(key: str, wanted: str, chances: list[float], known: Mapping[str, int]) -> Answer:
    probabilities = {value: chances[number] for value, number in known.items()}
    best = max(probabilities, key=probabilities.__getitem__)
    value = best if chances[known[best]] == max(chances) else None
    return Answer(key, wanted, value, probabilities[wanted], probabilities)


def accuracy(model: Recaller, pairs: int, lists: int, seed: int = 0) -> float:
    """The share of right answers over ``lists`` random lists of ``pairs`` pairs.

    Raises:
        InputError: no list can have so many pairs.
    """
    return share_right(model, draw(pairs, lists, torch.Generator().manual_seed(seed)))


def share_right(model: Recaller, batch: Batch) -> float:
    """The share of right answers to a batch."""
    with torch.no_grad():
        said = model(batch.ids, batch.pairs).argmax(-1)
    return float((said == batch.values).float().mean())


@cache
def measured() -> dict[str, Any]:
    """What training measured, as it is in the file.

    "pairs" [P]; "lists", random lists of each length; "accuracy", by model a row [P] for each seed;
    "mean", by model the mean row; "parameters" and "steps", by model; "minutes" of one core in all;
    "rounding", by how much half precision changes a share of the longest lists, at most.
    """
    return json.loads((FOLDER / CURVES).read_text("utf-8"))

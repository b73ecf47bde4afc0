"""What the five small models say to a list of pairs: cached, through the gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnlab import recall
from attnlab.errors import InputError
from attnlab.recall import Answer
from attnlab.ui import work

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RecallKey:
    """A list, read by the models of one seed."""

    pairs: Pairs
    seed: int


def pairs_of(typed: str, count: int, drawn: int) -> Pairs:
    """The typed list; a random one of ``count`` pairs where nothing is typed.

    Raises:
        InputError: what was typed is no list of pairs; the sentence says which part.
    """
    return recall.pairs_of(typed) if typed.strip() else recall.random_pairs(count, drawn)


def curves() -> dict[str, Any]:
    """What training measured, see :func:`attnlab.recall.measured`.

    Raises:
        InputError: the models are not in this installation.
    """
    try:
        return recall.measured()
    except FileNotFoundError as error:
        raise InputError(
            "The five small models are not in this installation; `make train-recall` makes them."
        ) from error


def answers(pairs: Pairs, seed: int) -> dict[str, tuple[Answer, ...]]:
    """What each model says to every key, asked in the order of the list.

    Raises:
        InputError: the list is too long, or has a key twice.
    """

    def run(job: Any) -> dict[str, tuple[Answer, ...]]:
        found = {}
        for at, name in enumerate(recall.MODELS, start=1):
            found[name] = recall.answers(recall.load(name, seed), pairs)
            job.progress(at / len(recall.MODELS))
        return found

    key = RecallKey(pairs, seed)
    return work.perform(key, "Asking five models", run, work.stores().effects, stoppable=False)

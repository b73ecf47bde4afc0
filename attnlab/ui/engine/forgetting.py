"""A long text read beside caches that forget: losses by position, cached, through the gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attnlab.analysis import resting, streaming
from attnlab.attention import KeepLast
from attnlab.ui import work
from attnlab.ui.engine.keys import LabKey
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import as_array

CHUNK: Final = 32
"""Tokens read at once. Only where first tokens are kept does it matter: these seem up to so many
farther away, by which losses change by some hundredths of a nat; see ``pretrained.reading``."""
RESTING: Final = 160
"""Tokens over which is measured how much rests on the first ones, from the middle on."""


@dataclass(frozen=True)
class ForgettingKey:
    """One model on token ids with one cache; no window: everything is kept."""

    lab: LabKey
    ids: tuple[int, ...]
    window: int | None
    sinks: int


@dataclass(frozen=True)
class RestingKey:
    """How much of a model's attention rests on the first tokens of a text."""

    lab: LabKey
    ids: tuple[int, ...]
    first: int


def key_of(of: Reader, ids: Sequence[int], keep: KeepLast | None) -> ForgettingKey:
    """What the losses are kept under."""
    if keep is None:
        return ForgettingKey(of.key, tuple(ids), None, 0)
    return ForgettingKey(of.key, tuple(ids), keep.window, keep.sinks)


def losses(
    of: Reader,
    ids: Sequence[int],
    keep: KeepLast | None,
    words: str,
    partly: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """[n − 1] nats: what each token but the first costs, given what the cache still holds.

    Args:
        keep: None for everything.
        words: what is under way, for the reader.
        partly: called with the losses so far.

    Raises:
        AttnLabError: the model cannot be read so, or the work was stopped.
    """

    def run(job: Any) -> np.ndarray:
        found = streaming.read(
            of.lab,
            ids,
            cache=keep,
            chunk=CHUNK,
            progress=job.progress,
            partly=lambda part: job.share(as_array(part)),
            cancel=job.cancel,
        )
        return as_array(found)

    return work.perform(key_of(of, ids, keep), words, run, work.stores().effects, partly=partly)


def known(of: Reader, ids: Sequence[int], keep: KeepLast | None) -> bool:
    """Whether these losses are there already."""
    return work.stores().effects.get(key_of(of, ids, keep)) is not None


def resting_on(of: Reader, ids: Sequence[int], first: int) -> float:
    """The share of all attention that rests on the ``first`` tokens, as trained.

    Raises:
        AttnLabError: the work was stopped.
    """
    ids = tuple(ids[:RESTING])

    def run(job: Any) -> float:
        return resting.on_first(of.lab, ids, first, len(ids) // 2, job.cancel)

    key = RestingKey(of.key, ids, first)
    return work.perform(key, "Where attention rests", run, work.stores().effects)

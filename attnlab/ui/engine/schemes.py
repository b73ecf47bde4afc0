"""Five models that differ in their positions alone: their losses by position, and their heads.

All seeds of each are read; heads are those of the first seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import torch

from attnlab.analysis import by_position, family_curves, passage
from attnlab.analysis.progress import part
from attnlab.ui import texts, work
from attnlab.ui.engine.edited import spelled
from attnlab.ui.engine.reading import as_array
from attnlab.ui.selection import Head

SCHEMES: Final = ("none", "sinusoidal", "learned", "rope", "alibi")
SEEDS: Final = 3
TRAINED: Final = 64
READ: Final = 5_600
"""Characters of a text that are read: about 22 windows of 512 tokens, one every 64, so that nearly
the same words come at every position."""
LAYERS: Final = 4
HEADS: Final = 4


@dataclass(frozen=True)
class CurveKey:
    """One scheme on one text, under edits; all of its seeds."""

    scheme: str
    text: str
    length: int
    edits: str


@dataclass(frozen=True)
class Curve:
    """Losses by position of one scheme: over all seeds, [n − 1] nats each.

    ``seeds`` [S, n − 1]; ``windows`` were read; ``stopped``: the longest text of a model that takes
    no longer one, else None.
    """

    scheme: str
    mean: np.ndarray
    least: np.ndarray
    most: np.ndarray
    seeds: np.ndarray
    windows: int
    stopped: int | None


def text_of(name: str, pasted: str) -> str:
    """The beginning of a shipped passage, or of what was pasted.

    Raises:
        AttnLabError: the pasted text is empty.
    """
    if name != "own":
        return passage.passage(name)[:READ]
    texts.check_text(pasted, "Your text")
    return pasted[:READ]


def known(scheme: str, text: str, length: int, edits: Sequence[Any] = ()) -> bool:
    """Whether a curve is there already."""
    key = CurveKey(scheme, text, length, spelled(edits))
    return work.stores().effects.get(key) is not None


def curve(scheme: str, text: str, length: int, edits: Sequence[Any] = ()) -> Curve:
    """The loss at each position of windows of ``length`` tokens, mean and range over the seeds.

    Raises:
        AttnLabError: the text is shorter than one window, or the work was stopped.
    """
    key = CurveKey(scheme, text, length, spelled(edits))

    def run(job: Any) -> Curve:
        found = []
        for seed in range(SEEDS):
            lab = _opened(scheme, seed)
            found.append(
                by_position.average_by_position(
                    lab,
                    text,
                    length,
                    step=TRAINED,
                    edits=tuple(edits),
                    progress=part(job.progress, seed / SEEDS, 1 / SEEDS),
                    cancel=job.cancel,
                )
            )
        every = family_curves.spread([one.mean for one in found])
        return Curve(
            scheme,
            *(as_array(one) for one in (every.mean, every.least, every.most)),
            as_array(torch.stack([one.mean[: len(every.mean)] for one in found])),
            found[0].count,
            found[0].stopped,
        )

    words = f"Reading the text with {scheme if scheme != 'none' else 'no positions'}"
    return work.perform(key, words, run, work.stores().effects)


@lru_cache(maxsize=len(SCHEMES) * SEEDS)
def _opened(scheme: str, seed: int) -> Any:
    """One of the models, about half a megabyte; apart from the chosen ones, which it would push out
    of their cache."""
    from attnlab.pretrained.load import load

    return load(f"schemes/{scheme}" + (f"-{seed}" if seed else ""))


def pieces(length: int) -> list[int]:
    """See :func:`attnlab.analysis.family_curves.edges`."""
    return family_curves.edges(length - 1)


def binned(values: np.ndarray, at: Sequence[int]) -> list[float | None]:
    """See :func:`attnlab.analysis.family_curves.binned`."""
    return family_curves.binned(torch.from_numpy(np.array(values)), at)


def within(values: np.ndarray, start: int, stop: int) -> float | None:
    """See :func:`attnlab.analysis.family_curves.within`."""
    return family_curves.within(torch.from_numpy(np.array(values)), start, stop)


@dataclass(frozen=True)
class HeadsKey:
    """One head of one scheme on a sentence."""

    scheme: str
    sentence: str
    head: Head


def head(scheme: str, sentence: str, place: Head) -> tuple[tuple[Any, ...], np.ndarray]:
    """The tokens of a sentence, and [Q, S] of one head of a scheme's first seed.

    Raises:
        AttnLabError: the sentence is empty or too long for the model.
    """
    texts.check_text(sentence, "The sentence")

    def run(job: Any) -> tuple[tuple[Any, ...], np.ndarray]:
        from attnlab.trace import Capture

        lab = _opened(scheme, 0)
        capture = Capture("weights", layers=place[0], heads=place[1])
        trace = lab.run(sentence, capture=(capture,), logits=None, cancel=job.cancel)
        return tuple(trace.tokens), as_array(trace.weights[place])

    key = HeadsKey(scheme, sentence, place)
    return work.perform(key, "Reading one head", run, work.stores().heads)

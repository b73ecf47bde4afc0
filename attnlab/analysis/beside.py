"""One part of a model taken away, beside as many others of its kind: does it stand out?

Taking anything away moves a prediction. So what a chosen head or feed-forward does is shown beside
what others do that were drawn at random, one at a time, on the same text and at the same position.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch

from attnlab.analysis.baseline import random_sets
from attnlab.analysis.grow import grown
from attnlab.analysis.metrics import KL, LogProbability
from attnlab.trace.edits import Edit, ZeroFeedForward, ZeroHead
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Head

COUNT: Final = 20
"""Others that a part is compared with."""


@dataclass(frozen=True)
class Beside:
    """What a part does, beside others of its kind.

    Attributes:
        kl: KL(as trained ‖ without it) in nats; ``others``: the same of each other part.
        word: the probability of the followed word as trained, and without the part.
        words: its probability without each other part.
    """

    kl: float
    others: tuple[float, ...]
    word: tuple[float, float]
    words: tuple[float, ...]

    @property
    def beats(self) -> int:
        """How many of the others move the prediction less."""
        return sum(other < self.kl for other in self.others)


def beside(
    runner: Runner,
    text: Any,
    edit: Edit,
    others: Sequence[Edit],
    *,
    position: int = -1,
    word: int,
    target: Any = None,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
) -> Beside:
    """The effect of an edit and of others, each alone, in one growing batch.

    Args:
        position: whose prediction is looked at; ``word``: the id that is followed.
        others: as ``other_heads`` or ``other_feed_forwards`` draw them; () for none.

    Raises:
        InputError, EditError: see ``Lab.run``; the model predicts nothing.
        Cancelled: ``cancel`` was set.
    """
    metrics = (KL(position), LogProbability(word, position))
    options: dict[str, Any] = {"target": target, "progress": progress, "cancel": cancel}
    found = grown(runner, text, [(edit,), *((other,) for other in others)], metrics, **options)
    before = float(found.metrics[1].value(found.plain).exp())
    moved, changes = (values.double().tolist() for values in found.values)
    after = (torch.tensor(changes, dtype=torch.double).exp() * before).tolist()
    return Beside(moved[0], tuple(moved[1:]), (before, after[0]), tuple(after[1:]))


def other_heads(
    runner: Runner, head: Head, role: str | None = None, count: int = COUNT, seed: int = 0
) -> tuple[Edit, ...]:
    """``count`` other heads of a role, drawn with ``seed`` and set to zero; all, where fewer."""
    role = role or runner.main_role
    drawn = (one for (one,) in random_sets(runner, 1, count + 1, seed, role) if one != head)
    return tuple(ZeroHead(*one, role) for _, one in zip(range(count), drawn, strict=False))


def other_feed_forwards(
    runner: Runner, layer: int, role: str | None = None, count: int = COUNT, seed: int = 0
) -> tuple[Edit, ...]:
    """The same of feed-forwards: those of other layers of a role."""
    role = role or runner.main_role
    layers = [one.layer for one in runner.blocks if one.role == role and one.layer != layer]
    draw = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(layers), generator=draw)[:count].tolist()
    return tuple(ZeroFeedForward(layers[at], role=role) for at in order)


def typical(values: Sequence[float]) -> tuple[float, float]:
    """The size below which half of the values lie, and nine in ten of them, whatever their sign.

    Raises:
        ValueError: there are none.

    >>> typical([0.0, -1.0, 2.0])
    (1.0, 2.0)
    """
    sizes = sorted(abs(float(value)) for value in values)
    if not sizes:
        raise ValueError("there are no values to be typical of")
    return statistics.median(sizes), sizes[min(len(sizes) - 1, (len(sizes) * 9) // 10)]

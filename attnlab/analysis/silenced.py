"""What a text costs without some of the heads: its mean loss, set by set."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.baseline import random_sets
from attnlab.analysis.damage import half_mean
from attnlab.analysis.grow import grown
from attnlab.analysis.metrics import Loss
from attnlab.trace.edits import ZeroHead
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Head

COUNT: Final = 10
"""Random sets of as many heads."""


@dataclass(frozen=True)
class Silenced:
    """Mean losses of one text, nats a token.

    Attributes:
        plain: as trained.
        without: with the output of each set of heads at zero.
        random: by set, the middle one of ``COUNT`` random sets of as many heads.
    """

    plain: float
    without: tuple[float, ...]
    random: tuple[float, ...]


def silenced(
    runner: Runner,
    text: Any,
    sets: Sequence[Sequence[Head]],
    *,
    role: str | None = None,
    target: Any = None,
    half: bool = False,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
) -> Silenced:
    """The loss without each set of heads, and without random ones, in one growing batch.

    Args:
        half: whether the loss is that of the second half, where much has come before.
        seed: of the random sets.

    Raises:
        InputError, EditError: the model predicts no next token, or cannot be edited so.
        Cancelled: ``cancel`` was set.
    """
    role = role or runner.main_role
    drawn = [random_sets(runner, len(chosen), COUNT, seed, role) for chosen in sets]
    every = [*sets, *(one for several in drawn for one in several)]
    variants = [tuple(ZeroHead(*head, role) for head in sorted(set(one))) for one in every]
    options = {"target": target, "progress": progress, "cancel": cancel}
    found = grown(runner, text, variants, Loss(each=True), **options)
    before = found.metrics[0].value(found.plain).double()
    plain = _mean(before, half)
    losses = [_mean(before + change.double(), half) for change in found.values[0]]
    own, rest = losses[: len(sets)], losses[len(sets) :]
    middles = []
    for several in drawn:
        part, rest = rest[: len(several)], rest[len(several) :]
        middles.append(statistics.median(part))
    return Silenced(plain, tuple(own), tuple(middles))


def _mean(losses: Float[Tensor, " n_1"], half: bool) -> float:
    """One number of the losses of n tokens, the first of which has none."""
    return half_mean(losses, len(losses) + 1) if half else float(losses.mean())

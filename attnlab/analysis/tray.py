"""Heads and feed-forwards taken away together, beside each alone and random sets of as many.

Single effects do not add up to that of the set: later layers read what earlier ones write, and one
head may do the work of another that is gone (McGrath et al. 2023, "The Hydra Effect"). So a set is
measured as a set.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Final

from attnlab.analysis.baseline import random_sets, sets_of
from attnlab.analysis.grow import grown
from attnlab.analysis.metrics import Metric
from attnlab.errors import InputError
from attnlab.trace.edits import Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Head

Part = tuple[int, int | None]
"""A head, from its layer and number; no number: the feed-forward of the layer."""
COUNT: Final = 20
"""Random sets that a set is compared with."""


@dataclass(frozen=True)
class Together:
    """What a set of heads and feed-forwards does, in the unit of the metric.

    Attributes:
        effect: of all of them at once.
        singles: of each alone: the heads in their order, then the feed-forwards.
        random: of each random set of as many of both; () where none were drawn.
    """

    effect: float
    singles: tuple[float, ...]
    random: tuple[float, ...]

    @property
    def sum(self) -> float:
        """Of the single effects; not what the set does."""
        return sum(self.singles)

    @property
    def spread(self) -> tuple[float, float, float]:
        """The least, the middle and the largest effect of the random sets, where there are any."""
        return min(self.random), statistics.median(self.random), max(self.random)

    @property
    def beats(self) -> int:
        """How many random sets do less, whichever way."""
        return sum(abs(other) < abs(self.effect) for other in self.random)


def together(
    runner: Runner,
    text: Any,
    make: Callable[[int, int | None], Edit],
    heads: Sequence[Head],
    metric: Metric,
    *,
    layers: Sequence[int] = (),
    role: str | None = None,
    target: Any = None,
    count: int = COUNT,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
) -> Together:
    """The effect of a set, of each of its parts, and of random sets, in one growing batch.

    Args:
        make: the edit of one head, from its layer and head; no head: of the layer's feed-forward.
        metric: one that gives a number for each run.
        layers: those whose feed-forward belongs to the set.
        count: random sets, drawn with ``seed`` from the parts of ``role``; 0 for none.

    Raises:
        InputError, EditError: see ``Lab.run``; the role has fewer heads or feed-forwards, or the
            set is empty.
        Cancelled: ``cancel`` was set.
    """
    units: list[Part] = [*sorted(set(heads)), *((layer, None) for layer in sorted(set(layers)))]
    if not units:
        raise InputError("There is nothing to take away together; name heads, or layers.")
    drawn = _random(runner, units, count, seed, role) if count else ()
    sets = [tuple(units), *((unit,) for unit in units), *drawn]
    variants = [tuple(make(*unit) for unit in chosen) for chosen in sets]
    found = grown(
        runner, text, variants, metric, target=target, progress=progress, cancel=cancel
    ).values[0]
    effect, *rest = found.tolist()
    return Together(effect, tuple(rest[: len(units)]), tuple(rest[len(units) :]))


def _random(
    runner: Runner, units: Sequence[Part], count: int, seed: int, role: str | None
) -> list[tuple[Part, ...]]:
    """Sets with as many heads and as many feed-forwards, each kind drawn by itself.

    Raises:
        InputError: the role has fewer of either.
    """
    role = role or runner.main_role
    layers = sum(head is None for _, head in units)
    heads = len(units) - layers
    there = sorted(one.layer for one in runner.blocks if one.role == role and one.mlp_out)
    if layers > len(there):
        raise InputError(f"{runner.name} has {len(there)} feed-forwards in {role}, not {layers}.")
    feeds = [tuple((at, None) for at in some) for some in sets_of(there, layers, count, seed)]
    if not heads:
        return feeds
    drawn = random_sets(runner, heads, count, seed, role)
    return [(*some, *more) for some, more in zip(drawn, cycle(feeds), strict=False)]

"""Several heads taken away together, beside each alone and beside random sets of as many.

The effects of single heads do not add up to that of the set: later heads read what earlier ones
write, and one head may do the work of another that is gone (McGrath et al. 2023, "The Hydra
Effect"). So a set is measured as a set.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from attnlab.analysis.baseline import random_sets
from attnlab.analysis.grow import grown
from attnlab.analysis.metrics import Metric
from attnlab.trace.edits import Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Head

COUNT: Final = 20
"""Random sets that a set is compared with."""


@dataclass(frozen=True)
class Together:
    """What a set of heads does, in the unit of the metric.

    Attributes:
        effect: of all of them at once.
        singles: of each alone, in the order of the heads.
        random: of each random set of as many heads; () where none were drawn.
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
    make: Callable[[int, int], Edit],
    heads: Sequence[Head],
    metric: Metric,
    *,
    role: str | None = None,
    target: Any = None,
    count: int = COUNT,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
) -> Together:
    """The effect of a set of heads, of each of them, and of random sets, in one growing batch.

    Args:
        make: the edit of one head, from its layer and head.
        metric: one that gives a number for each run.
        count: random sets, drawn with ``seed`` from the heads of ``role``; 0 for none.

    Raises:
        InputError, EditError: see ``Lab.run``; the role has fewer heads.
        Cancelled: ``cancel`` was set.
    """
    heads = sorted(set(heads))
    drawn = random_sets(runner, len(heads), count, seed, role) if count else ()
    sets = [tuple(heads), *((head,) for head in heads), *drawn]
    variants = [tuple(make(*head) for head in chosen) for chosen in sets]
    found = grown(
        runner, text, variants, metric, target=target, progress=progress, cancel=cancel
    ).values[0]
    effect, *rest = found.tolist()
    return Together(effect, tuple(rest[: len(heads)]), tuple(rest[len(heads) :]))

"""One head of a model computed once more, tile by tile, and compared with all at once.

q, k, v, the mask and whatever the model adds to its scores are those of a run; the tiles are those
of ``attnlab.attention.tiles`` (Dao et al. 2022, algorithm 1). Each step holds what is in memory
after it: the scores of one tile, and for each of its queries the highest score and the sum so far.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnlab.analysis.opened import array, kv_head
from attnlab.attention import Mask, attend, tiles
from attnlab.errors import CaptureError
from attnlab.trace import Capture, Site, Trace

STAGES = ("q", "k", "v", "masked")
_NOTHING = 1e-3
"""A bias below this share of the largest score is rounding."""


@dataclass(frozen=True)
class Step:
    """One tile, after it was added.

    Attributes:
        queries, keys: (first, end) of each, from 0.
        skipped: nobody sees anything in it, so nothing was computed.
        weights: [q, s] exp(score − highest), not yet divided; None where skipped.
        highest, total: [q] the highest score and the sum so far, of these queries.
        shrink: [q] the factor by which this tile corrected what was summed before.
    """

    queries: tuple[int, int]
    keys: tuple[int, int]
    skipped: bool
    weights: np.ndarray | None
    highest: np.ndarray
    total: np.ndarray
    shrink: np.ndarray

    @property
    def scores(self) -> int:
        """How many scores it holds in memory."""
        return 0 if self.weights is None else self.weights.size

    @property
    def corrected(self) -> int:
        """How many of its queries had a sum that it made smaller."""
        return int(((self.shrink < 1) & (self.shrink > 0)).sum())


@dataclass(frozen=True)
class InTiles:
    """Every tile in order, and how far the result is from all at once.

    Attributes:
        queries, keys: how many there are.
        steps: in order.
        difference: the largest |z in tiles − z at once|, in float32; ``exact``: in float64.
    """

    queries: int
    keys: int
    steps: tuple[Step, ...]
    difference: float
    exact: float

    @property
    def computed(self) -> int:
        """Scores that are computed, over all steps; at once it would be queries · keys."""
        return sum(step.scores for step in self.steps)

    @property
    def most(self) -> int:
        """Scores that are in memory at a time."""
        return max(step.scores for step in self.steps)

    @property
    def corrected(self) -> int:
        """How often a higher score turned up and what was summed had to shrink."""
        return sum(step.corrected for step in self.steps)

    @property
    def telling(self) -> int:
        """The step that corrects most sums; the one in the middle where none does."""
        best = max(range(len(self.steps)), key=lambda at: self.steps[at].corrected)
        return best if self.steps[best].corrected else len(self.steps) // 2


def captures(site: Site, head: int, stages: frozenset[str] | set[str]) -> tuple[Capture, ...]:
    """What a run must keep of one head.

    Raises:
        CaptureError: the model does not show how its scores come about.
    """
    if not set(STAGES) <= set(stages):
        raise CaptureError(
            "This model computes attention in code of its own: its weights can be seen, q and k "
            "cannot, so there is nothing to cut into tiles. Choose another model."
        )
    own = {"k", "v"}
    return tuple(
        Capture(
            stage,
            layers=site.layer,
            heads=kv_head(site, head) if stage in own else head,
            roles=site.role,
        )
        for stage in STAGES
    )


def in_tiles(trace: Trace, site: Site, head: int, tile: int, most: int) -> InTiles:
    """The head over the first ``most`` queries and keys, in tiles of ``tile`` by ``tile``."""
    role = trace.role(site.role)
    kv = kv_head(site, head)
    q = role.q[site.layer, head][:most].float().cpu()
    k, v = (values[site.layer, kv][:most].float().cpu() for values in (role.k, role.v))
    masked = role.masked[site.layer, head][:most, :most].float().cpu()
    scale = len(q[0]) ** -0.5 if site.scale is None else site.scale
    visible = ~masked.isneginf()
    bias = _added(scale * q @ k.mT, masked, visible)
    return computed(q, k, v, visible, bias, scale, tile)


def _added(plain: Tensor, masked: Tensor, visible: Tensor) -> Tensor | None:
    """What a model adds to scale · q kᵀ: a bias, or what a soft cap takes; None for nothing."""
    added = torch.where(visible, masked - plain, 0.0)
    largest = plain[visible].abs().max() if visible.any() else 0.0
    return None if added.abs().max() <= _NOTHING * max(float(largest), 1.0) else added


def computed(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    visible: Tensor,
    bias: Tensor | None,
    scale: float,
    tile: int,
) -> InTiles:
    """q [Q, D], k [S, D], v [S, E], who sees whom [Q, S], and what is added [Q, S]."""
    found: list[Step] = []
    differences = []
    for kind in (torch.float32, torch.float64):
        given = [x.to(kind)[None, None] for x in (q, k, v)]
        added = None if bias is None else bias.to(kind)[None, None]
        mask = Mask(visible[None, None], added)
        whole = attend(*given, mask, scale=scale, tile=max(len(q), 1))
        steps = list(tiles(*given, mask, tile=(tile, tile), scale=scale))
        ends = [step for step in steps if step.keys.stop == len(k)]
        z = torch.cat([step.z for step in ends], 2)
        differences.append(float((z - whole).abs().max()))
        found = found or [_step(step) for step in steps]
    return InTiles(len(q), len(k), tuple(found), *differences)


def _step(step: object) -> Step:
    weights = step.weights
    return Step(
        (step.queries.start, step.queries.stop),
        (step.keys.start, step.keys.stop),
        step.skipped,
        None if weights is None else array(weights[0, 0]),
        *(array(x[0, 0]) for x in (step.highest, step.total, step.shrink)),
    )

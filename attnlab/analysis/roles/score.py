"""From the weights on a probe to a score, and to what chance would have made of it.

Chance: every query is given other keys in place of its own, drawn at random, as many of them; where
the score is a difference, the two sides change places at random. The same weights, looked at in
wrong places.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.roles.kinds import Role
from attnlab.analysis.roles.probe import Looks

SHUFFLES = 32
"""Draws of chance; their spread, not their largest, sets the threshold."""
DEVIATIONS = 4
"""How many standard deviations above chance a head must lie: 1 in 30,000 of a normal."""


def scored(
    weights: Float[Tensor, "N Q S"], looks: Looks, difference: bool, draw: torch.Generator
) -> tuple[Float[Tensor, " N"], Float[Tensor, "R N"]]:
    """The score of every head on one probe, and under each of ``SHUFFLES`` draws of chance.

    Mean over the queries that have keys to look at, of the weight on those keys.

    Raises:
        ValueError: no query has any.
    """
    rows = looks.on.any(-1)
    if not rows.any():
        raise ValueError("no query of this probe has a key to look at")
    on, among = looks.on[rows].double(), looks.among[rows]
    if difference:
        own = on - among.double()
        sign = torch.randint(2, (SHUFFLES, len(own), 1), generator=draw).double() * 2 - 1
        chance = own * sign
    else:
        own, chance = on, _others(looks.on[rows], among, draw)
    masks = torch.cat([own[None], chance]).flatten(1) / len(own)
    # One head at a time is what fits in a cache; all of them at once is what is quick.
    found = masks.to(weights) @ weights[:, rows].flatten(1).T
    return found[0].double(), found[1:].double()


def _others(on: Tensor, among: Tensor, draw: torch.Generator) -> Tensor:
    """As many keys of each row as it has, drawn from the others: [R, Q, S]."""
    order = torch.rand(SHUFFLES, *among.shape, generator=draw).masked_fill(~among, 2.0)
    count = on.sum(-1)
    least = order.topk(int(count.max()), largest=False).values
    last = least.gather(-1, (count - 1).expand(SHUFFLES, -1)[..., None])
    return ((order <= last) & among).double()


@dataclass
class Tally:
    """The scores of one role as they come in, probe by probe."""

    role: Role
    scores: list[Tensor] = field(default_factory=list)
    chance: list[Tensor] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)

    def add(self, score: Tensor, chance: Tensor, group: int) -> None:
        self.scores.append(score)
        self.chance.append(chance)
        self.groups.append(group)

    def result(self) -> Result:
        """Over all probes; chance is averaged draw by draw."""
        scores, groups = torch.stack(self.scores), torch.tensor(self.groups)
        each = torch.stack([scores[groups == g].mean(0) for g in groups.unique()])
        chance = torch.stack(self.chance).mean(0)
        spread = each.std(0) if len(each) > 1 else torch.full_like(each[0], torch.nan)
        limit = chance.mean(0) + DEVIATIONS * chance.std(0)
        return Result(each.mean(0), chance.mean(0), limit.clamp(min=self.role.floor), spread)


@dataclass(frozen=True)
class Result:
    """One role of every head, [N] each: its score, what chance gives, the least score that names
    it, and the standard deviation of the score over the probes."""

    score: Tensor
    chance: Tensor
    threshold: Tensor
    spread: Tensor

"""The pattern that a head has whatever the text."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.roles.score import DEVIATIONS, Result

_DRAWS = 4
"""Chance is drawn over whole patterns here, so a few draws hold thousands of rows."""


class Common:
    """Patterns [N, n, n] of one length, one text after the other; their sum and the last are kept.

        shift = ½ Σ |mean over texts − even|       the weight that a common pattern moves from even
        moved = ½ Σ |one text − the one before|    the weight that the text moves

    Both are means over queries, from the third on, and leave out the first key, where a head at
    rest looks on every text. So shift − moved is a weight; a narrow window has one too, whatever it
    weighs within. Chance: every row's keys in an order of their own.

    Args:
        seen: the keys that each query sees, bool [n, n].
    """

    def __init__(self, seen: Tensor, draw: torch.Generator) -> None:
        self._draw, self._places = draw, seen.clone()
        self._places[:, 0] = False
        self._sums = [_Sum(self._places) for _ in range(1 + _DRAWS)]

    def add(self, weights: Float[Tensor, "N n n"]) -> None:
        """Take the patterns of one more text."""
        own, *chance = self._sums
        own.add(weights)
        for one in chance:
            one.add(weights.gather(-1, self._order().expand_as(weights)))

    def result(self, floor: float) -> Result:
        """The score of every head; the spread is over texts.

        Raises:
            ValueError: fewer than two texts.
        """
        own, *mixed = (one.scores() for one in self._sums)
        chance = torch.stack([one.mean(0) for one in mixed])
        limit = chance.mean(0) + DEVIATIONS * chance.std(0)
        spread = own.std(0) if len(own) > 1 else torch.full_like(own[0], torch.nan)
        return Result(own.mean(0), chance.mean(0), limit.clamp(min=floor), spread)

    def _order(self) -> Tensor:
        """Keys [n, n]: those that a query sees in any order, the first one where it is."""
        order = torch.rand(self._places.shape, generator=self._draw)
        order = order.masked_fill(~self._places, 2.0)
        order[:, 0] = -1.0
        return order.argsort(-1)


class _Sum:
    """What is kept of the patterns so far."""

    def __init__(self, places: Tensor) -> None:
        self.places, self.count, self.moved = places, 0, []
        self.total: Tensor | None = None
        self.last: Tensor | None = None

    def add(self, weights: Tensor) -> None:
        here = weights * self.places
        if self.total is None:
            self.total = torch.zeros_like(here)
        else:
            self.moved.append(_weight(here - self.last))
        self.count, self.total, self.last = self.count + 1, self.total + here, here

    def scores(self) -> Tensor:
        """The score on each text but the first, [texts − 1, N]."""
        if not self.moved:
            raise ValueError("what texts have in common takes at least two")
        mean = self.total / self.count
        share = mean.sum(-1, keepdim=True) / self.places.sum(-1, keepdim=True).clamp(min=1)
        shift = _weight(mean - share * self.places)
        return torch.stack([shift - moved for moved in self.moved])


def _weight(difference: Tensor) -> Tensor:
    return difference[:, 2:].abs().sum(-1).mean(-1).double() / 2

"""What a change costs over a long text, and how much of that another way takes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from attnlab.errors import InputError

_SHARE = 16
"""A drawn value is the mean of one sixteenth of the text."""


def half_mean(losses: Float[Tensor, " n_1"], tokens: int) -> float:
    """The mean loss over the second half of ``tokens`` tokens, where much has come before.

    Raises:
        InputError: there is no second half.
    """
    part = losses[tokens // 2 :]
    if not len(part):
        raise InputError(f"A text of {tokens} tokens has no loss in its second half.")
    return float(part.double().mean())


def width_for(tokens: int) -> int:
    """How many neighbours a drawn loss is the mean of: odd, and narrow on short texts, so that what
    comes later does not seem to begin early."""
    return max(1, tokens // _SHARE) | 1


@dataclass(frozen=True)
class Damage:
    """Mean losses in nats: as trained, changed, and with something kept."""

    whole: float
    lost: float
    saved: float

    @property
    def cost(self) -> float:
        """What the change costs, nats a token."""
        return self.lost - self.whole

    @property
    def taken_back(self) -> float:
        """Which share of the cost is undone: 1 for all of it, below 0 where it gets worse."""
        return (self.lost - self.saved) / self.cost


def damage(means: Sequence[float]) -> Damage | None:
    """The first three of ``means``; None until there are as many."""
    return Damage(*means[:3]) if len(means) > 2 else None

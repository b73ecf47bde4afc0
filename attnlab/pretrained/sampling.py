"""How the next token is drawn: temperature, then top-k, then top-p, then one uniform number.

    p = softmax(logits / temperature)             sorted, the likeliest first
    top-k: the k likeliest are kept               (Fan et al. 2018, section 5.1)
    top-p: the fewest likeliest that reach p      (Holtzman et al. 2020, section 3.1), of what top-k
                                                  has left, made to add up to 1 again
    token: the first whose running sum of the kept, made to add up to 1, exceeds u

u is number i of a seed for token i, whatever was drawn or chosen before. So two generations from
one seed, plain and edited, spend the same luck on each token: they part where the models do, not
where the dice fall. Sorted like this, they agree on the likeliest token as often as can be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.errors import InputError
from attnlab.trace.given import brief, number, whole
from attnlab.trace.token import Token

_COLDEST: Final = 1e-3
_HOTTEST: Final = 1e3


@dataclass(frozen=True)
class Candidate:
    """A token that could come next. ``probability``: the model's own; ``chance``: that of being
    drawn, after temperature, top-k and top-p, 0 where those leave it out."""

    token: Token
    probability: float
    chance: float


@dataclass(frozen=True)
class Step:
    """A token that came: as a Candidate, with its rank (0 is the likeliest), and whether somebody
    chose it."""

    token: Token
    probability: float
    chance: float
    rank: int
    chosen: bool


@dataclass(frozen=True)
class Sampling:
    """The options of a draw, checked.

    ``temperature``: 0 takes the likeliest token, whatever the others say. ``top_k``, ``top_p``:
    None keeps every token.

    Raises:
        InputError: a value that no draw can have.
    """

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        temperature = number("The sampling temperature", self.temperature, 0, _HOTTEST, InputError)
        if 0 < temperature < _COLDEST:
            raise InputError(
                f"The sampling temperature is 0, or from 0.001 to 1,000, not {brief(temperature)}."
            )
        object.__setattr__(self, "temperature", temperature)  # a tensor is no plain number
        if self.top_k is not None and whole("top_k", self.top_k, InputError) < 1:
            raise InputError(f"top_k is at least 1, not {brief(self.top_k)}.")
        if self.top_p is not None and number("top_p", self.top_p, 0, 1, InputError) == 0:
            raise InputError("top_p is above 0; the smallest keeps the likeliest token alone.")
        whole("seed", self.seed, InputError, most=None)

    def kept(self, logits: Float[Tensor, " V"]) -> tuple[Int[Tensor, " n"], Float[Tensor, " n"]]:
        """The tokens that can be drawn, likeliest first, and their chances, which add up to 1."""
        if self.temperature == 0:
            return logits.argmax()[None], torch.ones(1, dtype=torch.double)
        chances = torch.softmax(logits.double() / self.temperature, -1)
        chances, ids = chances.sort(descending=True, stable=True)
        if self.top_k is not None:
            chances, ids = chances[: self.top_k], ids[: self.top_k]
        if self.top_p is not None:
            reached = (chances / chances.sum()).cumsum(0)
            count = int((reached < self.top_p).sum()) + 1
            chances, ids = chances[:count], ids[:count]
        return ids, chances / chances.sum()

    def draw(self, logits: Float[Tensor, " V"], uniform: float) -> int:
        """The token that a uniform number from [0, 1) falls on: the inverse of the running sum."""
        if self.temperature == 0:
            return int(logits.argmax())
        ids, chances = self.kept(logits)
        place = int((chances.cumsum(0) <= uniform).sum())
        return int(ids[min(place, len(ids) - 1)])  # rounding may leave the sum below 1

    def chances(self, logits: Float[Tensor, " V"]) -> Float[Tensor, " V"]:
        """Of each token, that of being drawn."""
        ids, chances = self.kept(logits)
        return torch.zeros(len(logits), dtype=torch.double).scatter(0, ids, chances)


class Luck:
    """The uniform numbers of a seed, by the place of the token that each is for."""

    def __init__(self, seed: int) -> None:
        self._source = torch.Generator().manual_seed(seed % 2**63)
        self._drawn: list[float] = []

    def at(self, place: int) -> float:
        while len(self._drawn) <= place:
            one = torch.rand(1, dtype=torch.double, generator=self._source)
            self._drawn.append(float(one))
        return self._drawn[place]

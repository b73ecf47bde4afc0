"""A score under rotary positions: it depends on the distance alone, and how scaling stretches it.

    (R(m) q) · (R(n) k) = q · R(n − m) k         (Su et al. 2021, section 3.2.2)

so the curve of the score against m − n is the same wherever the pair stands in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.positions import (
    NtkAware,
    PositionInterpolation,
    Rope,
    Scaling,
    Yarn,
)

VECTORS: Final = ("alike", "ones", "apart")
"""A random key that equals the query; all ones; two random vectors."""


@dataclass(frozen=True)
class Against:
    """Scores of one pair of vectors against their distance.

    ``scores`` [starts, distances], q·k/√D with the key at each start; ``spread``: the largest
    difference between starts at one distance.
    """

    scores: Tensor
    spread: float


def pair(name: str, size: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    """A query and a key, [D] each, float64; standard normal where they are drawn.

    Raises:
        ValueError: no such pair.
    """
    if name not in VECTORS:
        raise ValueError(f"{name!r} is none of {', '.join(VECTORS)}")
    if name == "ones":
        return torch.ones(size, dtype=torch.float64), torch.ones(size, dtype=torch.float64)
    drawn = torch.randn(2, size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return drawn[0], drawn[0 if name == "alike" else 1]


def against(
    q: Float[Tensor, " D"],
    k: Float[Tensor, " D"],
    scheme: Rope,
    starts: Sequence[int],
    distances: Sequence[int],
    dtype: torch.dtype = torch.float64,
) -> Against:
    """The score of a query ``distance`` tokens after a key at each of ``starts``."""
    size = len(q)
    module = scheme.build(width=size, heads=1, key_size=size, bidirectional=False)
    at = torch.tensor(list(starts))[:, None]
    far = at + torch.tensor(list(distances))
    shape = (1, 1, far.numel(), size)
    queries = module.rotate(q.to(dtype).expand(shape), far.reshape(1, -1))[0, 0]
    keys = module.rotate(k.to(dtype).expand(1, 1, len(starts), size), at.reshape(1, -1))[0, 0]
    turned = queries.reshape(len(starts), -1, size)
    scores = (turned * keys[:, None]).sum(-1) / size**0.5
    spread = float((scores.max(0).values - scores.min(0).values).max())
    return Against(scores.double(), spread)


def even(bias: Float[Tensor, "H n"]) -> Float[Tensor, "H n"]:
    """What a softmax makes of a bias alone, where every key scores the same."""
    return bias.softmax(-1)


def within(weights: Float[Tensor, "H n"], share: float) -> list[int]:
    """How many tokens, the nearest first, hold a share of each head's weight."""
    return [int(count) + 1 for count in (weights.cumsum(-1) < share).sum(-1)]


def scaling_of(name: str, factor: float, original: int) -> Scaling | None:
    """How frequencies are changed: "none", "interpolated", "ntk" or "yarn".

    Raises:
        KeyError: no such scaling.
    """
    made: dict[str, Scaling | None] = {
        "none": None,
        "interpolated": PositionInterpolation(factor),
        "ntk": NtkAware(factor),
        "yarn": Yarn(factor, original),
    }
    return made[name]


def turns(scheme: Rope, size: int, length: int) -> Float[Tensor, " pairs"]:
    """Full turns that each pair makes over ``length`` tokens, fastest first, float64."""
    return scheme.frequencies(size, torch.float64) * length / (2 * torch.pi)


def unseen(scheme: Rope, size: int, trained: int, length: int) -> Float[Tensor, " pairs"]:
    """Which pairs reach, within ``length`` tokens, angles that training never showed: bool [pairs].

    A pair that came all the way round within ``trained`` tokens has shown every angle; a slower one
    only those up to where it stopped, at the speed that it had then.
    """
    then = turns(Rope(scheme.base, scheme.fraction), size, trained)
    return (then < 1) & (turns(scheme, size, length) > then * (1 + 1e-9))

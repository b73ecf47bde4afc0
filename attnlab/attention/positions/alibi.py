"""ALiBi, attention with linear biases (Press et al. 2022, "Train Short, Test Long").

    score(m, n) = q_m·k_n / √D − slope_h · |m − n|
    slope_h = 2^(−8 h / H),  h = 1 .. H              (section 3)

Nothing turns and nothing is learned: each head forgets with distance, the first fast, the last
slowly. Where H is no power of two, the slopes of the next lower power P come first, followed by
every other slope of 2P (the authors' code, and that of BLOOM and MPT).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.attention.positions.scheme import PositionModule, Scheme


@dataclass(frozen=True)
class Alibi(Scheme):
    """A penalty on distance, in each head its own. It looks both ways alike."""

    def build(
        self, *, width: int, heads: int, key_size: int, bidirectional: bool
    ) -> PositionModule:
        return _LinearBias(heads)


def slopes(heads: int) -> list[float]:
    """How much each head takes off a score for each token of distance.

    >>> slopes(4)
    [0.25, 0.0625, 0.015625, 0.00390625]
    >>> slopes(3)
    [0.0625, 0.00390625, 0.25]
    """
    power = 2 ** (heads.bit_length() - 1)
    first = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    return first if power == heads else first + slopes(2 * power)[::2][: heads - power]


class _LinearBias(PositionModule):
    def __init__(self, heads: int) -> None:
        super().__init__()
        self.slopes = slopes(heads)

    def bias(
        self,
        queries: Int[Tensor, "#B Q"],
        keys: Int[Tensor, "#B S"],
        dtype: torch.dtype = torch.float32,
    ) -> Float[Tensor, "#B H Q S"]:
        distance = (queries[:, None, :, None] - keys[:, None, None, :]).abs()
        # Half precision cannot tell 257 tokens from 256: keep float32 at least.
        wide = torch.promote_types(dtype, torch.float32)
        slope = torch.tensor(self.slopes, dtype=wide, device=queries.device)
        return -slope[:, None, None] * distance

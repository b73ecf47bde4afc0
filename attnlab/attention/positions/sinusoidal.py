"""Sinusoidal positions (Vaswani et al. 2017, "Attention Is All You Need", section 3.5).

    p[pos, 2i]     = sin(pos · base^(−2i / M))
    p[pos, 2i + 1] = cos(pos · base^(−2i / M))        x[pos] + p[pos]

Each pair of coordinates is the hand of a clock, the first turning one radian a token, the last a
``base``-th of that. Moving on by k tokens turns every hand by an angle that depends on k alone:
p[pos + k] = R(k) p[pos], the same R(k) everywhere, which a linear layer can learn.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.attention.checks import require_positive
from attnlab.attention.positions.scheme import PositionModule, Scheme


@dataclass(frozen=True)
class Sinusoidal(Scheme):
    """Clocks of many speeds, added to the embeddings. Nothing is learned, no length is the last.

    Raises ValueError for a base that is no number above 0.
    """

    base: float | int = 10000.0

    def __post_init__(self) -> None:
        require_positive(base=self.base)

    def build(
        self, *, width: int, heads: int, key_size: int, bidirectional: bool
    ) -> PositionModule:
        """Raises ValueError when the width is odd, as sine and cosine come in pairs."""
        if width % 2:
            raise ValueError(f"sinusoidal positions need an even width, not {width}")
        return _Sinusoids(width, self.base)


class _Sinusoids(PositionModule):
    def __init__(self, width: int, base: float | int) -> None:
        super().__init__()
        self.width, self.base = width, base

    def encoding(
        self, positions: Int[Tensor, "#B n"], dtype: torch.dtype = torch.float32
    ) -> Float[Tensor, "#B n M"]:
        """p itself, for any positions."""
        even = torch.arange(0, self.width, 2, dtype=dtype, device=positions.device)
        angles = positions[..., None] * self.base ** (-even / self.width)
        return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)

    def embed(self, x: Float[Tensor, "B n M"], positions: Int[Tensor, "#B n"]) -> Tensor:
        # Half precision cannot tell position 2,049 from 2,048: count in float32 at least.
        wide = torch.promote_types(x.dtype, torch.float32)
        return x + self.encoding(positions, wide).to(x.dtype)

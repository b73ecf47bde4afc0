"""Rotary positions, RoPE (Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position
Embedding", section 3.2).

    angle(pos, i) = pos · base^(−2i / r),  i = 0 .. r/2 − 1
    (a, b)  →  (a cos − b sin,  b cos + a sin)        for each pair (a, b) of coordinates

Queries and keys are turned, pair by pair, each by its own position. A dot product does not change
when both vectors turn alike, so what is left is the difference:

    (R(m) q) · (R(n) k) = q · R(n − m) k

absolute in how it is computed, relative in what it means. Values are not turned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.attention.positions.scaling import Scaling
from attnlab.attention.positions.scheme import PositionModule, Scheme


@dataclass(frozen=True)
class Rope(Scheme):
    """Pairs of coordinates, turned by angles that grow with the position.

    ``fraction`` of each head turns, the rest carries content only (GPT-NeoX, GPT-J). Pairs are
    (i, i + r/2), "half-split" (GPT-NeoX, Llama), or neighbours (2i, 2i + 1) where ``interleaved``
    (the paper, GPT-J): the same up to a fixed reordering, but weights fit only one of them.
    ``scaling`` stretches it to longer texts, see ``attnlab.attention.positions.scaling``.
    """

    base: float | int = 10000.0
    fraction: float | int = 1.0
    interleaved: bool = False
    scaling: Scaling | None = None

    def rotated(self, key_size: int) -> int:
        """r: how many of a head's coordinates turn.

        Raises:
            ValueError: r is odd, so that one coordinate has no partner.
        """
        size = int(key_size * self.fraction)
        if size % 2:
            raise ValueError(
                f"{size} coordinates ({self.fraction} of {key_size}) do not pair up: r must be even"
            )
        return size

    def pairs(self, key_size: int) -> list[tuple[int, int]]:
        """The coordinates that turn together, fastest first.

        >>> Rope().pairs(6), Rope(interleaved=True).pairs(6)
        ([(0, 3), (1, 4), (2, 5)], [(0, 1), (2, 3), (4, 5)])
        """
        half = self.rotated(key_size) // 2
        if self.interleaved:
            return [(2 * i, 2 * i + 1) for i in range(half)]
        return [(i, i + half) for i in range(half)]

    def frequencies(
        self, key_size: int, dtype: torch.dtype = torch.float32
    ) -> Float[Tensor, " pairs"]:
        """Radians a token, for each pair. float32 gives the rounding that models were trained with,
        so it is computed anew in the type asked for, never converted."""
        size = self.rotated(key_size)
        plain = 1.0 / self.base ** (torch.arange(0, size, 2, dtype=dtype) / size)
        return plain if self.scaling is None else self.scaling.scaled(plain, self.base)

    def build(
        self, *, width: int, heads: int, key_size: int, bidirectional: bool
    ) -> PositionModule:
        return _Rotation(self, key_size)


class _Turn(NamedTuple):
    """Cosines and sines [#B, 1, n, r/2], and the positions and type that they were made for."""

    positions: Tensor
    version: int
    dtype: torch.dtype
    cos: Tensor
    sin: Tensor

    def serves(self, positions: Tensor, dtype: torch.dtype) -> bool:
        same = self.positions is positions and self.version == positions._version
        return same and self.dtype == dtype


class _Rotation(PositionModule):
    rotates = True

    def __init__(self, scheme: Rope, key_size: int) -> None:
        super().__init__()
        self.scheme, self.key_size = scheme, key_size
        self.size = scheme.rotated(key_size)
        # Queries and keys of every layer turn alike: one is computed, the rest take it from here.
        # Replaced whole, never changed, so that threads sharing the model cannot mix two texts up.
        self._last: _Turn | None = None

    def angles(
        self, positions: Int[Tensor, "#B n"], dtype: torch.dtype = torch.float32
    ) -> Float[Tensor, "#B n pairs"]:
        """By how many radians each pair has turned at each position."""
        frequencies = self.scheme.frequencies(self.key_size, dtype).to(positions.device)
        return positions[..., None].to(dtype) * frequencies

    def rotate(self, x: Float[Tensor, "B h n D"], positions: Int[Tensor, "#B n"]) -> Tensor:
        turn = self._turn(positions, x.dtype)
        first, second = self._split(x[..., : self.size])
        turned = (
            first * turn.cos - second * turn.sin,
            second * turn.cos + first * turn.sin,
        )
        if self.scheme.interleaved:
            joined = torch.stack(turned, -1).flatten(-2)
        else:
            joined = torch.cat(turned, -1)
        if self.size == x.shape[-1]:
            return joined
        return torch.cat([joined, x[..., self.size :]], -1)

    def _split(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The first and the second coordinate of every pair."""
        if self.scheme.interleaved:
            return x[..., 0::2], x[..., 1::2]
        return x[..., : self.size // 2], x[..., self.size // 2 :]

    def _turn(self, positions: Tensor, dtype: torch.dtype) -> _Turn:
        last = self._last
        if last is not None and last.serves(positions, dtype):
            return last
        angles = self.angles(positions, torch.promote_types(dtype, torch.float32))[:, None]
        scaling = self.scheme.scaling
        magnitude = 1.0 if scaling is None else scaling.magnitude
        cos, sin = ((f(angles) * magnitude).to(dtype) for f in (torch.cos, torch.sin))
        turn = _Turn(positions, positions._version, dtype, cos, sin)
        self._last = turn
        return turn

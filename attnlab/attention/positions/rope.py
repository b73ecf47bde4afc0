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

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.attention.checks import require_kind, require_number, require_positive
from attnlab.attention.positions.scaling import Scaling
from attnlab.attention.positions.scheme import PositionModule, Scheme


@dataclass(frozen=True)
class Rope(Scheme):
    """Pairs of coordinates, turned by angles that grow with the position.

    ``fraction`` of each head turns, the rest carries content only (GPT-NeoX, GPT-J). Pairs are
    (i, i + r/2), "half-split" (GPT-NeoX, Llama), or neighbours (2i, 2i + 1) where ``interleaved``
    (the paper, GPT-J): the same up to a fixed reordering, but weights fit only one of them.
    ``scaling`` stretches it to longer texts, see ``attnlab.attention.positions.scaling``.

    Raises ValueError for a base that is no number above 0, or a fraction outside 0 to 1.
    """

    base: float | int = 10000.0
    fraction: float | int = 1.0
    interleaved: bool = False
    scaling: Scaling | None = None

    def __post_init__(self) -> None:
        require_positive(base=self.base)
        require_number(0, fraction=self.fraction)
        if self.fraction > 1:
            raise ValueError(f"fraction is at most 1, the whole of each head, not {self.fraction}")
        if self.scaling is not None:
            require_kind("scaling is one of attnlab.attention.positions", self.scaling, Scaling)

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
        return _RotaryModule(self, key_size)


@dataclass(frozen=True)
class Rotation:
    """A turn for each position of one text or batch: cosines and sines [#B, 1, n, r/2].

    Worked out once, it serves the queries and the keys of every layer.
    """

    cos: Tensor
    sin: Tensor
    interleaved: bool

    def __call__(self, x: Float[Tensor, "B h n D"]) -> Float[Tensor, "B h n D"]:
        """Queries or keys, turned; coordinates beyond r stay as they are."""
        size = 2 * self.cos.shape[-1]
        first, second = self._split(x[..., :size])
        turned = (first * self.cos - second * self.sin, second * self.cos + first * self.sin)
        joined = torch.stack(turned, -1).flatten(-2) if self.interleaved else torch.cat(turned, -1)
        return joined if size == x.shape[-1] else torch.cat([joined, x[..., size:]], -1)

    def _split(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The first and the second coordinate of every pair."""
        if self.interleaved:
            return x[..., 0::2], x[..., 1::2]
        return x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]


class _RotaryModule(PositionModule):
    rotates = True

    def __init__(self, scheme: Rope, key_size: int) -> None:
        super().__init__()
        self.scheme, self.key_size = scheme, key_size
        self.pairs = tuple(scheme.pairs(key_size))
        scheme.frequencies(key_size)  # what a scaling cannot stretch is refused here

    @property
    def magnitude(self) -> float:
        """By how much longer a vector is after its turn (YaRN; else 1)."""
        return 1.0 if self.scheme.scaling is None else self.scheme.scaling.magnitude

    def angles(
        self, positions: Int[Tensor, "*B n"], dtype: torch.dtype = torch.float32
    ) -> Float[Tensor, "*B n pairs"]:
        """By how many radians each of ``pairs`` has turned at each position."""
        frequencies = self.scheme.frequencies(self.key_size, dtype).to(positions.device)
        return positions[..., None].to(dtype) * frequencies

    def rotation(self, positions: Int[Tensor, "#B n"], dtype: torch.dtype) -> Rotation:
        angles = self.angles(positions, torch.promote_types(dtype, torch.float32))[:, None]
        cos, sin = ((turn(angles) * self.magnitude).to(dtype) for turn in (torch.cos, torch.sin))
        return Rotation(cos, sin, self.scheme.interleaved)

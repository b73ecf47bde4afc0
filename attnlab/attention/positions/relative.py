"""Relative positions in buckets: T5 (Raffel et al. 2020, "Exploring the Limits of Transfer Learning
with a Unified Text-to-Text Transformer", section 2.1; the idea is Shaw et al. 2018).

    score(m, n) = q_m·k_n + table[bucket(n − m), h]

Near distances have a bucket each. Farther ones share buckets that widen with the logarithm of the
distance, and everything from ``farthest`` on falls into the last one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.attention.checks import require_whole
from attnlab.attention.positions.scheme import PositionModule, Scheme


@dataclass(frozen=True)
class RelativeBuckets(Scheme):
    """A learned bias for each head and bucket of distance.

    An encoder has half of the buckets for keys before the query and half for those after; a
    decoder has all of them for the past.

    Raises ValueError for no bucket or no distance.
    """

    buckets: int = 32
    farthest: int = 128

    def __post_init__(self) -> None:
        require_whole(buckets=self.buckets, farthest=self.farthest)

    def build(
        self, *, width: int, heads: int, key_size: int, bidirectional: bool
    ) -> PositionModule:
        """Raises ValueError where no distance has a bucket of its own, or none is left to share."""
        exact = (self.buckets // 2 if bidirectional else self.buckets) // 2
        if exact < 1 or self.farthest <= exact:
            raise ValueError(
                f"{self.buckets} buckets up to a distance of {self.farthest} leave no room for "
                "single distances and shared ones"
            )
        return _BucketBias(self, heads, bidirectional)


def bucket(
    ahead: Int[Tensor, "*shape"], buckets: int, farthest: int, bidirectional: bool
) -> Int[Tensor, "*shape"]:
    """The bucket of each distance.

    Args:
        ahead: key position − query position; negative for the past.
        buckets: how many there are.
        farthest: the distance from which on all share the last bucket.
        bidirectional: keys after the query get the upper half; else they count as distance 0.
    """
    first = 0
    if bidirectional:
        buckets //= 2
        first = (ahead > 0) * buckets
        distance = ahead.abs()
    else:
        distance = (-ahead).clamp(min=0)
    exact = buckets // 2
    # In float32, because the bucket at a border depends on the rounding that T5 was trained with.
    ratio = torch.log(distance.clamp(min=1).float() / exact) / math.log(farthest / exact)
    shared = exact + (ratio * (buckets - exact)).long()
    return first + torch.where(distance < exact, distance, shared.clamp(max=buckets - 1))


class _BucketBias(PositionModule):
    def __init__(self, scheme: RelativeBuckets, heads: int, bidirectional: bool) -> None:
        super().__init__()
        self.scheme, self.bidirectional = scheme, bidirectional
        self.table = nn.Embedding(scheme.buckets, heads)

    def bias(
        self,
        queries: Int[Tensor, "#B Q"],
        keys: Int[Tensor, "#B S"],
        dtype: torch.dtype = torch.float32,
    ) -> Float[Tensor, "#B H Q S"]:
        ahead = keys[:, None, :] - queries[:, :, None]
        places = bucket(ahead, self.scheme.buckets, self.scheme.farthest, self.bidirectional)
        return self.table(places).permute(0, 3, 1, 2)

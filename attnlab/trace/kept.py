"""Which positions one forward of our transformer reads and sees, whatever its cache has dropped."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnlab.attention.cache import Cache
from attnlab.attention.mask import Mask
from attnlab.attention.masks import Predicate
from attnlab.attention.positions import PositionModule


@dataclass(frozen=True)
class Kept:
    """Positions in the text of the new tokens [1, n] and of all keys that they are handed [1, S];
    in ``spans`` both as attention counts them. ``visible``: what the cache lets be seen."""

    new: Int[Tensor, "1 n"]
    keys: Int[Tensor, "1 S"]
    spans: tuple[Int[Tensor, "1 n"], Int[Tensor, "1 S"]]
    visible: Predicate | None = None

    @classmethod
    def of(
        cls,
        cache: Cache | None,
        past: int,
        new: int,
        module: PositionModule,
        device: torch.device,
    ) -> Kept:
        """For ``new`` tokens after ``past``.

        Raises:
            ValueError: the cache numbers tokens anew, and the scheme has added where they were.
        """
        fresh = cache is None or cache.keep is None
        keys = torch.arange(past + new) if fresh else cache.positions(new)
        keys = keys.to(device)[None]
        here = keys[:, -new:]
        if fresh:
            return cls(here, keys, (here, keys))
        if not cache.renumbers:
            return cls(here, keys, (here, keys), cache.keep.pattern)
        if type(module).embed is not PositionModule.embed:
            raise ValueError(
                "a cache with sinks numbers its tokens anew, and this model has added their "
                "positions to the embeddings; a cache of the last tokens alone leaves them"
            )
        places = torch.arange(keys.shape[1], device=device)[None]
        return cls(here, keys, (places[:, -new:], places), cache.keep.pattern)

    @property
    def renumbered(self) -> bool:
        return self.spans[1] is not self.keys

    def mask(self, pattern: Predicate, real: Bool[Tensor, "B N"] | None) -> Mask:
        """Who of the new tokens sees which key. ``real``: False for padding, of the whole text."""
        if self.visible is None:
            start = self.keys.shape[1] - self.new.shape[1]
            every = range(self.keys.shape[1])
            return pattern.mask(every[start:], every, self.keys.device).without(real)
        seen = (pattern & self.visible)(self.new.T, self.keys)
        mask = Mask(seen[:, None] if seen.dim() == 3 else seen[None, None])
        return mask.without(None if real is None else real[:, self.keys[0]])

"""The key/value cache: what lets a decoder compute one token instead of the whole text again.

Under a causal mask the keys and values of earlier tokens never change, so they are kept, and a
step hands attention one new query against all keys so far. What is kept grows by
L · K · (D + E) numbers a token; this is why key/value heads are shared (Shazeer 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import torch
from jaxtyping import Float
from torch import Tensor

KeysValues = tuple[Tensor, Tensor]


class Cache:
    """Keys and values, by the attention that made them: those of the text itself, which grow, and
    those of a source, which do not.

    Keys are kept as attention reads them, rotated already. ``whose`` is any key of a dict; a
    ``MultiHead`` uses itself, so one cache serves a whole model.
    """

    def __init__(self) -> None:
        self._own: dict[Hashable, KeysValues] = {}
        self._source: dict[Hashable, KeysValues] = {}

    @property
    def length(self) -> int:
        """Positions held. Read it before a forward: layers are extended one after another."""
        return next((k.shape[2] for k, _ in self._own.values()), 0)

    def length_of(self, whose: Hashable) -> int:
        """Positions held of one attention, read before it is extended.

        Raises:
            ValueError: others have filled it, so it is another model's.
        """
        if self._own and whose not in self._own:
            raise ValueError("this cache was filled by another model; begin with a new Cache()")
        return self.length

    @property
    def numbers(self) -> int:
        """How many numbers are held in all."""
        kept = (*self._own.values(), *self._source.values())
        return sum(k.numel() + v.numel() for k, v in kept)

    def extend(
        self, whose: Hashable, k: Float[Tensor, "B K n D"], v: Float[Tensor, "B K n E"]
    ) -> KeysValues:
        """Add new keys and values; gives back all so far, [B, K, S, D] and [B, K, S, E].

        Raises:
            ValueError: for another number of texts.
        """
        if whose in self._own:
            held_k, held_v = self._own[whose]
            if len(held_k) != len(k):
                raise ValueError(f"the cache is of {len(held_k)} texts, so it takes no {len(k)}")
            k, v = torch.cat([held_k, k], 2), torch.cat([held_v, v], 2)
        self._own[whose] = k, v
        return k, v

    def of(self, whose: Hashable) -> KeysValues | None:
        """The keys and values held of one attention, [B, K, S, D] and [B, K, S, E]."""
        return self._own.get(whose, self._source.get(whose))

    def crop(self, length: int) -> None:
        """Forget the positions from ``length`` on; a source stays."""
        for whose, (k, v) in self._own.items():
            self._own[whose] = k[:, :, :length], v[:, :, :length]

    def copy(self) -> Cache:
        """The same so far, to go on in another way: tensors are shared and never written to."""
        other = Cache()
        other._own, other._source = dict(self._own), dict(self._source)
        return other

    def once(self, whose: Hashable, make: Callable[[], KeysValues]) -> KeysValues:
        """The keys and values of a source, which are made at the first step only."""
        if whose not in self._source:
            self._source[whose] = make()
        return self._source[whose]

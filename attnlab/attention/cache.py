"""The key/value cache: what lets a decoder compute one token instead of the whole text again.

Under a causal mask the keys and values of earlier tokens never change, so they are kept, and a
step hands attention one new query against all keys so far. What is kept grows by
L · K · (D + E) numbers a token; this is why key/value heads are shared (Shazeer 2019), and why
caches are cut short (``keep``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.attention.keep import KeepLast

KeysValues = tuple[Tensor, Tensor]


class Cache:
    """Keys and values, by the attention that made them: those of the text itself, which grow, and
    those of a source, which do not.

    Keys are kept as attention reads them, rotated already; where ``keep`` renumbers tokens, as
    they are before. ``whose`` is any key of a dict; a ``MultiHead`` uses itself, so one cache
    serves a whole model.

    Args:
        keep: what is kept of a long text; None: all of it.
    """

    def __init__(self, keep: KeepLast | None = None) -> None:
        self.keep = keep
        self._own: dict[Hashable, KeysValues] = {}
        self._read: dict[Hashable, int] = {}
        self._source: dict[Hashable, KeysValues] = {}

    @property
    def length(self) -> int:
        """Positions read. Ask before a forward: layers are extended one after another."""
        return next(iter(self._read.values()), 0)

    @property
    def renumbers(self) -> bool:
        """Whether keys are kept unrotated, and turn where they stand in the cache."""
        return self.keep is not None and self.keep.renumbers

    def length_of(self, whose: Hashable) -> int:
        """Positions read by one attention, asked before it is extended.

        Raises:
            ValueError: others have filled it, so it is another model's.
        """
        if self._own and whose not in self._own:
            raise ValueError("this cache was filled by another model; begin with a new Cache()")
        return self.length

    def positions(self, new: int) -> Int[Tensor, " S"]:
        """Where the keys stand in the text that ``new`` tokens will be handed, theirs last."""
        if self.keep is None:
            return torch.arange(self.length + new)
        return self.keep.positions(self.length, new)

    @property
    def numbers(self) -> int:
        """How many numbers are held in all."""
        kept = (*self._own.values(), *self._source.values())
        return sum(k.numel() + v.numel() for k, v in kept)

    def extend(
        self, whose: Hashable, k: Float[Tensor, "B K n D"], v: Float[Tensor, "B K n E"]
    ) -> KeysValues:
        """Add new keys and values; gives back all that the new tokens may see, [B, K, S, D] and
        [B, K, S, E].

        Raises:
            ValueError: for another number of texts.
        """
        new, read = k.shape[2], self._read.get(whose, 0)
        if whose in self._own:
            held_k, held_v = self._own[whose]
            if len(held_k) != len(k):
                raise ValueError(f"the cache is of {len(held_k)} texts, so it takes no {len(k)}")
            k, v = torch.cat([held_k, k], 2), torch.cat([held_v, v], 2)
        self._read[whose] = read + new
        if self.keep is None:
            self._own[whose] = k, v
            return k, v
        k, v = (self.keep.cut(x, read, new) for x in (k, v))
        # A copy: a view would hold on to all that was cut off.
        self._own[whose] = tuple(self.keep.cut(x, read + new, 0).contiguous() for x in (k, v))
        return k, v

    def of(self, whose: Hashable) -> KeysValues | None:
        """The keys and values held of one attention, [B, K, S, D] and [B, K, S, E]."""
        return self._own.get(whose, self._source.get(whose))

    def crop(self, length: int) -> bool:
        """Forget the positions from ``length`` on; a source stays.

        Returns:
            Whether that left what was held then. If not, for positions before were dropped too,
            nothing is changed.
        """
        if self.keep is not None and max(self._read.values(), default=0) > self.keep.capacity:
            return False
        for whose, (k, v) in self._own.items():
            self._own[whose] = k[:, :, :length], v[:, :, :length]
            self._read[whose] = min(length, self._read[whose])
        return True

    def copy(self) -> Cache:
        """The same so far, to go on in another way: tensors are shared and never written to."""
        other = Cache(self.keep)
        other._own, other._source = dict(self._own), dict(self._source)
        other._read = dict(self._read)
        return other

    def once(self, whose: Hashable, make: Callable[[], KeysValues]) -> KeysValues:
        """The keys and values of a source, which are made at the first step only."""
        if whose not in self._source:
            self._source[whose] = make()
        return self._source[whose]

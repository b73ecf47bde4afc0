"""What attention needs to know about a mask, worked out once.

A mask reaches us in many forms: none, boolean (True: may attend), or additive (0 and a very
negative number, sometimes with a bias mixed in, such as ALiBi). ``Mask`` splits it into who is
*visible* and what *bias* is added, so that a hidden key can be removed rather than outweighed:
an additive −1e9 loses to a score of −2e9, and on a row with every key masked it gives a uniform
row over the future.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

_KEPT = 8
"""Edited forms of a mask that are kept: layers take turns between a few."""


class Mask:
    """Visibility and bias over [Q, S], with the spans of keys that a tile of queries can see.

    ``visible``: bool, broadcastable to [B, H, Q, S], or None when every key is visible.
    ``bias``: float, added to the scaled scores, or None.
    """

    def __init__(
        self,
        visible: Bool[Tensor, "#B #H #Q #S"] | None = None,
        bias: Float[Tensor, "#B #H #Q #S"] | None = None,
    ) -> None:
        self.visible = visible
        self.bias = bias
        self._spans: dict[tuple[int, int, int], Span] = {}
        self._dead: Tensor | None = None
        self._dead_known = False
        self._tables: dict[tuple[int, int], Tensor] = {}
        self._others: dict[int, Mask] = {}

    @classmethod
    def of(cls, mask: Mask | Tensor | None) -> Mask:
        """Read any mask form.

        Args:
            mask: a Mask; None; bool (True: may attend) or additive float, with 2 to 4 axes that
                broadcast to [B, H, Q, S]. An additive entry below half of its type's lowest
                number counts as hidden, anything else as a bias.

        Raises:
            ValueError: a mask of whole numbers, or one that adds +∞, which leaves no weights.
        """
        if isinstance(mask, Mask):
            return mask
        if mask is None:
            return cls()
        while mask.dim() < 4:
            mask = mask.unsqueeze(0)
        if mask.dtype == torch.bool:
            return cls(visible=mask)
        if not mask.is_floating_point():
            raise ValueError(
                f"a mask is boolean (True: may attend) or additive, not {str(mask.dtype)[6:]}; "
                "mask.bool() makes one of 0 and 1"
            )
        visible = mask > torch.finfo(mask.dtype).min / 2
        # At 2,048 tokens a copy of the mask is 16 MiB, so one is made only where it holds a bias.
        biased = bool(((mask != 0) & visible).any())
        bias = mask.masked_fill(~visible, 0) if biased else None
        if bias is not None and bool(bias.isposinf().any()):
            raise ValueError("an additive mask of +∞ leaves no weights; hide the other keys")
        return cls(None if bool(visible.all()) else visible, bias)

    def without(self, real: Bool[Tensor, "B S"] | None) -> Mask:
        """The same, with keys hidden from every query that are not real: padding.

        Raises:
            ValueError: ``real`` is of another number of keys; where all are visible, nobody knows.
        """
        if real is None:
            return self
        if self.visible is not None and self.visible.shape[-1] not in (1, real.shape[-1]):
            raise ValueError(
                f"real tells of {real.shape[-1]} keys; {self.visible.shape[-1]} are here"
            )
        if bool(real.all()):
            return self
        real = real[:, None, None, :]
        return Mask(real if self.visible is None else self.visible & real, self.bias)

    def table(self, queries: int, keys: int, device: torch.device) -> Bool[Tensor, "#B #H Q S"]:
        """Who is visible as a table of these sizes; the same object each time."""
        if (queries, keys) not in self._tables:
            visible = self.visible
            if visible is None:
                visible = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=device)
            self._tables[queries, keys] = visible.expand(*visible.shape[:2], queries, keys)
        return self._tables[queries, keys]

    def within(self, queries: range, keys: range) -> Bool[Tensor, "#B #H #Q #S"] | None:
        """Who is visible in a tile; None: everybody."""
        return None if self.visible is None else block_of(self.visible, queries, keys)

    def showing(self, visible: Bool[Tensor, "#B #H Q S"]) -> Mask:
        """The same bias over another table. For the same table the same object, so that layers
        that share one find its spans and its dead rows once."""
        other = self._others.get(id(visible))
        if other is None:
            if len(self._others) == _KEPT:
                self._others.clear()
            other = self._others[id(visible)] = Mask(visible, self.bias)
        return other

    @property
    def dead(self) -> Bool[Tensor, "#B #H #Q 1"] | None:
        """Rows that see no key at all, or None where there are none. Found once per mask."""
        if not self._dead_known:
            if self.visible is not None:
                dead = ~self.visible.any(-1, keepdim=True)
                self._dead = dead if bool(dead.any()) else None
            self._dead_known = True
        return self._dead

    def span(self, start: int, stop: int, keys: int) -> Span:
        """The keys that queries start..stop can see.

        A causal mask lets a tile skip its future, a sliding window its past too.
        """
        if self.visible is None:
            return Span(range(keys), range(0))
        if self.visible.shape[-1] == 1:
            return Span(range(keys), range(keys))
        found = self._spans.get((start, stop, keys))
        if found is None:
            found = self._spans[start, stop, keys] = span_of(rows_of(self.visible, start, stop))
        return found


@dataclass(frozen=True)
class Span:
    """``seen``: from the first to the last key that some query sees. ``ragged``: from the first
    to the last key of those that some query does not see; only there is there work to do."""

    seen: range
    ragged: range


def span_of(visible: Bool[Tensor, "#B #H Q S"]) -> Span:
    """The spans of a table's keys."""
    rows = visible.flatten(0, 2)
    seen = _extent(rows.any(0), 0)
    seen = seen or range(1)
    return Span(seen, _extent(~rows[:, seen.start : seen.stop].all(0), seen.start))


def _extent(flags: Tensor, offset: int) -> range:
    """From the first to the last flag that is set."""
    places = flags.nonzero().flatten()
    if not len(places):
        return range(0)
    return range(offset + int(places[0]), offset + int(places[-1]) + 1)


def rows_of(tensor: Tensor, start: int, stop: int) -> Tensor:
    """Queries start..stop of a tensor [.., Q or 1, S]."""
    return tensor if tensor.shape[-2] == 1 else tensor[..., start:stop, :]


def block_of(tensor: Tensor, queries: range, keys: range) -> Tensor:
    """Queries × keys of a tensor [.., Q or 1, S or 1]."""
    rows = rows_of(tensor, queries.start, queries.stop)
    return rows if rows.shape[-1] == 1 else rows[..., keys.start : keys.stop]


def limits(visible: Bool[Tensor, "*axes"], dtype: torch.dtype) -> Float[Tensor, "*axes"]:
    """What a score may be at most: anything, or −∞ where it is hidden.

    A fill decides cell by cell, and a processor guesses wrong at every second cell of an irregular
    mask: a minimum takes the same time for any mask, less than a fill takes for a triangle. What
    is not a number stays none, as in models that add their mask.
    """
    return (visible.to(dtype) - 0.5) * torch.inf


def causal_mask(queries: int, keys: int, device: torch.device | None = None) -> Mask:
    """Each query sees itself and what came before; with more keys than queries (a key/value
    cache), the last query sits at the last key.

    >>> causal_mask(3, 3).visible.int()[0, 0].tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    whole = torch.ones(queries, keys, dtype=torch.bool, device=device)
    return Mask(visible=whole.tril(keys - queries)[None, None])

"""What a mask edit does to the table of who sees whom that it finds at a site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.attention.masks import Predicate
from attnlab.errors import EditError, EditRefused

_COLUMNS = 256
"""Keys whose columns are looked through at a time."""


@dataclass
class Masking:
    """A mask edit bound to one text: called with a table at the stage "mask", or with scores that
    hold −∞ where a key is hidden at the stage "masked".

    Attributes:
        name: the edit, for messages.
        predicate: the pattern, given whether the model's own mask hides the future.
        native: whether what the model hides in the past stays hidden.
        heads: the heads that are changed; None: all of them.
        size: how many queries and keys are the text's own, the rest being padding; None: not known.
        padded: whether there may be padding at all.
    """

    name: str
    predicate: Callable[[bool], Predicate]
    native: bool
    heads: tuple[int, ...] | None = None
    size: tuple[int, int] | None = None
    padded: bool = True
    _last: tuple[object, Tensor, bool] = field(default=(None, torch.empty(0), False), repr=False)

    def __call__(self, stage: str, tensor: Tensor, where: Where) -> Tensor:
        if stage == "mask":
            return self._of_heads(self._wanted(tensor, where), tensor, where)
        visible = tensor != -torch.inf
        wanted = self._of_heads(self._wanted(visible, where), visible, where)
        if bool((wanted & ~visible).any()):
            raise EditRefused(cannot_show(self.name))
        return tensor.masked_fill(~wanted, -torch.inf)

    def _of_heads(self, wanted: Tensor, visible: Tensor, where: Where) -> Tensor:
        """A table for each head where only some are changed."""
        if self.heads is None:
            return wanted
        chosen = torch.zeros(where.site.heads, dtype=torch.bool, device=wanted.device)
        chosen[list(self.heads)] = True
        return torch.where(chosen[:, None, None], wanted, visible)

    def _wanted(self, visible: Tensor, where: Where) -> Tensor:
        """The new table, [#B, #H, Q, S], from the model's own."""
        site, device = where.site, visible.device
        pattern, opens = self._pattern(where, site.causal, device)
        square = site.role != "cross" and where.queries == where.keys
        if site.role == "cross" or (self.native and not (opens and site.causal and square)):
            return pattern & visible
        if self.native:  # as far ahead as the model looks back
            pattern = pattern & (visible | visible.mT)
        real = self._real(visible, square)
        return pattern if real is None else pattern & real

    def _pattern(self, where: Where, causal: bool, device: torch.device) -> tuple[Tensor, bool]:
        """The pattern at these positions, [1, 1, Q, S], and whether it shows a later key."""
        key = (where.queries, where.keys, causal, device)
        if self._last[0] != key:
            table = self._drawn(where, causal, device)
            opens = bool(table.triu(1 + where.queries.start - where.keys.start).any())
            self._last = (key, table[None, None], opens)
        return self._last[1:]

    def _drawn(self, where: Where, causal: bool, device: torch.device) -> Tensor:
        """The pattern, [Q, S]; padding neither sees nor is seen."""
        own = (where.queries.stop, where.keys.stop) if self.size is None else self.size
        asked, missing = [], []
        for places, count in zip((where.queries, where.keys), own, strict=True):
            stop = min(places.stop, count)
            asked.append(torch.arange(places.start, stop, device=device))
            missing.append(places.stop - stop)
        try:
            table = self.predicate(causal)(asked[0][:, None], asked[1][None])
        except ValueError as error:
            raise EditError(f"{self.name} does not fit this text: {error}.") from error
        return (
            torch.nn.functional.pad(table, (0, missing[1], 0, missing[0]))
            if any(missing)
            else table
        )

    def _real(self, visible: Tensor, square: bool) -> Tensor | None:
        """Which keys are no padding, [#B, #H, 1, S]; None: the pattern has none of it already."""
        if self.size is not None or not self.padded:
            return None
        # Of a model's own inputs nothing is known, but every token sees itself, and padding none.
        if square:
            return visible.diagonal(dim1=-2, dim2=-1)[..., None, :]
        return visible.any(-2, keepdim=True)


def cannot_show(name: str) -> str:
    return (
        f"{name} would let a token see what the model hides from it; this model is read at its "
        "softmax (tier tap), where keys can be hidden and not shown."
    )


def opens(predicate: Predicate, queries: int, keys: range) -> bool:
    """Whether one of the first ``queries`` positions sees one of these keys that is later."""
    rows = torch.arange(queries)[:, None]
    for start in range(keys.start, keys.stop, _COLUMNS):
        columns = torch.arange(start, min(start + _COLUMNS, keys.stop))[None]
        if bool((predicate(rows, columns) & (columns > rows)).any()):
            return True
    return False

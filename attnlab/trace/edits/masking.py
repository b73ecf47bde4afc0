"""What a mask edit does to the table of who sees whom that it finds at a site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.attention.masks import Predicate
from attnlab.errors import EditError, EditRefused

Text = tuple[range, range]
"""Positions of a text's own queries and keys."""
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
            own = tensor if where.own is None else where.own
            return self._of_heads(self._wanted(tensor, own, where), tensor, where)
        visible = tensor != -torch.inf
        own = visible if where.own is None else where.own != -torch.inf
        wanted = self._of_heads(self._wanted(visible, own, where), visible, where)
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

    def _wanted(self, visible: Tensor, own: Tensor, where: Where) -> Tensor:
        """The new table, [#B, #H, Q, S], from that of the edits before it and the model's own."""
        site = where.site
        square = site.role != "cross" and where.queries == where.keys
        real = self._real(own)
        pattern, later = self._pattern(where, self._texts(real, where, square), visible.device)
        if site.role == "cross" or (self.native and not (later and site.causal and square)):
            return pattern & visible
        if self.native:
            pattern = pattern & self._mirrored(visible, own)
        return pattern if real is None else pattern & real

    def _mirrored(self, visible: Tensor, own: Tensor) -> Tensor:
        """As far ahead as the model looks back; but where an edit before has shown what comes
        later, it has said of every cell whether it is seen, and what it hides stays hidden."""
        ahead = visible | visible.mT
        if visible is own:
            return ahead
        opened = visible.triu(1).any(-1, keepdim=True).any(-2, keepdim=True)
        return torch.where(opened, visible, ahead)

    def _real(self, own: Tensor) -> Tensor | None:
        """Which keys are no padding, [#B, #H, 1, S]; None: it is known without looking."""
        if self.size is not None or not self.padded:
            return None
        # Of a model's own inputs nothing is known, but the model hides padding from every query.
        return own.any(-2, keepdim=True)

    def _texts(self, real: Tensor | None, where: Where, square: bool) -> tuple[Text, ...]:
        """For each row of the batch, or for all alike, which queries and keys are the text's own:
        positions count from its first token, on whichever side it is padded."""
        if self.size is not None:
            return ((range(self.size[0]), range(self.size[1])),)
        queries, keys = range(where.queries.stop), range(where.keys.stop)
        if real is None or bool(real.all()):
            return ((queries, keys),)
        texts = []
        for row in real[:, 0, 0].tolist():
            own = [place for place, seen in zip(where.keys, row, strict=True) if seen]
            span = range(own[0], own[-1] + 1) if own else keys
            texts.append((span if square else queries, span))
        return tuple(texts)

    def _pattern(
        self, where: Where, texts: tuple[Text, ...], device: torch.device
    ) -> tuple[Tensor, bool]:
        """The pattern at these positions, [#B, 1, Q, S], and whether it shows a later key."""
        key = (where.queries, where.keys, where.site.causal, texts, device)
        if self._last[0] != key:
            drawn = {text: self._drawn(where, text, device) for text in dict.fromkeys(texts)}
            table = torch.stack([drawn[text] for text in texts])[:, None]
            later = bool(table.triu(1 + where.queries.start - where.keys.start).any())
            self._last = (key, table, later)
        return self._last[1:]

    def _drawn(self, where: Where, text: Text, device: torch.device) -> Tensor:
        """The pattern over one text, [Q, S]; padding neither sees nor is seen."""
        asked, around = [], []
        for places, own in zip((where.queries, where.keys), text, strict=True):
            start, stop = max(places.start, own.start), min(places.stop, own.stop)
            asked.append(torch.arange(start, stop, device=device) - own.start)
            around.append((start - places.start, places.stop - stop))
        try:
            table = self.predicate(where.site.causal)(asked[0][:, None], asked[1][None])
        except ValueError as error:
            raise EditError(f"{self.name} does not fit this text: {error}.") from error
        # F.pad goes from the last axis to the first.
        return torch.nn.functional.pad(table, around[1] + around[0])


def cannot_show(name: str) -> str:
    return (
        f"{name} would let a token see what the model hides from it; this model is read at its "
        "softmax (tier tap), where keys can be hidden and not shown."
    )


def shows_later(predicate: Predicate, queries: int, keys: range) -> bool:
    """Whether one of the first ``queries`` positions sees one of these keys that is later."""
    rows = torch.arange(queries)[:, None]
    for start in range(keys.start, keys.stop, _COLUMNS):
        columns = torch.arange(start, min(start + _COLUMNS, keys.stop))[None]
        if bool((predicate(rows, columns) & (columns > rows)).any()):
            return True
    return False

"""Where a run keeps what was asked for, and only that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.trace.capture import ATTENTION_STAGES, SQUARE_STAGES, Capture
from attnlab.trace.thumbnail import Thumbnail

_EMPTY = {"masked": float("-inf")}

Key = tuple[str, str, int]
"""Stage, role, layer."""


@dataclass
class Part:
    """What one forward left of one stage: [B, H, Q, ...], or [B, Q, M] in the stream.

    ``first_key``: where its columns begin in the text, but for the first ``sinks``, which are the
    text's first. ``step`` counts the forwards before it.
    """

    tensor: Tensor
    first_key: int = 0
    step: int = 0
    sinks: int = 0


@dataclass
class Store:
    """The values of one run, by stage, role and layer; a list of parts, one a forward."""

    captures: tuple[Capture, ...]
    grad: bool = False
    parts: dict[Key, list[Part]] = field(default_factory=dict)
    sizes: Sequence[Mapping[str, tuple[int, int]]] = ()
    """By row of the batch: the queries and keys of each role that are the text's own."""
    thumbnails: dict[tuple[str, int, int], Thumbnail] = field(default_factory=dict)
    """By role, layer and row of the batch."""
    step: int = 0
    """Forwards that are done."""

    def until(self, step: int) -> Store:
        """What the first forwards have left, as many as ``step``; tensors are shared."""
        parts = {key: [part for part in own if part.step < step] for key, own in self.parts.items()}
        kept = {key: own for key, own in parts.items() if own}
        return Store(self.captures, self.grad, kept, self.sizes, self.thumbnails, step)

    def wants(self, stage: str, role: str, layer: int) -> bool:
        return any(c.stage == stage and c.covers(role, layer) for c in self.captures)

    def heads(self, stage: str, role: str, layer: int) -> tuple[int, ...] | None:
        """The heads kept in full: None for all, () for none."""
        found: set[int] = set()
        for c in self.captures:
            if c.stage == stage and c.covers(role, layer) and c.thumbnails is None:
                if c.heads is None:
                    return None
                found.update(c.heads)
        return tuple(sorted(found))

    def queries(self, stage: str, role: str, layer: int) -> tuple[int, ...] | None:
        """The rows kept of a matrix: None for all."""
        found: set[int] = set()
        for c in self.captures:
            if c.stage == stage and c.covers(role, layer) and c.thumbnails is None:
                if c.queries is None:
                    return None
                found.update(c.queries)
        return tuple(sorted(found))

    def reduced(self, role: str, layer: int) -> Capture | None:
        """How every head's map is reduced, or None where it is not."""
        asked = (c for c in self.captures if c.thumbnails and c.covers(role, layer))
        return next(asked, None)

    def keep(
        self,
        stage: str,
        role: str,
        layer: int,
        tensor: Tensor,
        where: Where,
        queries: int,
        keys: int,
    ) -> None:
        """Take what was asked of a borrowed tensor; ``queries`` and ``keys``: of the whole call."""
        if not self.wants(stage, role, layer):
            return
        if stage == "weights" and (how := self.reduced(role, layer)):
            self._reduce(role, layer, tensor.detach(), where, (queries, keys), how)
        heads = self.heads(stage, role, layer) if stage in ATTENTION_STAGES else None
        if heads == ():
            return
        tensor = tensor if self.grad else tensor.detach()
        chosen = tensor if heads is None else tensor[:, list(heads)]
        rows = self.queries(stage, role, layer) if stage in SQUARE_STAGES else None
        if rows is not None:
            self._keep_rows((stage, role, layer), chosen, where, rows, keys)
        elif stage in SQUARE_STAGES and chosen.shape[2:] != (queries, keys):
            self._keep_tile((stage, role, layer), chosen, where, queries, keys)
        else:
            self._append((stage, role, layer), self._own(chosen, tensor), where)

    def _reduce(
        self,
        role: str,
        layer: int,
        tile: Tensor,
        where: Where,
        whole: tuple[int, int],
        how: Capture,
    ) -> None:
        """Fold a tile into the thumbnail of each row, its padding left out."""
        for row in range(tile.shape[0]):
            own = self.sizes[row].get(role, whole) if row < len(self.sizes) else whole
            key = (role, layer, row)
            if key not in self.thumbnails:
                shape = (1, tile.shape[1], *own)
                self.thumbnails[key] = Thumbnail(
                    shape, how.thumbnails or 1, tile.device, how.queries, how.keys
                )
            rows, cols = _within(where.query_index, own[0]), _within(where.key_index, own[1])
            if rows and cols:
                part = tile[row : row + 1, :, : len(rows), : len(cols)]
                self.thumbnails[key].add(part, rows, cols)

    def _own(self, chosen: Tensor, lent: Tensor) -> Tensor:
        """A tensor that nobody will overwrite; with gradients on, the graph's own."""
        return chosen.clone() if chosen is lent and not self.grad else chosen

    def _append(self, key: Key, tensor: Tensor, where: Where) -> None:
        first = where.keys.start - where.key_index.start
        part = Part(tensor, first, self.step, where.sinks)
        self.parts.setdefault(key, []).append(part)

    def _keep_tile(self, key: Key, tile: Tensor, where: Where, queries: int, keys: int) -> None:
        whole = self._whole_for(key, tile, where, queries, keys)
        rows, cols = where.query_index, where.key_index
        whole[:, :, rows.start : rows.stop, cols.start : cols.stop] = tile

    def _keep_rows(
        self, key: Key, tile: Tensor, where: Where, rows: tuple[int, ...], keys: int
    ) -> None:
        """Take the wanted ``rows`` of a tile, or of a whole matrix."""
        whole = self._whole_for(key, tile, where, len(rows), keys)
        first, cols = where.query_index.start, where.key_index
        for place, row in enumerate(rows):
            if row in where.query_index:
                whole[:, :, place, cols.start : cols.stop] = tile[:, :, row - first]

    def _whole_for(self, key: Key, tile: Tensor, where: Where, queries: int, keys: int) -> Tensor:
        """The matrix of this forward that tiles are put into."""
        if key not in self.parts or self.parts[key][-1].step != self.step:
            shape = (*tile.shape[:2], queries, keys)
            fill = _EMPTY.get(key[0], 0.0)
            # Zeros are not written until used, so the masked future costs no memory.
            whole = tile.new_full(shape, fill) if fill else tile.new_zeros(shape)
            self._append(key, whole, where)
        return self.parts[key][-1].tensor

    def whole(self, key: Key, place: int | None = None) -> Tensor:
        """The parts of a stage joined: a matrix grows by a row with every generated token.

        Args:
            place: of the only head that is wanted, among those kept; None for all of them.
        """
        parts, stage = self.parts[key], key[0]
        if place is not None:
            one = slice(place, place + 1)
            parts = [replace(part, tensor=part.tensor[:, one]) for part in parts]
        if len(parts) == 1:
            return parts[0].tensor
        if stage in ("k", "v"):
            return parts[-1].tensor
        if stage not in SQUARE_STAGES:
            axis = 2 if stage in ATTENTION_STAGES else 1
            return torch.cat([part.tensor for part in parts], axis)
        keys = max(part.first_key + part.tensor.shape[-1] for part in parts)
        return torch.cat([_padded(part, keys, _EMPTY.get(stage, 0.0)) for part in parts], 2)


def _within(indices: range, length: int) -> range:
    return range(indices.start, min(indices.stop, length))


def _padded(part: Part, keys: int, fill: float) -> Tensor:
    after = keys - part.first_key - part.tensor.shape[-1]
    if not part.sinks:
        return torch.nn.functional.pad(part.tensor, (part.first_key, after), value=fill)
    first, last = part.tensor.split([part.sinks, part.tensor.shape[-1] - part.sinks], -1)
    last = torch.nn.functional.pad(last, (part.first_key, after), value=fill)
    return torch.cat([first, last], -1)

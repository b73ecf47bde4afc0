"""Who sees whom, tile by tile: Q queries by S keys cut into rectangles.

A mask that is a question about two positions is asked one tile at a time, so no table of all
queries by all keys is ever made. A tile in which nobody sees anything needs no work at all; one in
which everybody sees everything needs no mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from attnlab.attention.checks import require_whole
from attnlab.attention.mask import Mask, block_of
from attnlab.attention.masks.patterns import Causal
from attnlab.attention.masks.predicate import Predicate

AnyMask = Mask | Predicate | Tensor | None
_KEPT = 64
"""Answers by distance that are kept: most tiles of a text repeat one of a few."""


@dataclass(frozen=True)
class Cell:
    """What of a tile must be computed.

    ``keys``: from the first to the last key of it that some query sees, counted from 0 in this
    call. ``visible``: who sees whom, [#B, #H, #q, #s]; None: all of them.
    """

    keys: range
    visible: Bool[Tensor, "#B #H #q #s"] | None


class Grid:
    """Q queries by S keys in tiles of at most ``tile`` queries and keys.

    Args:
        mask: a question about positions (``attnlab.attention.masks``), or any form that
            ``Mask.of`` reads.
        start: position of the first query; the last query sits at the last key when None.
        causal: hide the future where ``mask`` is None.

    Raises:
        ValueError: a tile of less than one query or key.
    """

    def __init__(
        self,
        mask: AnyMask,
        queries: int,
        keys: int,
        tile: tuple[int, int],
        *,
        start: int | None = None,
        causal: bool = False,
        device: torch.device | None = None,
    ) -> None:
        require_whole(tile_of_queries=tile[0], tile_of_keys=tile[1])
        if mask is None and causal:
            mask = Causal()
        self.start = max(keys - queries, 0) if start is None else start
        self.asked = mask if isinstance(mask, Predicate) else None
        self.mask = Mask() if isinstance(mask, Predicate) else Mask.of(mask)
        self.rows = _cut(queries, tile[0])
        self.columns = _cut(keys, tile[1])
        self._device = device
        self._by_distance: dict[tuple[int, int, int], Cell | None] = {}

    def cell(self, rows: range, keys: range) -> Cell | None:
        """What of this tile must be computed; None: nothing, it is skipped."""
        if self.asked is None:
            table = self.mask.within(rows, keys)
            return Cell(keys, None) if table is None else _trimmed(table, keys)
        if not self.asked.by_distance:
            return self._ask(rows, keys)
        # Moved along the diagonal, a tile looks the same.
        key = (self.start + rows.start - keys.start, len(rows), len(keys))
        if key not in self._by_distance:
            if len(self._by_distance) == _KEPT:
                self._by_distance.clear()
            self._by_distance[key] = _moved(self._ask(rows, keys), -keys.start)
        return _moved(self._by_distance[key], keys.start)

    def cells(self, rows: range) -> Iterator[Cell]:
        """The tiles of these queries that must be computed, first keys first."""
        for keys in self.columns:
            cell = self.cell(rows, keys)
            if cell is not None:
                yield cell

    def _ask(self, rows: range, keys: range) -> Cell | None:
        queries = range(self.start + rows.start, self.start + rows.stop)
        whole = self.asked.whole(queries, keys)
        if whole is not None:
            return Cell(keys, None) if whole else None
        return _trimmed(self.asked.table(queries, keys, self._device), keys)


def _cut(n: int, size: int) -> list[range]:
    return [range(start, min(start + size, n)) for start in range(0, n, size)]


def _moved(cell: Cell | None, by: int) -> Cell | None:
    if cell is None or by == 0:
        return cell
    return Cell(range(cell.keys.start + by, cell.keys.stop + by), cell.visible)


def _trimmed(table: Bool[Tensor, "#B #H #q #s"], keys: range) -> Cell | None:
    """Without the keys before the first and after the last that somebody sees."""
    if bool(table.all()):
        return Cell(keys, None)
    seen = table.flatten(0, 2).any(0).nonzero().flatten()
    if not len(seen):
        return None
    if table.shape[-1] == 1:
        return Cell(keys, table)
    first, last = int(seen[0]), int(seen[-1]) + 1
    table = block_of(table, range(table.shape[-2]), range(first, last))
    trimmed = range(keys.start + first, keys.start + last)
    return Cell(trimmed, None if bool(table.all()) else table)

"""Who sees whom, tile by tile: Q queries by S keys cut into rectangles.

A mask that is a question about two positions is asked one tile at a time, so no table of all
queries by all keys is ever made. A tile in which nobody sees anything needs no work at all; one in
which everybody sees everything needs no mask.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.attention.checks import require_whole
from attnlab.attention.mask import Mask, causal_mask, limits, span_of
from attnlab.attention.masks.patterns import Causal
from attnlab.attention.masks.predicate import Predicate

AnyMask = Mask | Predicate | Tensor | None
_KEPT = 16
"""Tables by distance that are kept: the tiles of a text repeat one of a few."""


@dataclass(frozen=True)
class Table:
    """Who sees whom of some queries and keys, and what follows from it, made once for all heads."""

    visible: Bool[Tensor, "#B #H #q #s"]
    _made: dict[Hashable, Tensor] = field(default_factory=dict, compare=False, repr=False)

    def limits(self, dtype: torch.dtype) -> Float[Tensor, "#B #H #q #s"]:
        """What a score may be at most: −∞ where hidden."""
        if ("limits", dtype) not in self._made:
            self._made["limits", dtype] = limits(self.visible, dtype)
        return self._made["limits", dtype]

    def factors(self, dtype: torch.dtype) -> Float[Tensor, "#B #H #q #s"]:
        """1 where visible and 0 where hidden."""
        if ("factors", dtype) not in self._made:
            self._made["factors", dtype] = self.visible.to(dtype)
        return self._made["factors", dtype]


@dataclass(frozen=True)
class Cell:
    """What of a tile must be computed.

    ``keys``: from the first to the last key of it that some query sees. ``ragged``: from the first
    to the last of those that some query does not see, where ``table`` says who does; None: all
    see all. Keys are counted from 0 in this call.
    """

    keys: range
    ragged: range = range(0)
    table: Table | None = None

    @property
    def part(self) -> slice:
        """The ragged keys, counted from the first of ``keys``."""
        return slice(self.ragged.start - self.keys.start, self.ragged.stop - self.keys.start)

    def moved(self, by: int) -> Cell:
        return Cell(_moved(self.keys, by), _moved(self.ragged, by), self.table)


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
            # Of more queries than keys the last sits at the last key, the first before the text.
            before = start is None and queries > keys
            mask = causal_mask(queries, keys, device) if before else Causal()
        self.start = max(keys - queries, 0) if start is None else start
        self.asked = mask if isinstance(mask, Predicate) else None
        self.mask = Mask() if isinstance(mask, Predicate) else Mask.of(mask)
        self.rows = _cut(queries, tile[0])
        self.columns = _cut(keys, tile[1])
        self._device = device
        self._by_distance: dict[tuple[int, int, int], Cell | None] = {}
        self._tables: dict[tuple[int, int, int], Table] = {}

    def cell(self, rows: range, keys: range) -> Cell | None:
        """What of this tile must be computed; None: nothing, it is skipped."""
        if self.asked is None:
            table = self.mask.within(rows, keys)
            return Cell(keys) if table is None else _cell(table, keys)
        if not self.asked.by_distance:
            return self._ask(rows, keys)
        # Moved along the diagonal, a tile looks the same.
        key = (rows.start - keys.start, len(rows), len(keys))
        if key not in self._by_distance:
            cell = self._ask(rows, keys)
            self._by_distance[key] = cell and self._sharing(cell, rows).moved(-keys.start)
        cell = self._by_distance[key]
        return cell and cell.moved(keys.start)

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
            return Cell(keys) if whole else None
        return _cell(self.asked.table(queries, keys, self._device), keys)

    def _sharing(self, cell: Cell, rows: range) -> Cell:
        """With the table of another tile, where the two look alike."""
        if cell.table is None:
            return cell
        if len(self._tables) == _KEPT:
            self._tables.clear()
            self._by_distance.clear()
        key = (rows.start - cell.ragged.start, len(rows), len(cell.ragged))
        return replace(cell, table=self._tables.setdefault(key, cell.table))


def _cut(n: int, size: int) -> list[range]:
    return [range(start, min(start + size, n)) for start in range(0, n, size)]


def _moved(keys: range, by: int) -> range:
    return range(keys.start + by, keys.stop + by)


def _cell(table: Bool[Tensor, "#B #H #q #s"], keys: range) -> Cell | None:
    """Of the keys that somebody sees."""
    if bool(table.all()):
        return Cell(keys)
    if not bool(table.any()):
        return None
    if table.shape[-1] == 1:
        return Cell(keys, keys, Table(table))
    span = span_of(table)
    ragged = table[..., span.ragged.start : span.ragged.stop]
    # A copy: a view would keep the whole tile's table.
    found = Table(ragged.contiguous()) if span.ragged else None
    return Cell(_moved(span.seen, keys.start), _moved(span.ragged, keys.start), found)

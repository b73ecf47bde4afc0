"""Masks given cell by cell: a whole table, and single cells changed over another mask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from attnlab.attention.masks.patterns import Column, Row, Table, require_within
from attnlab.attention.masks.predicate import Predicate

Cell = tuple[int, int]
"""A query and a key."""


@dataclass(frozen=True)
class Painted(Predicate):
    """A table as it was painted: a row for each query, in which "1" may be looked at.

    >>> print(Painted(("100", "010", "111")).picture(3))
    ■ · ·
    · ■ ·
    ■ ■ ■

    Raises:
        ValueError: rows of different lengths, none at all, or another sign than 0 and 1.
    """

    rows: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.rows or not self.rows[0]:
            raise ValueError("a painted mask has at least one row and one column")
        for number, row in enumerate(self.rows):
            if len(row) != len(self.rows[0]):
                raise ValueError(
                    f"row {number} has {len(row)} cells and row 0 has {len(self.rows[0])}"
                )
            if set(row) - {"0", "1"}:
                raise ValueError(f"row {number} holds a sign that is neither 0 nor 1")

    @property
    def longest(self) -> int:
        return min(len(self.rows), len(self.rows[0]))

    @property
    def causal(self) -> bool:
        return not bool(self._table.triu(1).any())

    @cached_property
    def _table(self) -> Tensor:
        signs = bytearray("".join(self.rows), "ascii")
        return torch.frombuffer(signs, dtype=torch.uint8).view(len(self.rows), -1) == ord("1")

    def __call__(self, q: Column, k: Row) -> Table:
        """Raises ValueError for a position outside the table."""
        for name, places, size in zip(("query", "key"), (q, k), self._table.shape, strict=True):
            if int(places.max()) >= size:
                raise ValueError(f"{name} {int(places.max())} is not painted: there are {size}")
        return self._table.to(q.device)[q, k]


@dataclass(frozen=True)
class Changed(Predicate):
    """Another mask, with single cells (query, key) shown or hidden over it.

    >>> print(Changed(Painted(("10", "11")), shown=((0, 1),), hidden=((1, 0),)).picture(2))
    ■ ■
    · ■

    Raises:
        ValueError: a cell is negative, or both shown and hidden.
    """

    base: Predicate
    shown: tuple[Cell, ...] = ()
    hidden: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        for cell in (*self.shown, *self.hidden):
            require_within(*cell)
            if min(cell) < 0:
                raise ValueError(f"there is no cell {cell}; queries and keys count from 0")
        both = set(self.shown) & set(self.hidden)
        if both:
            raise ValueError(f"cell {min(both)} is both shown and hidden")

    @property
    def longest(self) -> int | None:
        return self.base.longest

    @property
    def causal(self) -> bool:
        # A single cell may lie anywhere, beyond those that are asked about.
        if self.base.causal:
            return all(key <= query for query, key in self.shown)
        return super().causal

    def __call__(self, q: Column, k: Row) -> Table:
        table = self.base(q, k).clone()
        for cells, seen in ((self.shown, True), (self.hidden, False)):
            if cells:
                queries, keys = torch.tensor(cells, device=q.device).T
                at_query, at_key = q == queries, keys == k.T  # [Q, C] and [S, C]
                here = at_query.any(0) & at_key.any(0)
                rows, columns = (at.int().argmax(0)[here] for at in (at_query, at_key))
                table[..., rows, columns] = seen
        return table

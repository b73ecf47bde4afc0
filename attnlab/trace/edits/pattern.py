"""A head's attention pattern replaced by another: drawn by a rule, or typed number by number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.errors import EditError, EditRefused
from attnlab.trace.edits.edit import Bound, Edit, Fed, main_or, site_at
from attnlab.trace.edits.places import as_positions, more_at, placed
from attnlab.trace.edits.writing import Rows, hidden_key, overwritten, seen_by
from attnlab.trace.given import whole
from attnlab.trace.site import Site

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace

DRAWN = ("uniform", "previous", "first", "self")
_SQUARE = ("previous", "self")
"""Patterns in which a query and its key are tokens of one text."""


@dataclass(frozen=True)
class Pattern(Edit):
    """Replace a head's attention weights by a pattern.

        Pattern(4, 2)                              alike on every key that may be seen
        Pattern(4, 2, "previous", positions=5)     5 looks at 4 alone, other queries as they did
        Pattern(4, 2, [[1, 0], [0.5, 0.5]])        typed: a row for each query

    Patterns: "uniform", "previous" (the first token looks at itself), "first", "self", or rows.
    A row leaves no share to a learned sink, where a model has one.

    Args:
        pattern: one of these words, or the rows themselves.
        rows: a row for each query of the text, a number for each key, 0 or more. They are taken as
            they are: a row that does not sum to 1 is never made to. While generating, new tokens
            look where they would.
        positions: the queries whose rows are replaced; negative counts from the end; None: all.
        role: None: the model's main role. Cross-attention has no "previous" and no "self".

    A key that the mask hides must have no weight: that is refused while the text runs.

    Raises:
        EditError: an unknown pattern, or rows that are no numbers of one shape, 0 or more.
    """

    layer: int
    head: int
    pattern: str | tuple[tuple[float, ...], ...] = "uniform"
    _: KW_ONLY
    positions: tuple[int, ...] | None = None
    rows: tuple[tuple[float, ...], ...] = ()
    role: str | None = None
    kind: str = field(default="pattern", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("layer", "head"):
            object.__setattr__(self, name, whole(name, getattr(self, name), EditError))
        object.__setattr__(self, "positions", as_positions(self.positions))
        if not isinstance(self.pattern, str):
            object.__setattr__(self, "rows", self.pattern)
            object.__setattr__(self, "pattern", "rows")
        if self.pattern not in (*DRAWN, "rows"):
            can = ", ".join(DRAWN)
            raise EditError(f"There is no pattern {self.pattern!r}; there are {can}, or rows.")
        typed = self.pattern == "rows"
        rows = as_rows(self.rows)
        if typed != bool(rows):
            raise EditError("rows= goes with the pattern 'rows', which needs them.")
        object.__setattr__(self, "rows", rows)

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({"weights"})

    def sites(self, runner: Any) -> list[Site]:
        site = site_at(self, self.layer, self.head, self.role, runner)
        if site.role == "cross" and self.pattern in _SQUARE:
            raise EditRefused(
                f"{self}: in cross-attention a query has no place among the keys; 'uniform', "
                "'first' and rows are possible."
            )
        return [site]

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self.bind_to(runner, donor, Fed())

    def bind_to(self, runner: Any, donor: Trace | None, fed: Fed) -> Bound:
        (site,) = self.sites(runner)
        role = main_or(self.role, runner)
        here = placed(self, self.positions, fed, role, "weights")
        change = self._typed(here, fed, role) if self.rows else self._drawn(here, fed, role)
        return Bound(self, self.stages, lambda place: place == site, change)

    def _typed(self, here: tuple[int, ...] | None, fed: Fed, role: str) -> Rows:
        sizes = (len(self.rows), len(self.rows[0]))
        if fed.sizes.get(role, sizes) != sizes:
            queries, keys = fed.sizes[role]
            raise EditError(
                f"{self} has rows for {sizes[0]} queries and {sizes[1]} keys; the {role} has "
                f"{queries} and {keys} here."
            )
        here = tuple(range(sizes[0])) if here is None else here
        late = next((place for place in here if place >= sizes[0]), None)
        if late is not None:
            raise EditError(f"{self} has {sizes[0]} rows, none for position {late}.")
        rows = torch.tensor([self.rows[place] for place in here])
        return Rows(str(self), rows, here, tuple(range(sizes[1])), self.head)

    def _drawn(self, here: tuple[int, ...] | None, fed: Fed, role: str) -> Drawn:
        size = fed.sizes.get(role)
        own = None if size is None else size[0] + more_at(fed, role, "weights")
        return Drawn(str(self), self.pattern, self.head, here, own)

    def __str__(self) -> str:
        return f"Pattern({self.layer}, {self.head}, {self.pattern!r})"


def as_rows(rows: Any) -> tuple[tuple[float, ...], ...]:
    """Rows of numbers as tuples; NumPy's and tensors too, and none at all.

    Raises:
        EditError: they are no matrix, or hold what is no weight.
    """
    rows = rows.tolist() if hasattr(rows, "tolist") else rows
    lists = isinstance(rows, Sequence) and all(isinstance(row, Sequence) for row in rows)
    if not lists or not all(len(row) == len(rows[0]) > 0 for row in rows):
        raise EditError("A pattern's rows are lists of numbers, all equally long.")
    for place, row in enumerate(rows):
        for value in row:
            if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
                raise EditError(f"Row {place} of a pattern holds {value!r}; a weight is 0 or more.")
    return tuple(tuple(map(float, row)) for row in rows)


@dataclass(frozen=True)
class Drawn:
    """Overwrites rows of weights by a rule: what a bound edit calls.

    Attributes:
        name: the edit, for messages.
        here: positions in the text; None: all.
        own: how many queries are the text's own, the rest being padding; None: not known.
    """

    name: str
    pattern: str
    head: int
    here: tuple[int, ...] | None
    own: int | None

    def __call__(self, stage: str, weights: Tensor, where: Where) -> Tensor:
        """[B, H, Q, S] with the rows of a head replaced.

        Raises:
            EditError: a row has weight on a key that the mask hides.
        """
        last = where.queries.stop if self.own is None else min(where.queries.stop, self.own)
        chosen = range(where.queries.start, last)
        queries = [p for p in (chosen if self.here is None else self.here) if p in chosen]
        if not queries:
            return weights
        places = [query - where.queries.start for query in queries]
        seen = seen_by(weights, places, self.head, where)
        wanted = _even(seen) if self.pattern == "uniform" else self._one(queries, seen, where)
        return overwritten(self.name, weights, wanted, places, self.head, where)

    def _one(self, queries: list[int], seen: Tensor, where: Where) -> Tensor:
        """All weight of each query on one key, [n, S]."""
        wanted = torch.zeros(len(queries), seen.shape[-1], device=seen.device)
        for row, query in enumerate(queries):
            key = {"first": 0, "self": query, "previous": max(query - 1, 0)}[self.pattern]
            if key not in where.keys:  # a tile leaves out keys that none of its queries sees
                raise hidden_key(self.name, query, key)
            wanted[row, key - where.keys.start] = 1.0
        return wanted


def _even(seen: Tensor) -> Tensor:
    """The same weight on every key that is seen; none where there is no such key."""
    seen = seen.to(torch.float32)
    return seen / seen.sum(-1, keepdim=True).clamp(min=1)

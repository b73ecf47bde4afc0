"""What a mask is: a question about two positions, answered for all pairs at once.

    p(q, k)  →  may the token at position q look at the one at position k?

``q`` is a column [Q, 1] and ``k`` a row [1, S], so the answer is a table [Q, S]. Questions join
with & (both), | (either) and ~ (not): ``Causal() & Document(ids)``. Nothing here depends on how
long the text is or on where a tile or a cache cuts it, because positions are absolute.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnlab.attention.mask import Mask

ROWS = 256
"""Queries whose rows are counted at a time."""
ASKED = 32
"""Positions at which a pattern is asked whether it is causal."""


class Predicate(ABC):
    """Who may look at whom: a frozen, comparable value."""

    @abstractmethod
    def __call__(self, q: Int[Tensor, "Q 1"], k: Int[Tensor, "1 S"]) -> Bool[Tensor, "*B Q S"]:
        """True where the query at q may see the key at k. Padding adds an axis for texts, B."""

    @property
    def by_distance(self) -> bool:
        """Whether the answer hangs on q − k alone; then counting is cheap."""
        return False

    @property
    def longest(self) -> int | None:
        """The most positions that it has an answer for, None where there is no limit."""
        return None

    @property
    def causal(self) -> bool:
        """Whether no query sees a later key, as far as the first ``ASKED`` positions tell."""
        # On the CPU wherever modules are being built: on the meta device nothing has an answer.
        places = torch.arange(min(ASKED, self.longest or ASKED), device="cpu")
        return not bool(self(places[:, None], places[None]).triu(1).any())

    def __and__(self, other: Predicate) -> Predicate:
        return And(self, other)

    def __or__(self, other: Predicate) -> Predicate:
        return Or(self, other)

    def __invert__(self) -> Predicate:
        return Not(self)

    def mask(self, queries: range, keys: range, device: torch.device | str | None = None) -> Mask:
        """For ``attend``: these absolute positions of queries and of keys.

        A new token over a cache is ``mask(range(n - 1, n), range(n))``.
        """
        visible = self.table(queries, keys, device)
        return Mask() if bool(visible.all()) else Mask(visible)

    def table(
        self, queries: range, keys: range, device: torch.device | str | None = None
    ) -> Bool[Tensor, "#B 1 Q S"]:
        """Who sees whom of these absolute positions: the same for every head."""
        visible = self(_column(queries, device), _column(keys, device).T)
        return visible[:, None] if visible.dim() == 3 else visible[None, None]

    def whole(self, queries: range, keys: range) -> bool | None:
        """Whether all of these queries see all of these keys (True) or none sees any (False).

        None: some do, or it takes a table to know. What makes a tile cheap to skip: where only
        the distance matters, each distance in the tile is asked about once.
        """
        if not self.by_distance:
            return None
        nearest, farthest = queries.start - keys[-1], queries[-1] - keys.start
        last = max(farthest, 0)  # so that no key lies before the text
        back = torch.arange(nearest, farthest + 1, device="cpu")
        seen = self(torch.full((1, 1), last, device="cpu"), last - back[None])
        return _both_or_neither(bool(seen.all()), bool(seen.any()))

    def count(self, n: int) -> int:
        """How many pairs (q, k) of n tokens are seen: the scores that must be computed.

        Exact. No n × n table is built: where only the distance matters, each distance is asked
        about once; otherwise ``ROWS`` rows at a time are counted.
        """
        if self.by_distance:
            return self._count_by_distance(n)
        keys = _column(range(n)).T
        starts = range(0, n, ROWS)
        rows = (_column(range(start, min(start + ROWS, n))) for start in starts)
        return sum(int(self(q, keys).sum()) for q in rows)

    def _count_by_distance(self, n: int) -> int:
        # From the last query, the keys lie 0 .. n − 1 back; from the first, as far ahead.
        index = torch.arange(n)
        back = self(_column(range(n - 1, n)), index[None])[..., 0, :].flip(-1)
        ahead = self(_column(range(1)), index[None])[..., 0, :]
        pairs = n - index
        return int((back * pairs).sum() + (ahead * pairs)[..., 1:].sum())

    def picture(self, n: int) -> str:
        """The mask of n tokens, a line for each query: ■ seen, · hidden.

        Raises:
            ValueError: the mask differs from text to text (padding); draw one at a time.
        """
        visible = self(_column(range(n)), _column(range(n)).T)
        if visible.dim() == 3 and len(visible) > 1:
            raise ValueError(f"{len(visible)} texts have {len(visible)} masks; draw one at a time")
        rows = visible.reshape(n, n).tolist()
        return "\n".join(" ".join("■" if seen else "·" for seen in row) for row in rows)


def _both_or_neither(every: bool, some: bool) -> bool | None:
    return every if every or not some else None


def _column(positions: range, device: torch.device | str | None = None) -> Tensor:
    return torch.arange(positions.start, positions.stop, device=device)[:, None]


@dataclass(frozen=True)
class And(Predicate):
    """Seen by both."""

    one: Predicate
    other: Predicate

    def __call__(self, q: Int[Tensor, "Q 1"], k: Int[Tensor, "1 S"]) -> Bool[Tensor, "*B Q S"]:
        return self.one(q, k) & self.other(q, k)

    def whole(self, queries: range, keys: range) -> bool | None:
        answers = {part.whole(queries, keys) for part in (self.one, self.other)}
        return False if False in answers else True if answers == {True} else None

    @property
    def by_distance(self) -> bool:
        return self.one.by_distance and self.other.by_distance

    @property
    def longest(self) -> int | None:
        return min(filter(None, (self.one.longest, self.other.longest)), default=None)


@dataclass(frozen=True)
class Or(Predicate):
    """Seen by either."""

    one: Predicate
    other: Predicate

    def __call__(self, q: Int[Tensor, "Q 1"], k: Int[Tensor, "1 S"]) -> Bool[Tensor, "*B Q S"]:
        return self.one(q, k) | self.other(q, k)

    def whole(self, queries: range, keys: range) -> bool | None:
        answers = {part.whole(queries, keys) for part in (self.one, self.other)}
        return True if True in answers else False if answers == {False} else None

    @property
    def causal(self) -> bool:
        return self.one.causal and self.other.causal

    @property
    def by_distance(self) -> bool:
        return self.one.by_distance and self.other.by_distance

    @property
    def longest(self) -> int | None:
        return min(filter(None, (self.one.longest, self.other.longest)), default=None)


@dataclass(frozen=True)
class Not(Predicate):
    """Hidden there, seen here."""

    one: Predicate

    def __call__(self, q: Int[Tensor, "Q 1"], k: Int[Tensor, "1 S"]) -> Bool[Tensor, "*B Q S"]:
        return ~self.one(q, k)

    def whole(self, queries: range, keys: range) -> bool | None:
        answer = self.one.whole(queries, keys)
        return None if answer is None else not answer

    @property
    def by_distance(self) -> bool:
        return self.one.by_distance

    @property
    def longest(self) -> int | None:
        return self.one.longest

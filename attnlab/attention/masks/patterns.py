"""The patterns: which keys each query may see, one small predicate each.

Those of decoders (Causal, Prefix, Window, SinksWindow, Strided) hide the future by themselves;
the others look both ways, and ``& Causal()`` keeps them from it.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnlab.attention.masks.predicate import Predicate

Column = Int[Tensor, "Q 1"]
Row = Int[Tensor, "1 S"]
Table = Bool[Tensor, "*B Q S"]


MOST = 2**31 - 1
"""The largest size, position or id: sums of two fit in the 64 bits that tables are made with."""


def require_within(*numbers: object) -> None:
    """Raises ValueError for what is no whole number, or larger than any text is long."""
    for number in numbers:
        if type(number) is int and -MOST <= number <= MOST:
            continue
        try:
            if abs(operator.index(number)) <= MOST:
                continue
        except TypeError:
            raise ValueError(f"{number!r} is no whole number of tokens") from None
        raise ValueError(f"a whole number is beyond {MOST:,}, the most that a mask counts")


def _require_itself(w: int) -> None:
    require_within(w)
    if w < 1:
        raise ValueError(f"a window of {w} does not hold the token itself; the smallest is 1")


def _require_from_zero(*numbers: int) -> None:
    require_within(*numbers)
    if min(numbers, default=0) < 0:
        raise ValueError(f"{min(numbers)} is negative; tokens and positions count from 0")


@dataclass(frozen=True)
class Causal(Predicate):
    """Itself and what came before (Vaswani et al. 2017, section 3.2.3): the mask of a GPT.

    >>> print(Causal().picture(4))
    ■ · · ·
    ■ ■ · ·
    ■ ■ ■ ·
    ■ ■ ■ ■
    """

    def __call__(self, q: Column, k: Row) -> Table:
        return k <= q

    @property
    def by_distance(self) -> bool:
        return True


@dataclass(frozen=True)
class Bidirectional(Predicate):
    """Everything: an encoder (Devlin et al. 2019, BERT), and cross-attention.

    >>> print(Bidirectional().picture(2))
    ■ ■
    ■ ■
    """

    def __call__(self, q: Column, k: Row) -> Table:
        return torch.ones_like(q + k, dtype=torch.bool)

    @property
    def by_distance(self) -> bool:
        return True


@dataclass(frozen=True)
class Padding(Predicate):
    """The first ``lengths[b]`` tokens of text b; what fills it up is no text.

    >>> print(Padding((2,)).picture(3))
    ■ ■ ·
    ■ ■ ·
    ■ ■ ·
    """

    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        _require_from_zero(*self.lengths)

    def __call__(self, q: Column, k: Row) -> Table:
        lengths = torch.tensor(self.lengths, device=k.device)[:, None, None]
        return (k < lengths).expand(-1, len(q), -1)

    def count(self, n: int) -> int:
        """Over all texts."""
        return n * sum(min(length, n) for length in self.lengths)


@dataclass(frozen=True)
class Prefix(Predicate):
    """The first n tokens see each other, the rest is causal: a prefix language model (Raffel et al.
    2020, figure 3).

    >>> print(Prefix(2).picture(4))
    ■ ■ · ·
    ■ ■ · ·
    ■ ■ ■ ·
    ■ ■ ■ ■
    """

    n: int

    def __post_init__(self) -> None:
        _require_from_zero(self.n)

    def __call__(self, q: Column, k: Row) -> Table:
        return (k <= q) | (k < self.n)

    def whole(self, queries: range, keys: range) -> bool | None:
        if keys[-1] < self.n:
            return True
        seen = Causal().whole(queries, keys)
        return seen if keys.start >= self.n else seen or None

    def count(self, n: int) -> int:
        prefix = min(self.n, n)
        return Causal().count(n) + prefix * (prefix - 1) // 2


@dataclass(frozen=True)
class Document(Predicate):
    """Tokens of the same document only, where several are packed into one text (Krell et al. 2021,
    "Efficient Sequence Packing without Cross-contamination").

    ``ids[i]`` names the document of position i.

    >>> print((Document((0, 0, 1, 1)) & Causal()).picture(4))
    ■ · · ·
    ■ ■ · ·
    · · ■ ·
    · · ■ ■
    """

    ids: tuple[int, ...]

    def __post_init__(self) -> None:
        require_within(*self.ids)

    @property
    def longest(self) -> int:
        return len(self.ids)

    def __call__(self, q: Column, k: Row) -> Table:
        """Raises ValueError for a position that has no id."""
        last = int(max(q.max(), k.max()))
        if last >= len(self.ids):
            raise ValueError(f"position {last} has no document: there are {len(self.ids)} ids")
        ids = torch.tensor(self.ids, device=q.device)
        return ids[q] == ids[k]


@dataclass(frozen=True)
class Window(Predicate):
    """The last w tokens, itself among them (Child et al. 2019; Mistral 7B, Jiang et al. 2023).

    >>> print(Window(2).picture(4))
    ■ · · ·
    ■ ■ · ·
    · ■ ■ ·
    · · ■ ■
    """

    w: int

    def __post_init__(self) -> None:
        _require_itself(self.w)

    def __call__(self, q: Column, k: Row) -> Table:
        return (k <= q) & (q - k < self.w)

    @property
    def by_distance(self) -> bool:
        return True


@dataclass(frozen=True)
class SinksWindow(Predicate):
    """A window, and the first few tokens, on which models rest weight that they have no use for
    (Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks").

    >>> print(SinksWindow(1, 2).picture(4))
    ■ · · ·
    ■ ■ · ·
    ■ ■ ■ ·
    ■ · ■ ■
    """

    sinks: int
    w: int

    def __post_init__(self) -> None:
        _require_itself(self.w)
        _require_from_zero(self.sinks)

    def __call__(self, q: Column, k: Row) -> Table:
        return (k <= q) & ((q - k < self.w) | (k < self.sinks))

    def whole(self, queries: range, keys: range) -> bool | None:
        # Beyond the sinks it is a window; among them a triangle, asked cell by cell.
        return Window(self.w).whole(queries, keys) if keys.start >= self.sinks else None

    def count(self, n: int) -> int:
        # Sink k is outside the window of the queries from k + w on.
        extra = sum(max(n - self.w - k, 0) for k in range(min(self.sinks, n)))
        return Window(self.w).count(n) + extra


@dataclass(frozen=True)
class Strided(Predicate):
    """The last w tokens, and before them every w-th (Child et al. 2019, "Generating Long Sequences
    with Sparse Transformers", section 4.3; both of its heads in one).

    >>> print(Strided(2).picture(5))
    ■ · · · ·
    ■ ■ · · ·
    ■ ■ ■ · ·
    · ■ ■ ■ ·
    ■ · ■ ■ ■
    """

    w: int

    def __post_init__(self) -> None:
        _require_itself(self.w)

    def __call__(self, q: Column, k: Row) -> Table:
        back = q - k
        return (back >= 0) & ((back < self.w) | (back % self.w == 0))

    @property
    def by_distance(self) -> bool:
        return True


@dataclass(frozen=True)
class GlobalWindow(Predicate):
    """Neighbours fewer than w away on either side, and some tokens that see and are seen by all
    (Beltagy et al. 2020, "Longformer", section 3.1; its window of size 2w − 1).

    >>> print(GlobalWindow((0,), 2).picture(5))
    ■ ■ ■ ■ ■
    ■ ■ ■ · ·
    ■ ■ ■ ■ ·
    ■ · ■ ■ ■
    ■ · · ■ ■
    """

    globals: tuple[int, ...]
    w: int

    def __post_init__(self) -> None:
        _require_itself(self.w)
        _require_from_zero(*self.globals)

    def __call__(self, q: Column, k: Row) -> Table:
        chosen = torch.tensor(self.globals, dtype=torch.long, device=q.device)
        near = (q - k).abs() < self.w
        return near | torch.isin(q, chosen) | torch.isin(k, chosen)

    def count(self, n: int) -> int:
        chosen = sorted({g for g in self.globals if g < n})
        near = 2 * Window(self.w).count(n) - n
        whole = 2 * n * len(chosen) - len(chosen) ** 2
        return near + whole - self._both(n, chosen)

    def _both(self, n: int, chosen: list[int]) -> int:
        """Pairs that are near and have a chosen end: counted in each, taken off once."""
        reach = self.w - 1
        sides = sum(min(g + reach, n - 1) - max(g - reach, 0) + 1 for g in chosen)
        index = torch.tensor(chosen, dtype=torch.long)
        among = int(((index[:, None] - index).abs() < self.w).sum())
        return 2 * sides - among

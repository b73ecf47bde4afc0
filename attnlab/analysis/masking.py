"""A mask as a person picks it, for any number of tokens: who sees whom, and how many scores.

The patterns are those of ``attnlab.attention.masks``. Here they are named, as in ``Mask``, and kept
from the future where a decoder would keep them: all but "bidirectional" and "prefix".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Bool
from torch import Tensor

from attnlab.attention import explain
from attnlab.attention.masks import (
    Bidirectional,
    Causal,
    Document,
    GlobalWindow,
    Predicate,
    Prefix,
    SinksWindow,
    Strided,
    Window,
)
from attnlab.errors import InputError

KINDS = (
    "causal",
    "bidirectional",
    "window",
    "sinks",
    "strided",
    "global",
    "prefix",
    "document",
)
MOST_TOKENS = 1_048_576
"""Up to which scores are counted."""


@dataclass(frozen=True)
class Pattern:
    """Who may look at whom.

    Attributes:
        kind: one of ``KINDS``; "sinks" is a window that keeps the first tokens.
        window: tokens, the token itself among them; of "strided" the stride.
        sinks: how many first tokens stay visible.
        globals: positions that see, and are seen by, all.
        prefix: how many first tokens see each other.
        documents: into how many equal parts a text is cut, none of which sees another.

    Raises:
        InputError: no such kind, or a size that makes no sense.
    """

    kind: str = "causal"
    window: int = 4
    sinks: int = 1
    globals: tuple[int, ...] = (0,)
    prefix: int = 4
    documents: int = 2

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"There is no mask “{self.kind}”; there are {', '.join(KINDS)}.")
        if self.window < 1 or self.documents < 1 or min(self.sinks, self.prefix) < 0:
            raise InputError(f"{self} has a size that makes no sense.")

    def predicate(self, n: int) -> Predicate:
        """The question that this mask asks of two of ``n`` positions."""
        match self.kind:
            case "causal":
                return Causal()
            case "bidirectional":
                return Bidirectional()
            case "window":
                return Window(self.window)
            case "sinks":
                return SinksWindow(self.sinks, self.window)
            case "strided":
                return Strided(self.window)
            case "global":
                return GlobalWindow(self.globals, self.window) & Causal()
            case "prefix":
                return Prefix(self.prefix)
        return Document(self.ids(n)) & Causal()

    def ids(self, n: int) -> tuple[int, ...]:
        """The document of each of ``n`` tokens."""
        return tuple(i * self.documents // n for i in range(n))

    def table(self, n: int) -> Bool[Tensor, "n n"]:
        """Who sees whom of ``n`` tokens: True where the row may look at the column."""
        places = torch.arange(n)
        return self.predicate(n)(places[:, None], places[None])

    def count(self, n: int) -> int:
        """How many scores ``n`` tokens need; exact, and no table is built.

        Raises:
            InputError: more than ``MOST_TOKENS`` tokens, or less than one.
        """
        if not 1 <= n <= MOST_TOKENS:
            raise InputError(f"Scores are counted for 1 to {MOST_TOKENS:,} tokens, not {n:,}.")
        if self.kind == "global":
            # Who sees is seen, so half of what lies off the diagonal lies in the past.
            return (GlobalWindow(self.globals, self.window).count(n) + n) // 2
        if self.kind == "document":
            cuts = [-(-part * n // self.documents) for part in range(self.documents + 1)]
            sizes = [end - start for start, end in pairwise(cuts)]
            return sum(size * (size + 1) // 2 for size in sizes)
        return self.predicate(n).count(n)


def full_count(n: int) -> int:
    """How many scores full causal attention needs: n (n + 1) / 2."""
    return Pattern().count(n)


THREE_SCORES: tuple[tuple[float, ...], ...] = (
    (0.0, 1.2, 0.7),
    (math.log(0.6), math.log(0.4), 0.9),
    (math.log(0.2), math.log(0.5), math.log(0.3)),
)
"""Scores of three words, so that a causal mask leaves the weights 1; 0.6, 0.4; 0.2, 0.5, 0.3."""


def weigh(scores: Sequence[Sequence[float]], visible: Bool[Tensor, "n n"]) -> Tensor:
    """What our attention makes of scores [n, n] under a mask: the weights, float64 [n, n]."""
    q = torch.tensor(scores, dtype=torch.float64)[None, None]
    keys = torch.eye(len(visible), dtype=torch.float64)[None, None]  # so that q · k is the score
    return explain(q, keys, keys, visible[None, None], scale=1.0).weights[0, 0]

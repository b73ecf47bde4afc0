"""A mask as a person picks it, for any number of tokens: who sees whom, and how many scores.

It is a ``Mask``, the edit, on a model that hides the future. Counts at any length are those of its
predicate, or of a closed form where that has none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor

from attnlab.attention import explain
from attnlab.attention.masks import GlobalWindow
from attnlab.errors import InputError
from attnlab.trace.edits import Mask
from attnlab.trace.edits.mask import MOST_VISIBLE
from attnlab.trace.given import MOST, brief, several, whole

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
_NAMED = {"sinks": "window"}
MOST_TOKENS = 1_048_576
"""Up to which scores are counted."""
_SIZES = (
    ("window", 1, MOST),
    ("sinks", 0, MOST),
    ("prefix", 0, MOST),
    ("documents", 1, MOST_TOKENS),
)
"""Of a pattern, with the least and the most."""


@dataclass(frozen=True)
class Pattern:
    """Who may look at whom.

    Attributes:
        kind: one of ``KINDS``; "sinks" is a window that keeps the first tokens.
        window: tokens, the token itself among them; of "strided" the stride.
        sinks: how many first tokens stay visible.
        globals: positions that see, and are seen by, all; () leaves a window.
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
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise InputError(f"There is no mask {brief(self.kind)}; there are {', '.join(KINDS)}.")
        for name, least, most in _SIZES:
            size = whole(name, getattr(self, name), InputError, most)
            if size < least:
                raise InputError(f"{name} is at least {least}, not {size}.")
            object.__setattr__(self, name, size)
        chosen = several("globals", self.globals, InputError)
        chosen = tuple(whole("globals", place, InputError) for place in chosen)
        if min(chosen, default=0) < 0:
            raise InputError(f"globals count from the first token; there is no {min(chosen)}.")
        object.__setattr__(self, "globals", chosen)

    def mask(self, n: int, **more: Any) -> Mask:
        """The same as an edit of a run over ``n`` tokens; ``more``: layers, heads, cells, ….

        Raises:
            EditError: what more is asked for makes no sense.
        """
        kind = "window" if self.kind == "global" and not self.globals else self.kind
        match kind:
            case "window" | "strided":
                sizes: dict[str, Any] = {"window": self.window}
            case "sinks":
                sizes = {"window": self.window, "sinks": self.sinks}
            case "global":
                sizes = {"window": self.window, "globals": self.globals}
            case "prefix":
                sizes = {"prefix": self.prefix}
            case "document":
                sizes = {"documents": self.ids(n)}
            case _:
                sizes = {}
        return Mask(_NAMED.get(kind, kind), **sizes, **more)

    def ids(self, n: int) -> tuple[int, ...]:
        """The document of each of ``n`` tokens.

        Raises:
            InputError: more than ``MOST_TOKENS`` tokens, or less than one.
        """
        n = _tokens(n, MOST_TOKENS)
        return tuple(i * self.documents // n for i in range(n))

    def table(self, n: int) -> Bool[Tensor, "n n"]:
        """Who sees whom of ``n`` tokens: True where the row may look at the column.

        Raises:
            InputError: more than ``MOST_VISIBLE`` tokens, or less than one.
        """
        n = _tokens(n, MOST_VISIBLE)
        return self.mask(n).visible(n)

    def count(self, n: int) -> int:
        """How many scores ``n`` tokens need; exact, and no table is built.

        Raises:
            InputError: more than ``MOST_TOKENS`` tokens, or less than one.
        """
        n = _tokens(n, MOST_TOKENS)
        if self.kind == "global":
            # Who sees is seen, so half of what lies off the diagonal lies in the past.
            return (GlobalWindow(self.globals, self.window).count(n) + n) // 2
        if self.kind == "document":
            cuts = [-(-part * n // self.documents) for part in range(self.documents + 1)]
            sizes = [end - start for start, end in pairwise(cuts)]
            return sum(size * (size + 1) // 2 for size in sizes)
        return self.mask(n).predicate().count(n)


def _tokens(n: int, most: int) -> int:
    count = whole("n", n, InputError, most=None)
    if not 1 <= count <= most:
        raise InputError(f"n is a number of tokens from 1 to {most:,}, not {brief(n)}.")
    return count


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
    """What our attention makes of scores [n, n] under a mask: the weights, float64 [n, n].

    Raises:
        InputError: these are no numbers, or not as many as the mask has cells.
    """
    try:
        q = torch.as_tensor(scores, dtype=torch.float64)[None, None]
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"Scores are rows of numbers, not {brief(scores)}.") from error
    if not isinstance(visible, Tensor) or visible.dtype != torch.bool:
        raise InputError(f"A mask is a table of true and false, not {brief(visible)}.")
    if q.shape[2:] != visible.shape or visible.dim() != 2 or len(set(visible.shape)) != 1:
        raise InputError(
            f"Scores {list(q.shape[2:])} and a mask {list(visible.shape)} are no two squares of "
            "one size."
        )
    keys = torch.eye(len(visible), dtype=torch.float64)[None, None]  # so that q · k is the score
    return explain(q, keys, keys, visible[None, None], scale=1.0).weights[0, 0]

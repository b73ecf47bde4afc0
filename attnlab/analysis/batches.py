"""How variants are split into batches, what a row takes, and how far it is from a single run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import torch
from torch import Tensor

from attnlab.trace.runner import Runner
from attnlab.trace.trace import Trace

TOLERANCE: Final = 1e-4
"""How far a number may be from that of a single run, in float32, whatever its size."""
_ROUNDING: Final = 8
"""How many steps (units in the last place) of a number as large as the largest one count as
rounding in half precision, where sums are kept in float32."""
_OF_READ: Final = 16
"""In float32, of logits and losses: more than TOLERANCE only where the largest is above 52."""
_OF_VECTORS: Final = 64
"""In float32, of vectors: sums round, too. SmolLM2's last vectors, up to 45, differ by 28 steps
(1.5e-4) between batches of other sizes, where its logits, up to 28, differ by 5e-5; a single run
is itself 8 steps from float64."""
_ACTIVATIONS: Final = 24
"""Numbers a token, as multiples of the width, that are alive at once in one block."""
_TILE: Final = 128
"""Queries whose scores are alive at once."""


def split(order: Sequence[int], groups: int, room: int) -> list[list[int]]:
    """Consecutive parts of about the same length: at least ``groups``, none above ``room``."""
    count = len(order)
    parts = min(count, max(groups, -(-count // room)))
    edges = [round(count * i / parts) for i in range(parts + 1)] if parts else []
    return [list(order[a:b]) for a, b in pairwise(edges)]


def with_first(parts: list[list[int]], some: Sequence[int]) -> list[list[int]]:
    """The same with ``some`` in the first part, where they are checked."""
    rest = [[i for i in part if i not in some] for part in parts]
    return [[*rest[0], *some], *(part for part in rest[1:] if part)]


def bytes_of_row(runner: Runner, trace: Trace) -> int:
    """About what one more row takes while it runs, and its logits, in bytes (float32)."""
    sites = [site for site in runner.sites if site.role == trace.main_role] or [*runner.sites]
    tokens = max(len(trace.tokens), len(trace.source_tokens), 1)
    width = max((site.heads * site.value_size for site in sites), default=1)
    heads = max((site.heads for site in sites), default=1)
    scores = 3 * heads * min(tokens, _TILE) * tokens
    logits = 0 if trace.logits is None else 3 * trace.logits.numel()
    return 4 * (_ACTIVATIONS * tokens * width + scores + logits)


class Gap(NamedTuple):
    """How far a number is from that of a single run, at worst, and how far it may be."""

    size: float
    most: float


def gaps(one: Trace, other: Trace) -> list[Gap]:
    """Of all that two runs kept: logits and losses, and after these the final vectors."""
    dtype = getattr(torch, str(one.how.get("dtype", "float32")).removeprefix("torch."))
    found = []
    for (a, vectors), (b, _) in zip(_read(one), _read(other), strict=True):
        # −∞ − −∞ is no number, and no difference either.
        size = float(torch.where(a == b, 0.0, (a - b).abs()).max())
        found.append(Gap(size, tolerance(a, dtype, vectors=vectors)))
    return found


def tolerance(numbers: Tensor, dtype: torch.dtype, *, vectors: bool = False) -> float:
    """How far rows may be from single runs: TOLERANCE, or as far as the model's own rounding
    carries where that is more. Other shapes of a batch are added up in another order, so two right
    answers differ by steps of their largest number: in float32 by up to 16 of logits and losses and
    64 of ``vectors``; in half precision by 8, and in bfloat16 SmolLM2's logits, up to 16, then
    differ by 0.5. Rows that are wrong differ by far more."""
    finite = numbers[numbers.isfinite()].abs()
    largest = float(finite.max()) if len(finite) else 0.0
    whole = _OF_VECTORS if vectors else _OF_READ
    steps = _ROUNDING if torch.finfo(dtype).bits < 32 else whole
    return max(TOLERANCE, steps * torch.finfo(dtype).eps * largest)


def _read(trace: Trace) -> list[tuple[Tensor, bool]]:
    """What a run kept, and whether it is vectors."""
    kept = [layers[layer].tensor for layers in trace.values.values() for layer in sorted(layers)]
    found = [(trace.logits, False), (trace.losses, False), *((tensor, True) for tensor in kept)]
    return [(one, vectors) for one, vectors in found if one is not None and one.numel()]

"""One query of a worked example in other circumstances: sharper, blunter, or left with nothing.

A softmax is a dictionary that is looked up softly. ``blend`` turns the knob from an even blend of
all values to the single best match; ``hidden_row`` takes every key away, in the ways in which
implementations do it. Letters as in ``attnlab.attention.steps``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float64
from torch import Tensor

from attnlab.attention.explain import explain
from attnlab.attention.steps import Steps, cut
from attnlab.errors import InputError

_ADDED: Final = -1e9


def _of_head(steps: Steps, head: int, query: int) -> list[Float64[Tensor, "1 1 n size"]]:
    """Queries, keys and values of one head, which has such a query."""
    heads, n = steps.example.heads, len(steps.example.tokens)
    if not (0 <= head < heads and 0 <= query < n):
        raise InputError(f"There is no query {query} of head {head}: {n} queries, {heads} heads.")
    return [cut(m, heads)[:, head : head + 1] for m in (steps.q, steps.k, steps.v)]


@dataclass(frozen=True)
class Blend:
    """One query's shares of the keys it may see, and the values blended by them.

    ``weights`` [n] and ``z`` [E].
    """

    weights: Float64[Tensor, " n"]
    z: Float64[Tensor, " E"]


def blend(steps: Steps, head: int, query: int, sharpness: float) -> Blend:
    """A dictionary that is looked up softly: every key answers, by how well it fits the query.

    The scaled scores are multiplied by ``sharpness`` before the softmax: 0 gives every key that
    may be seen the same share, 1 is attention as it is, and ∞ takes the best match alone, as a
    dictionary does (keys that fit equally well share).

    Args:
        head, query: counted from 0.
        sharpness: 0 or more; one over the temperature.

    Raises:
        InputError: ``sharpness`` is negative or no number, or there is no such query.
    """
    if not sharpness >= 0:
        raise InputError(f"The sharpness is {sharpness}; it must be 0 or more.")
    q, k, v = _of_head(steps, head, query)
    seen = steps.masked[head, query].isfinite()
    if math.isinf(sharpness):
        # The limit: the keys of the largest score, each as much as the others.
        row = steps.masked[head, query]
        seen, sharpness = row == row.max(), 0.0
    found = explain(
        q[:, :, query : query + 1], k, v, seen[None], scale=steps.example.scale * sharpness
    )
    return Blend(found.weights[0, 0, 0], found.z[0, 0, 0])


@dataclass(frozen=True)
class Hidden:
    """What a query gets when every key is hidden from it, in three ways.

    ``added_32`` and ``added_64``: −1e9 is added to every score, in float32 and in float64;
    ``softmax``: −∞ and a softmax alone; ``removed``: the keys are taken out, as ``attend`` does.
    Each is [n] weights.
    """

    added_32: Tensor
    added_64: Tensor
    softmax: Tensor
    removed: Tensor

    @property
    def levelled(self) -> bool:
        """Whether −1e9 in float32 left no difference between scores, so that all weigh alike."""
        return bool((self.added_32 == self.added_32[0]).all())


def hidden_row(steps: Steps, head: int, query: int) -> Hidden:
    """A fully masked row: −1e9 added to every score against −∞, which removes it.

    An added −1e9 leaves every score as far from the next one as rounding lets it. In float64, whose
    steps at a billion are 1e-7, the softmax gives the weights of no mask at all; in float32 they
    are 64, so scores between −32 and 32 all become equal, and so do the weights.
    """
    q, k, v = _of_head(steps, head, query)
    q = q[:, :, query : query + 1]
    n = k.shape[2]

    def weights(dtype: torch.dtype, mask: Tensor | None, bias: Tensor | None) -> Tensor:
        found = explain(
            q.to(dtype), k.to(dtype), v.to(dtype), mask, bias=bias, scale=steps.example.scale
        )
        return found.weights[0, 0, 0].double()

    added = torch.full((1, 1, 1, n), _ADDED, dtype=torch.float64)
    nothing = torch.zeros(1, n, dtype=torch.bool)
    return Hidden(
        added_32=weights(torch.float32, None, added.float()),
        added_64=weights(torch.float64, None, added),
        softmax=torch.softmax(torch.full((n,), -torch.inf, dtype=torch.float64), -1),
        removed=weights(torch.float64, nothing, None),
    )

"""How alike heads look: the Jensen–Shannon divergence between their rows."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

_CHUNK = 64
"""Rows compared at once: six heads of a long text need 36 · rows · keys numbers."""


def pairwise(
    weights: Float[Tensor, "n Q S"], *, causal: bool = False, silenced: bool = False
) -> Float[Tensor, "n n"]:
    """1 − the mean Jensen–Shannon divergence of two heads' rows, in bits: 1 alike, 0 apart.

    The distance by which Clark et al. (2019, "What Does BERT Look At?", section 6) cluster heads,
    turned round. Each row is taken as it is; a row that sums below 1 (a learned sink) has the rest
    as one more place, and a row that sees nothing counts for nobody; with ``silenced`` only where
    all see nothing, and else it has all of itself at that place. With ``causal`` the first row does
    not count: it has nowhere to look but at itself.
    """
    rows = weights.double()[:, 1 if causal and weights.shape[1] > 1 else 0 :]
    rest = (1 - rows.sum(-1, keepdim=True)).clamp(min=0)
    alive = rows.sum(-1) > 0
    alive = alive.any(0) if silenced else alive.all(0)
    rows = torch.cat([rows, rest], -1)[:, alive]
    if not rows.shape[1]:
        return torch.ones(len(weights), len(weights), dtype=torch.double)
    apart = torch.zeros(len(rows), len(rows), dtype=torch.double)
    for start in range(0, rows.shape[1], _CHUNK):
        part = rows[:, start : start + _CHUNK]
        apart += _divergence(part[:, None], part[None]).sum(-1)
    return 1 - apart / rows.shape[1]


def to_one(
    weights: Float[Tensor, "n Q S"], which: int, *, causal: bool = False
) -> Float[Tensor, " n"]:
    """How alike every head is to the one at ``which``, as ``pairwise`` of the two says."""
    rows = weights.double()[:, 1 if causal and weights.shape[1] > 1 else 0 :]
    total = rows.sum(-1, keepdim=True)
    rows = torch.cat([rows, (1 - total).clamp(min=0)], -1)
    alive = total[..., 0] > 0
    both = alive & alive[which]
    apart = torch.stack([_divergence(rows[which], other) for other in rows])
    return 1 - (apart * both).sum(-1) / both.sum(-1).clamp(min=1)


def apart(
    before: Float[Tensor, "n Q S"], after: Float[Tensor, "n Q S"], *, causal: bool = False
) -> Float[Tensor, " n"]:
    """How far each head's rows have moved: the mean Jensen–Shannon divergence of the same head
    before and after, in bits, 0 to 1; rows counted as in ``pairwise``. A row that sees nothing any
    more has moved by 1 bit, as far as can be."""
    alike = [
        pairwise(torch.stack(both), causal=causal, silenced=True)[0, 1]
        for both in zip(before, after, strict=True)
    ]
    return 1 - torch.stack(alike)


def _divergence(p: Tensor, q: Tensor) -> Tensor:
    """Jensen–Shannon divergence over the last axis, in bits (Lin 1991, section IV)."""
    middle = (p + q) / 2
    return (_entropy(middle) - (_entropy(p) + _entropy(q)) / 2).clamp(min=0)


def _entropy(p: Tensor) -> Tensor:
    return -torch.special.xlogy(p, p).sum(-1) / math.log(2)

"""Loss by position of models of one kind that differ in their seed: the mean, and how far apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Spread:
    """Curves of several seeds together.

    ``mean``, ``least`` and ``most`` [n]: over the seeds, at each position; a curve that stopped
    early ends there.
    """

    mean: Tensor
    least: Tensor
    most: Tensor
    seeds: int


def spread(curves: Sequence[Float[Tensor, " n"]]) -> Spread:
    """The mean of curves and their least and largest values; all as long as the shortest.

    Raises:
        ValueError: there are none.
    """
    if not curves:
        raise ValueError("a spread of no curves")
    count = min(len(curve) for curve in curves)
    every = torch.stack([curve[:count].double() for curve in curves])
    return Spread(every.mean(0), every.amin(0), every.amax(0), len(curves))


def edges(length: int, pieces: int = 36) -> list[int]:
    """Where pieces of 1..length begin and end: as many as there is room for, each longer than the
    one before by the same factor.

    >>> edges(8, 3)
    [0, 2, 4, 8]
    """
    grown = [round(math.exp(math.log(length) * at / pieces)) for at in range(1, pieces + 1)]
    return sorted({0, *(max(1, edge) for edge in grown), length})


def binned(values: Float[Tensor, " n"], at: Sequence[int]) -> list[float | None]:
    """The mean of each piece between ``at``; None from where the values stop within one."""
    return [
        float(values[start:stop].double().mean()) if stop <= len(values) else None
        for start, stop in pairwise(at)
    ]


def within(values: Float[Tensor, " n"], start: int, stop: int) -> float | None:
    """The mean over positions start .. stop − 1; None where the curve stops before."""
    return float(values[start:stop].double().mean()) if len(values) >= stop > start else None

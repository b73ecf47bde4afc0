"""Loss by position of models of one kind that differ in their seed: the mean, and how far apart."""

from __future__ import annotations

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


def edges(length: int, least: int = 8, more: float = 1.18) -> list[int]:
    """Where pieces of ``length`` positions begin and end: none shorter than ``least`` (but a whole
    that is), and each ends ``more`` times further on than the one before.

    >>> edges(40, 8, 1.5)
    [0, 8, 16, 24, 40]
    """
    at = [0]
    while at[-1] < length:
        end = max(at[-1] + least, round(at[-1] * more))
        # What would be left over is part of the last piece.
        at.append(length if length - end < least else end)
    return at


def binned(values: Float[Tensor, " n"], at: Sequence[int]) -> list[float | None]:
    """The mean of each piece between ``at``; None from where the values stop within one."""
    return [
        float(values[start:stop].double().mean()) if stop <= len(values) else None
        for start, stop in pairwise(at)
    ]


def within(values: Float[Tensor, " n"], start: int, stop: int) -> float | None:
    """The mean over positions start .. stop − 1; None where the curve stops before."""
    return float(values[start:stop].double().mean()) if len(values) >= stop > start else None

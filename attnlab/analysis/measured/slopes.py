"""How a figure grows with n: a power of it, fitted on logarithmic axes.

On such axes c · n^s is a straight line of slope s. Short texts are left out of the fit: what they
take is mostly the same for any n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

FITTED: Final = 3
"""How many figures, of the longest texts, a line is fitted to."""


@dataclass(frozen=True)
class Power:
    """``factor`` · n^``slope``."""

    slope: float
    factor: float

    def at(self, n: float) -> float:
        """The figure at n tokens, measured or not."""
        return self.factor * n**self.slope


def fitted(counts: Sequence[float], values: Sequence[float], last: int = FITTED) -> Power | None:
    """The power through the ``last`` figures, by least squares of logarithms; None of fewer than 2.

    Figures that are not above 0 say nothing and are left out.

    >>> round(fitted([1, 2, 4], [3, 12, 48]).slope, 6)
    2.0
    """
    points = [
        (math.log(n), math.log(value)) for n, value in zip(counts, values, strict=True) if value > 0
    ][-last:]
    if len(points) < 2 or points[0][0] == points[-1][0]:
        return None
    middle = [sum(axis) / len(points) for axis in zip(*points, strict=True)]
    across = sum((x - middle[0]) ** 2 for x, _ in points)
    slope = sum((x - middle[0]) * (y - middle[1]) for x, y in points) / across
    return Power(slope, math.exp(middle[1] - slope * middle[0]))


def crossing(one: Power, other: Power) -> float | None:
    """The n at which both are the same; None where they run side by side."""
    if abs(one.slope - other.slope) < 1e-6:
        return None
    try:
        return (other.factor / one.factor) ** (1 / (one.slope - other.slope))
    except OverflowError:
        return None

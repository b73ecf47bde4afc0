"""Rotary positions for texts longer than those of training, by slowing the rotation down.

Past the training length L the slow pairs reach angles that they have never shown. A scaling makes
a text of factor · L tokens look like one of L:

    PositionInterpolation   every pair slows alike: neighbours become hard to tell apart
    NtkAware                a larger base: fast pairs (neighbours) hardly change, slow ones do
    Yarn                    fast pairs keep their speed, slow ones are interpolated, a ramp between
    Llama3                  the same idea, the ramp taken over wavelengths

All are fixed: none depends on the length of the text at hand, so keys that were turned once, and
kept in a cache, stay right.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.checks import require_number, require_positive


class Scaling(ABC):
    """How the frequencies (radians a token, one for each pair of coordinates) are changed.

    Each raises ValueError where one of its numbers is not above 0, or not finite.
    """

    @abstractmethod
    def scaled(
        self, frequencies: Float[Tensor, " pairs"], base: float | int
    ) -> Float[Tensor, " pairs"]:
        """The new frequencies; ``base`` is that of the old ones."""

    @property
    def magnitude(self) -> float:
        """A factor on turned queries and keys; the scores grow by its square."""
        return 1.0


@dataclass(frozen=True)
class PositionInterpolation(Scaling):
    """θ_i / factor (Chen et al. 2023, "Extending Context Window of Large Language Models via
    Positional Interpolation", section 2.3). "linear" in transformers' configurations."""

    factor: float | int

    def __post_init__(self) -> None:
        require_positive(factor=self.factor)

    def scaled(
        self, frequencies: Float[Tensor, " pairs"], base: float | int
    ) -> Float[Tensor, " pairs"]:
        return frequencies / self.factor


@dataclass(frozen=True)
class NtkAware(Scaling):
    """base → base · factor^(r / (r − 2)) (bloc97 2023; Peng et al. 2023, "YaRN", section 3.1).

    The fastest pair keeps its speed, the slowest is interpolated by exactly ``factor``.
    transformers' "dynamic" scaling, at a text of n tokens of a model trained on L, is this with
    the factor  factor · n / L − (factor − 1).
    """

    factor: float | int

    def __post_init__(self) -> None:
        require_positive(factor=self.factor)

    def scaled(
        self, frequencies: Float[Tensor, " pairs"], base: float | int
    ) -> Float[Tensor, " pairs"]:
        size = 2 * len(frequencies)
        stretched = self.base(base, size)
        return 1.0 / stretched ** (torch.arange(0, size, 2, dtype=frequencies.dtype) / size)

    def base(self, base: float | int, size: int) -> float | int:
        """The new base, where ``size`` coordinates turn.

        Raises:
            ValueError: there is a single pair, which cannot be both fastest and slowest.
        """
        if size == 2:
            raise ValueError("NTK-aware scaling needs two pairs of coordinates or more, not one")
        return base * self.factor ** (size / (size - 2))


@dataclass(frozen=True)
class Yarn(Scaling):
    """NTK-by-parts and a temperature (Peng et al. 2023, "YaRN: Efficient Context Window Extension
    of Large Language Models", sections 3.2 and 3.4).

        turns_i = original · θ_i / 2π                     full turns within the training length
        θ_i' = θ_i                where turns ≥ beta_fast
        θ_i' = θ_i / factor       where turns ≤ beta_slow,  a linear ramp over i between the two
        q, k → magnitude · (q, k),  magnitude = 0.1 ln(factor) + 1

    ``original`` is L; ``attention_factor`` replaces the magnitude; ``truncate`` moves the ends of
    the ramp outwards to whole pairs, as the authors' code does and gpt-oss does not.
    """

    factor: float | int
    original: int
    beta_fast: float | int = 32.0
    beta_slow: float | int = 1.0
    attention_factor: float | int | None = None
    truncate: bool = True

    def __post_init__(self) -> None:
        require_positive(factor=self.factor, original=self.original)
        require_positive(beta_fast=self.beta_fast, beta_slow=self.beta_slow)
        if self.attention_factor is not None:
            require_positive(attention_factor=self.attention_factor)

    def scaled(
        self, frequencies: Float[Tensor, " pairs"], base: float | int
    ) -> Float[Tensor, " pairs"]:
        """Raises ValueError for a base of 1, at which every pair turns alike."""
        if base == 1:
            raise ValueError("YaRN tells pairs apart by their speeds, and at base 1 all are alike")
        pairs = len(frequencies)
        low, high = self._ramp(pairs, base)
        index = torch.arange(pairs, dtype=frequencies.dtype)
        slowed = ((index - low) / (high - low)).clamp(0, 1)
        return frequencies / self.factor * slowed + frequencies * (1 - slowed)

    def _ramp(self, pairs: int, base: float | int) -> tuple[float, float]:
        """The pairs at which slowing begins and is complete."""
        low, high = (
            # The (fractional) pair that makes so many turns within the training length.
            pairs * math.log(self.original / (turns * 2 * math.pi)) / math.log(base)
            for turns in (self.beta_fast, self.beta_slow)
        )
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        # Up to 2·pairs − 1, though the last pair is pairs − 1: so in the authors' code, with which
        # the models were trained.
        low, high = float(max(low, 0)), float(min(high, 2 * pairs - 1))
        return low, high if high != low else high + 0.001

    @property
    def magnitude(self) -> float:
        if self.attention_factor is not None:
            return float(self.attention_factor)
        return 0.1 * math.log(self.factor) + 1.0 if self.factor > 1 else 1.0


@dataclass(frozen=True)
class Llama3(Scaling):
    """By wavelength (Llama Team 2024, "The Llama 3 Herd of Models"; the formula is in the code
    released with Llama 3.1).

        turns_i = original · θ_i / 2π
        θ_i' = θ_i                where turns > high
        θ_i' = θ_i / factor       where turns < low,  blended by (turns − low) / (high − low)
    """

    factor: float | int
    original: int
    low: float | int = 1.0
    high: float | int = 4.0

    def __post_init__(self) -> None:
        require_positive(factor=self.factor, original=self.original)
        require_number(0, low=self.low, high=self.high)
        if self.high <= self.low:
            raise ValueError(f"high is above low, {self.low}; it cannot be {self.high}")

    def scaled(
        self, frequencies: Float[Tensor, " pairs"], base: float | int
    ) -> Float[Tensor, " pairs"]:
        turns = self.original * frequencies / (2 * math.pi)
        kept = ((turns - self.low) / (self.high - self.low)).clamp(0, 1)
        return (1 - kept) * frequencies / self.factor + kept * frequencies

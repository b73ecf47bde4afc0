"""Sinusoidal positions looked at: the waves, and moving on as a turn.

Each pair of coordinates (sin pθ, cos pθ) is the hand of a clock. Moving on by k positions turns it
by kθ whatever p is, so that one matrix R(k) takes every p[pos] to p[pos + k] (Vaswani et al. 2017,
section 3.5). The turn is that of rotary positions, whose code is used here: R(k) is one thing.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.positions import Rope, Sinusoidal


def encoding(
    positions: Tensor, width: int, base: float, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "n M"]:
    """p of each position, [n, M].

    Raises:
        ValueError: the width is odd.
    """
    module = Sinusoidal(base).build(width=width, heads=1, key_size=width, bidirectional=True)
    return module.encoding(positions[None], dtype)[0]


def moved_on(waves: Float[Tensor, "n M"], by: int, base: float) -> Float[Tensor, "n M"]:
    """R(by) p: every pair turned by what ``by`` positions turn it."""
    size = waves.shape[-1]
    turn = Rope(base, interleaved=True).build(
        width=size, heads=1, key_size=size, bidirectional=True
    )
    # Rotary pairs are (cos, sin) of an angle that grows; here the sine comes first.
    hands = waves.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    at = torch.full((1, len(waves)), by)
    turned = turn.rotate(hands[None, None], at)[0, 0]
    return turned.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)


def turn_error(
    width: int, base: float, by: int, count: int, dtype: torch.dtype = torch.float32
) -> float:
    """The largest |R(by) p[pos] − p[pos + by]| over the first ``count`` positions and all M
    coordinates; both sides worked out in ``dtype``."""
    here = torch.arange(count)
    ahead = encoding(here + by, width, base, dtype)
    return float((moved_on(encoding(here, width, base, dtype), by, base) - ahead).abs().max())


def wavelengths(width: int, base: float) -> Float[Tensor, " pairs"]:
    """Positions after which each clock shows the same again: 2π/θ, in float64."""
    return 2 * torch.pi / Rope(base).frequencies(width, torch.float64)


def likeness(table: Float[Tensor, "n M"]) -> Float[Tensor, "n n"]:
    """Cosines between the vectors of positions, −1 to 1; 0 where a vector is all zeros."""
    unit = torch.nn.functional.normalize(table.double(), dim=-1)
    return (unit @ unit.T).clamp(-1, 1)

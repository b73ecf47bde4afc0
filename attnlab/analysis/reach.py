"""How far information travels: one mask applied layer after layer.

What a token holds after a layer is what it held before (the residual stream carries it on) and
something of every token that it may look at. So a table of who may look at whom, multiplied with
itself, says who can have heard from whom after several layers: a window of w tokens, the token
itself among them, leads w − 1 tokens further back with each (Child et al. 2019, section 4.2;
Jiang et al. 2023, "Mistral 7B", section 2, counts w).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from attnlab.errors import InputError
from attnlab.trace.given import brief, whole

MOST_POSITIONS = 1_024
"""Of a table whose powers are taken."""


def reached(visible: Bool[Tensor, "n n"], layers: int) -> Bool[Tensor, "L n n"]:
    """Who can have heard from whom, after 0 to ``layers`` layers: L = layers + 1.

    ``reached(...)[l, q, k]``: whether the input at k can be in what stands at q after l layers.

    Raises:
        InputError: the table is not square or too large, or there are less than 0 layers.
    """
    if not isinstance(visible, Tensor) or visible.dtype != torch.bool:
        raise InputError(f"A table of who sees whom is a bool tensor, not {brief(visible)}.")
    n = visible.shape[0] if visible.dim() else 0
    if visible.shape != (n, n) or n > MOST_POSITIONS:
        raise InputError(f"A table of {tuple(visible.shape)} positions has no powers here.")
    layers = _from(0, "layers", layers)
    step = (visible | torch.eye(n, dtype=torch.bool, device=visible.device)).float()
    held = [torch.eye(n, dtype=torch.bool, device=visible.device)]
    for _ in range(layers):
        # Counts of ways, of which only whether there is one is kept.
        held.append((step @ held[-1].float()) > 0)
    return torch.stack(held)


@dataclass(frozen=True)
class Reach:
    """From one position, after some layers: how many inputs it can hold something of, and how
    many positions back the farthest lies (0: only its own)."""

    count: int
    back: int


def reach(held: Bool[Tensor, "n n"], position: int) -> Reach:
    """One row of what :func:`reached` found after some layers."""
    there = held[position].nonzero().flatten()
    return Reach(len(there), position - int(there.min()) if len(there) else 0)


def window_reach(window: int, layers: int) -> int:
    """How many positions back a window leads: layers · (window − 1), the token itself counted in.

    Raises:
        InputError: the window does not hold the token itself, or there are less than 0 layers.
    """
    return _from(0, "layers", layers) * (_from(1, "window", window) - 1)


def _from(least: int, name: str, value: int) -> int:
    number = whole(name, value, InputError)
    if number < least:
        raise InputError(f"{name} is at least {least}, not {number}.")
    return number

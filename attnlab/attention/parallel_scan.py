"""A linear recurrence over time in ⌈log₂ n⌉ rounds instead of n steps.

    h_t = a_t · h_{t−1} + b_t                elementwise

Two steps in a row are one step of the same kind, (a₂ a₁, a₂ b₁ + b₂), so steps may be joined in
any grouping: neighbours first, then the half as many that are left, and so on. That is about n
joins, all those of a round at once (Blelloch 1990, "Prefix Sums and Their Applications", section
1.4; Martin and Cundy 2018, "Parallelizing Linear Recurrent Neural Nets Over Sequence Length").

The gradient is the same recurrence backwards in time, so no round is recorded:

    g_t = ∂L/∂h_t + a_{t+1} g_{t+1}      ∂L/∂b_t = g_t      ∂L/∂a_t = g_t h_{t−1}
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor


def parallel_scan(
    a: Float[Tensor, "B n ..."],
    b: Float[Tensor, "B n ..."],
    start: Float[Tensor, "B ..."] | None = None,
) -> Float[Tensor, "B n ..."]:
    """Every h_t.

    Args:
        start: h before the first step; 0 when None.
    """
    if start is not None:
        b = torch.cat([b[:, :1] + a[:, :1] * start[:, None], b[:, 1:]], 1)
    return _Scan.apply(a, b)


def rounds(n: int) -> int:
    """⌈log₂ n⌉: rounds of joins, each of which waits for the one before, for n steps."""
    return max(n - 1, 0).bit_length()


class _Scan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        h = _joined(a, b)
        ctx.save_for_backward(a, h)
        return h

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        a, h = ctx.saved_tensors
        # Backwards in time the factor of a step is the a of the step after it.
        after = torch.cat([torch.zeros_like(a[:, :1]), a.flip(1)[:, :-1]], 1)
        g = _joined(after, grad.flip(1)).flip(1)
        before = torch.cat([torch.zeros_like(h[:, :1]), h[:, :-1]], 1)
        return g * before, g


def _joined(a: Tensor, b: Tensor) -> Tensor:
    n = b.shape[1]
    if n < 2:
        return b.clone()
    first, second = slice(0, n - 1, 2), slice(1, n, 2)
    # Steps (0, 1), (2, 3), … joined: the scan of these gives every h at an odd place.
    joined = torch.addcmul(b[:, second], a[:, second], b[:, first])
    odd = _joined(a[:, second] * a[:, first], joined)
    h = torch.empty_like(b)
    h[:, :1], h[:, second] = b[:, :1], odd
    even = slice(2, n, 2)
    h[:, even] = torch.addcmul(b[:, even], a[:, even], odd[:, : (n - 1) // 2])
    return h

"""The selective scan of Mamba, step by step and in parallel (Gu and Dao 2023, sections 3.2, 3.3).

    h_t = exp(Δ_t A) h_{t−1} + (Δ_t x_t) B_t        I channels of N numbers, [I, N]
    y_t = h_t C_t                                   [I]

A becomes exp(ΔA) and B becomes ΔB: the simpler of the two ways to take a step of length Δ (that of
Mamba's code; equation 4 has the exact one).

    sequential   n steps; what a step needs stays in the processor's cache
    parallel     ⌈log₂ n⌉ rounds over all tokens at once, see ``parallel_scan``

Letters: B batch, n tokens, I channels, N numbers a channel.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from attnlab.attention.checks import require_filled, require_word
from attnlab.attention.parallel_scan import parallel_scan

FORMS = ("sequential", "parallel")


def selective_scan(
    x: Float[Tensor, "B n I"],
    delta: Float[Tensor, "B n I"],
    A: Float[Tensor, "I N"],
    into: Float[Tensor, "B n N"],
    out: Float[Tensor, "B n N"],
    start: Float[Tensor, "B I N"] | None = None,
    *,
    form: str = "parallel",
) -> tuple[Float[Tensor, "B n I"], Float[Tensor, "B I N"]]:
    """Every y_t, and the last h.

    Args:
        into, out: B_t and C_t of every token.
        start: h before the first token; 0 when None.
        form: "sequential" or "parallel"; the result is the same.

    Raises:
        ValueError: there is no such form, or no token.
    """
    require_word("form", form, FORMS)
    require_filled(x=x, delta=delta, A=A, into=into, out=out)
    if form == "sequential":
        first = x.new_zeros(len(x), *A.shape) if start is None else start
        return _Sequential.apply(x, delta, A, into, out, first)
    fade = torch.exp(delta[..., None] * A)
    h = parallel_scan(fade, (delta * x)[..., None] * into[:, :, None], start)
    return (h @ out[..., None]).squeeze(-1), h[:, -1]


class _Sequential(torch.autograd.Function):
    """Step after step in buffers that are allocated once, forward and backward in time; the
    parallel form has second derivatives too."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, delta: Tensor, A: Tensor, into: Tensor, out: Tensor, start: Tensor
    ) -> tuple[Tensor, Tensor]:
        x, delta, into, out = map(_time_first, (x, delta, into, out))
        taken = delta * x
        h = x.new_empty(len(x) + 1, *start.shape)  # [n + 1, B, I, N]
        fade, y = torch.empty_like(h[1:]), torch.empty_like(x)
        h[0] = start
        for t in range(len(x)):
            torch.mul(delta[t, ..., None], A, out=fade[t]).exp_()
            torch.mul(fade[t], h[t], out=h[t + 1]).addcmul_(taken[t, ..., None], into[t, :, None])
            torch.bmm(h[t + 1], out[t, ..., None], out=y[t, ..., None])
        ctx.save_for_backward(x, delta, A, into, out, h, fade)
        return y.transpose(0, 1), h[-1].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_y: Tensor, of_h: Tensor) -> tuple[Tensor, ...]:
        x, delta, A, into, out, h, fade = ctx.saved_tensors
        of_y, g, taken = _time_first(of_y), of_h.clone(), delta * x
        of_taken, of_delta = torch.empty_like(x), torch.empty_like(delta)
        of_into, of_out, of_A = torch.empty_like(into), torch.empty_like(out), torch.zeros_like(g)
        step = torch.empty_like(g)
        for t in reversed(range(len(x))):
            torch.bmm(of_y[t, :, None], h[t + 1], out=of_out[t, :, None])
            g.addcmul_(of_y[t, ..., None], out[t, :, None])  # ∂L/∂h_t, from y_t and from later
            torch.bmm(g, into[t, ..., None], out=of_taken[t, ..., None])
            torch.bmm(taken[t, :, None], g, out=of_into[t, :, None])
            torch.mul(g.mul_(fade[t]), h[t], out=step)  # ∂L/∂(Δ_t A)
            of_A.addcmul_(step, delta[t, ..., None])
            torch.sum(step.mul_(A), -1, out=of_delta[t])
        of_delta.addcmul_(of_taken, x)
        grads = map(_batch_first, (of_taken.mul_(delta), of_delta, of_into, of_out))
        of_x, of_delta, of_into, of_out = grads
        return of_x, of_delta, of_A.sum(0), of_into, of_out, g


def _time_first(x: Tensor) -> Tensor:
    return x.transpose(0, 1).contiguous()


def _batch_first(x: Tensor) -> Tensor:
    return x.transpose(0, 1)

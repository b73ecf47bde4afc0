"""The selective state space, Mamba's mixer (Gu and Dao 2023, sections 2, 3.2 and 3.4).

Each of I channels carries a state of N numbers, which fades and takes in what the token says:

    Δ_t = softplus(W_Δ x_t + b)                  how much this token counts     [I]
    h_t = exp(Δ_t A) h_{t−1} + (Δ_t x_t) B_t     A < 0: how fast numbers fade   [I, N]
    y_t = h_t C_t + D x_t                        C_t: what is read out          [I]

Δ, B and C are made from the token itself, which makes the state **selective**: a token can be kept
or passed over by what it is. The state has I · N numbers however long the text is. The recurrence
runs step by step or as a parallel scan, see ``selective_scan``.

    block = SelectiveStateSpace(width=64)
    y, state = block(x)
    y, state = block(x_new, state)               # goes on from there, a token or more
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.attention.checks import require_positive, require_vectors, require_whole
from attnlab.attention.convolution import ShortConvolution
from attnlab.attention.selective_scan import selective_scan

STEPS = (0.001, 0.1)
"""Between these Δ begins (section 3.6), unless one says otherwise."""


@dataclass(frozen=True)
class StateSpaceState:
    """All that is kept of the tokens so far: its size does not depend on how many they were.

    Attributes:
        inputs: the last w − 1 inputs of the convolution.
        channels: h, N numbers for each of I channels.
    """

    inputs: Float[Tensor, "B w I"]
    channels: Float[Tensor, "B I N"]

    @property
    def numbers(self) -> int:
        return self.inputs.numel() + self.channels.numel()


class SelectiveStateSpace(nn.Module):
    """The whole mixer: in, convolution, selective scan, gate, out.

    Weights have the names of the published models, whose files fit.

    Args:
        width: M.
        inner: I, the channels; 2 M when None.
        state_size: N.
        rank: of the matrix that makes Δ; M / 16 when None.
        convolution: tokens that the convolution mixes.
        steps: least and most of Δ at first.
        fade: A begins at −fade · (1, …, N): the smaller, the longer a new block remembers.

    Raises:
        ValueError: a size is below 1, or ``steps`` or ``fade`` is not above 0.
    """

    def __init__(
        self,
        width: int,
        inner: int | None = None,
        state_size: int = 16,
        rank: int | None = None,
        convolution: int = 4,
        steps: tuple[float, float] = STEPS,
        fade: float = 1.0,
    ) -> None:
        super().__init__()
        inner = 2 * width if inner is None else inner
        rank = math.ceil(width / 16) if rank is None else rank
        require_whole(width=width, inner=inner, state_size=state_size, rank=rank)
        require_positive(least_step=steps[0], most_step=steps[1], fade=fade)
        self.sizes = (rank, state_size, state_size)
        self.in_proj = nn.Linear(width, 2 * inner, bias=False)
        self.conv1d = ShortConvolution(inner, convolution)
        self.x_proj = nn.Linear(inner, sum(self.sizes), bias=False)
        self.dt_proj = nn.Linear(rank, inner)
        first = fade * torch.arange(1.0, state_size + 1)
        self.A_log = nn.Parameter(first.log().repeat(inner, 1))  # S4D-real (section 3.6)
        self.D = nn.Parameter(torch.ones(inner))
        self.out_proj = nn.Linear(inner, width, bias=False)
        self._begin_steps(*map(math.log, steps))

    @torch.no_grad()
    def _begin_steps(self, least: float, most: float) -> None:
        """Δ spread evenly, on a scale of powers, between these logarithms."""
        delta = torch.exp(torch.empty_like(self.dt_proj.bias).uniform_(least, most))
        self.dt_proj.bias.copy_(delta + torch.log(-torch.expm1(-delta)))  # softplus undone
        nn.init.uniform_(self.dt_proj.weight, -(self.sizes[0] ** -0.5), self.sizes[0] ** -0.5)

    def forward(
        self,
        x: Float[Tensor, "B n M"],
        state: StateSpaceState | None = None,
        *,
        form: str = "parallel",
    ) -> tuple[Float[Tensor, "B n M"], StateSpaceState]:
        """What each position gathers from itself and the past, and the state after the last.

        Raises:
            ValueError: ``x`` has another shape or nothing in it, or there is no such form.
        """
        require_vectors("x", x, self.in_proj.in_features)
        x, gate = self.in_proj(x).chunk(2, -1)
        x, inputs = self.conv1d(x, None if state is None else state.inputs)
        x = F.silu(x)
        delta, B, C = self.x_proj(x).split(self.sizes, -1)
        delta = F.softplus(self.dt_proj(delta))
        start = None if state is None else state.channels
        y, channels = selective_scan(x, delta, -self.A_log.exp(), B, C, start, form=form)
        y = (y + self.D * x) * F.silu(gate)
        return self.out_proj(y), StateSpaceState(inputs, channels)

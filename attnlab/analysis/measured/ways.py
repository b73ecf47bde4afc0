"""What is measured: the same attention over n tokens in several ways, and what it competes with.

Every way gets inputs of the same sizes, drawn at random in float32: the numbers do not matter for
what they cost. ``SHAPE`` is one layer's: H = 4 heads of D = E = 64, so M = 256.

    naive       softmax(q kᵀ) v with every score in memory at once        Vaswani et al. 2017
    tiled       the same in tiles, none of which outlives its step         Dao et al. 2022
    window      the same, tiles outside a band skipped: the last WINDOW tokens
    linear      no softmax; a sum of D × E numbers is carried along        Katharopoulos et al. 2020
    state       a selective scan: N numbers a channel are carried along    Gu & Dao 2023
    cached      one new query against n kept keys                          a step of generation
    layer       naive, with the four projections around it
    recurrent   h ← tanh(W h + U x), a step a token                        Elman 1990
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from attnlab.attention import attend, linear_attention
from attnlab.attention import tiled as in_tiles
from attnlab.attention.masks import Window
from attnlab.attention.selective_scan import selective_scan

Prepared = Callable[[], Tensor]
"""Runs once what was prepared."""


@dataclass(frozen=True)
class Shape:
    """H heads of D numbers; ``width`` of all of them."""

    heads: int = 4
    size: int = 64

    @property
    def width(self) -> int:
        return self.heads * self.size


SHAPE: Final = Shape()
WINDOW: Final = 128
"""Tokens that the sliding window holds."""
STATE: Final = 16
"""N, the numbers that a state space model carries along for each channel."""


def _heads(n: int, count: int = 3) -> list[Tensor]:
    """``count`` tensors [1, H, n, D]."""
    return [torch.randn(1, SHAPE.heads, n, SHAPE.size) for _ in range(count)]


def naive(n: int) -> Prepared:
    """All n² scores at once."""
    q, k, v = _heads(n)
    return lambda: attend(q, k, v, causal=True, tile=n)


def tiled(n: int) -> Prepared:
    """A tile of scores at a time."""
    q, k, v = _heads(n)
    return lambda: in_tiles(q, k, v, causal=True)


def window(n: int) -> Prepared:
    """A tile of scores at a time, along the diagonal only."""
    q, k, v = _heads(n)
    return lambda: in_tiles(q, k, v, Window(WINDOW))


def linear(n: int) -> Prepared:
    """Chunk by chunk, the state between chunks."""
    q, k, v = _heads(n)
    return lambda: linear_attention(q, k, v)[0]


def state(n: int) -> Prepared:
    """Token by token: what a step needs stays in the processor's cache."""
    x, delta = torch.randn(1, n, SHAPE.width), torch.rand(1, n, SHAPE.width) / 10
    fade = -torch.rand(SHAPE.width, STATE)
    into, out = torch.randn(2, 1, n, STATE)
    return lambda: selective_scan(x, delta, fade, into, out, form="sequential")[0]


def cached(n: int) -> Prepared:
    """The newest of n tokens, the others' keys and values kept."""
    k, v = _heads(n, 2)
    (q,) = _heads(1, 1)
    return lambda: attend(q, k, v)


def layer(n: int) -> Prepared:
    """W_Q, W_K, W_V, attention, W_O: what a token passes through, all tokens at once."""
    x = torch.randn(1, n, SHAPE.width)
    into = torch.randn(SHAPE.width, 3 * SHAPE.width) / SHAPE.width**0.5
    out = torch.randn(SHAPE.width, SHAPE.width) / SHAPE.width**0.5

    def run() -> Tensor:
        q, k, v = (x @ into).view(1, n, 3, SHAPE.heads, SHAPE.size).permute(2, 0, 3, 1, 4)
        z = attend(q, k, v, causal=True)
        return z.transpose(1, 2).reshape(1, n, SHAPE.width) @ out

    return run


def recurrent(n: int) -> Prepared:
    """A state of the same width, carried from token to token; what x adds is computed before."""
    x = torch.randn(n, SHAPE.width)
    into = torch.randn(SHAPE.width, SHAPE.width) / SHAPE.width**0.5
    back = torch.randn(SHAPE.width, SHAPE.width) / (2 * SHAPE.width**0.5)

    def run() -> Tensor:
        added, state, states = x @ into, torch.zeros(SHAPE.width), torch.empty_like(x)
        for at in range(n):
            state = torch.tanh(torch.addmv(added[at], back, state))
            states[at] = state
        return states

    return run


WAYS: Final[dict[str, Callable[[int], Prepared]]] = {
    "naive": naive,
    "tiled": tiled,
    "window": window,
    "linear": linear,
    "state": state,
    "cached": cached,
    "layer": layer,
    "recurrent": recurrent,
}

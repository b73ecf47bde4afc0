"""Figures read off maps of attention."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.trace.token import Token


def first_token_share(weights: Float[Tensor, "*L Q S"]) -> float:
    """The mean weight on the first token, over all heads and all queries but the first.

    The first query of a causal model has nowhere else to look, so it does not count. 0 for a
    text of one token.
    """
    return share_of(weights[..., 0])


def share_of(on_first: Float[Tensor, "*L Q"] | Sequence[Tensor]) -> float:
    """``first_token_share`` of the weights on the first key alone.

    Layers that differ in their number of heads come as a sequence of [H, Q].
    """
    layers = [on_first] if isinstance(on_first, Tensor) else on_first
    rows = torch.cat([layer[..., 1:].double().flatten() for layer in layers])
    return float(rows.mean()) if rows.numel() else 0.0


def row_sums(weights: Float[Tensor, "Q S"]) -> Float[Tensor, " Q"]:
    """The sum of each row: 1, less where a learned sink takes a share, 0 where nothing is seen."""
    return weights.double().sum(-1)


def sink_share(weights: Float[Tensor, "*L Q S"]) -> Float[Tensor, "*L Q"]:
    """What a learned sink takes of each row: 1 − its sum; 0 for a row that sees nothing."""
    sums = weights.double().sum(-1)
    return torch.where(sums > 0, 1 - sums, 0.0).clamp(min=0)


def last_word(tokens: Sequence[Token]) -> int:
    """The last position that is neither special nor punctuation; the last one if there is none."""
    for position in reversed(range(len(tokens))):
        token = tokens[position]
        if not token.special and any(ch.isalnum() for ch in token.text):
            return position
    return max(len(tokens) - 1, 0)

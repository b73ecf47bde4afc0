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


def share_of(on_first: Float[Tensor, "*L Q"]) -> float:
    """``first_token_share`` of the weights on the first key alone."""
    rows = on_first[..., 1:]
    return float(rows.double().mean()) if rows.numel() else 0.0


def row_sums(weights: Float[Tensor, "Q S"]) -> Float[Tensor, " Q"]:
    """The sum of each row: 1, less where a learned sink takes a share, 0 where nothing is seen."""
    return weights.double().sum(-1)


def first_difference(a: Sequence[Token], b: Sequence[Token]) -> int | None:
    """The first position at which two texts have different tokens; None where they are equal.

    Where one continues the other, that is the position after the shorter one's end.
    """
    pairs = zip(a, b, strict=False)
    found = next((i for i, (x, y) in enumerate(pairs) if x.id != y.id), None)
    if found is None and len(a) != len(b):
        return min(len(a), len(b))
    return found


def last_word(tokens: Sequence[Token]) -> int:
    """The last position that is neither special nor punctuation; the last one if there is none."""
    for position in reversed(range(len(tokens))):
        token = tokens[position]
        if not token.special and any(ch.isalnum() for ch in token.text):
            return position
    return max(len(tokens) - 1, 0)


def pooled(weights: Float[Tensor, "*L Q S"], size: int = 64) -> Float[Tensor, "*L q s"]:
    """Maps reduced to at most size × size by the largest weight of each cell."""
    queries, keys = weights.shape[-2:]
    if max(queries, keys) <= size:
        return weights
    flat = weights.reshape(-1, 1, queries, keys)
    cell = -(-max(queries, keys) // size)
    small = torch.nn.functional.max_pool2d(flat, cell, ceil_mode=True)
    return small.reshape(*weights.shape[:-2], *small.shape[-2:])

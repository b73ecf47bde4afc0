"""Heads of a few plain kinds, found by what they do on one text."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.trace.site import Head


def previous_token(weights: Float[Tensor, "*L Q S"]) -> Float[Tensor, "*L"]:
    """The mean weight of each query on the token before it, over all queries but the first."""
    return _diagonal(weights, -1)


def next_token(weights: Float[Tensor, "*L Q S"]) -> Float[Tensor, "*L"]:
    """The mean weight of each query on the token after it, over all queries but the last."""
    return _diagonal(weights, 1)


def resting(weights: Float[Tensor, "*L Q S"]) -> Float[Tensor, "*L"]:
    """The mean weight on the first token, over all queries but the first: a head at rest."""
    return weights[..., 1:, 0].double().mean(-1)


def focused(weights: Float[Tensor, "*L Q S"]) -> Float[Tensor, "*L"]:
    """The mean over queries past the first of the largest weight on another token than the first.

    Where queries and keys are the same tokens, a token's weight on itself does not count either.
    """
    away = weights.double().clone()
    if away.shape[-2] == away.shape[-1]:
        away.diagonal(0, -2, -1).zero_()
    return away[..., 1:, 1:].amax(-1).mean(-1)


def _diagonal(weights: Tensor, offset: int) -> Tensor:
    return weights.double().diagonal(offset, -2, -1).mean(-1)


def suggest(
    weights: Float[Tensor, "L H Q S"], layers: Sequence[int] | None = None, *, causal: bool = True
) -> dict[str, Head]:
    """A head of each kind on this text: the one that does it most, none of them twice.

    Kinds that the text is too short for, or that the mask rules out, are missing.
    """
    queries, keys = weights.shape[-2:]
    if queries < 3 or keys < 3:
        return {}
    kinds = {"resting": resting, "focused": focused}
    if queries == keys:
        kinds = {"previous word": previous_token, **kinds}
        if not causal:
            kinds["next word"] = next_token
    numbers = range(len(weights)) if layers is None else layers
    found: dict[str, Head] = {}
    for kind, score in kinds.items():
        scores = score(weights).nan_to_num(nan=-1.0)
        for taken in found.values():
            scores[list(numbers).index(taken[0]), taken[1]] = -1.0
        layer, head = divmod(int(torch.argmax(scores)), scores.shape[1])
        found[kind] = (numbers[layer], head)
    return found

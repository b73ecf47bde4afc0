"""ALiBi as models with attention code of their own are handed it (BLOOM, MPT).

Each layer is handed slope · key position, for every head; up to a number that is the same for the
whole row, which a softmax does not see, that is ALiBi's penalty on distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.errors import EditRefused
from attnlab.pretrained.order.rotary import Route, replaced
from attnlab.trace.edits.placed import STAGE, Placed, gone, placed_at
from attnlab.trace.run import current_run
from attnlab.trace.site import Site


def are_slopes(value: Any, heads: int, batch: int) -> bool:
    """Whether this is a bias [H or B · H, 1, S] that rises evenly with the key, in each head."""
    if not isinstance(value, Tensor) or not value.is_floating_point() or value.dim() != 3:
        return False
    if value.shape[0] not in (heads, batch * heads) or value.shape[1] != 1 or value.shape[2] < 3:
        return False
    steps = value[:heads, 0].double().diff(dim=1)
    first = steps[:, :1]
    return bool((first != 0).all()) and bool(torch.allclose(steps, first.expand_as(steps)))


def install_slopes(module: nn.Module, repeats: Sequence[tuple[Route, Site]]) -> None:
    """Take the bias away where the run wants none."""

    def hook(module: nn.Module, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
        run = current_run()
        if run is None or not run.asks(STAGE):
            return None
        count = run.nth_call(f"slopes {repeats[0][0].path}")
        route, site = repeats[count % len(repeats)]
        if not run.edits(STAGE, site):
            return None
        key = route.argument
        bias = kwargs[key] if isinstance(key, str) else args[key]
        return replaced(args, kwargs, key, _without(bias, placed_at(run, site), site.heads))

    module.register_forward_pre_hook(hook, with_kwargs=True)


def _without(
    bias: Tensor, groups: list[tuple[tuple[Placed, ...], list[int]]], heads: int
) -> Tensor:
    taken = [rows for bounds, rows in groups if gone(bounds)]
    if not taken:
        return bias  # a shift changes no distance
    if len(groups) == 1:
        return torch.zeros_like(bias)
    batch = sum(len(rows) for _, rows in groups)
    if bias.shape[0] != batch * heads:
        raise EditRefused("This model has one bias for a whole batch: run these texts apart.")
    apart = bias.view(batch, heads, *bias.shape[1:]).clone()
    for rows in taken:
        apart[rows] = 0
    return apart.view_as(bias)

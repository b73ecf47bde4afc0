"""ALiBi as models with attention code of their own are handed it (BLOOM, MPT).

Each layer is handed slope · key position, for every head; up to a number that is the same for the
whole row, which a softmax does not see, that is ALiBi's penalty on distance.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from attnlab.errors import EditRefused
from attnlab.trace.edits.placed import gone, placed_at
from attnlab.trace.run import Run
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


def slopes_at(run: Run, bias: Tensor, site: Site) -> Tensor:
    """The bias that a layer is handed, taken away where the run wants none.

    Raises:
        EditRefused: rows of a batch differ in it, and the model has one for all of them.
    """
    groups = placed_at(run, site)
    taken = [rows for bounds, rows in groups if gone(bounds)]
    if not taken:
        return bias  # a shift changes no distance
    if len(groups) == 1:
        return torch.zeros_like(bias)
    batch = sum(len(rows) for _, rows in groups)
    if bias.shape[0] != batch * site.heads:
        raise EditRefused("This model has one bias for a whole batch: run these texts apart.")
    apart = bias.view(batch, site.heads, *bias.shape[1:]).clone()
    for rows in taken:
        apart[rows] = 0
    return apart.view_as(bias)

"""A bias on the scores that a model passes to our attention beside its mask (T5)."""

from __future__ import annotations

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.errors import EditRefused
from attnlab.trace.edits.placed import STAGE, Placed, gone, permuted, placed_at
from attnlab.trace.run import Run
from attnlab.trace.site import Site


def placed_bias(bias: Tensor | None, run: Run, site: Site, where: Where) -> Tensor | None:
    """The bias [#B, H, Q, S] of a call, as the rows of the batch have it.

    It counts distances, so it is not made anew but looked up: the bias between two tokens is that
    between the positions that they claim.
    """
    if bias is None or not run.edits(STAGE, site):
        return bias
    groups = placed_at(run, site)
    if len(groups) == 1:
        return _looked_up(bias, groups[0][0], where)
    whole = bias.expand(run.batch, *bias.shape[1:]).clone()
    for bounds, rows in groups:
        if bounds:
            own = bias if bias.shape[0] == 1 else bias[rows]
            whole[rows] = _looked_up(own, bounds, where)
    return whole


def _looked_up(bias: Tensor, bounds: tuple[Placed, ...], where: Where) -> Tensor:
    if gone(bounds):
        return torch.zeros_like(bias)
    for axis, places in ((2, where.queries), (3, where.keys)):
        here = torch.arange(places.start, places.stop, device=bias.device)
        index = permuted(bounds, here) - places.start
        if int(index.min()) < 0 or int(index.max()) >= len(places):
            raise EditRefused(f"{bounds[0].edit} needs the whole text at once: use_cache=False.")
        if bias.shape[axis] > 1:
            bias = bias.index_select(axis, index)
    return bias

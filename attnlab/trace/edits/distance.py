"""ALiBi's penalty (Press et al. 2022, section 3) taken off scores that a run shows in tiles."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.attention.positions.alibi import slopes


def penalizing(heads: tuple[int, ...] | None) -> Callable[[str, Tensor, Where], Tensor]:
    """What takes slope · distance off scores [B, H, Q, S]: of these heads, or of all (None)."""

    def change(stage: str, scores: Tensor, where: Where) -> Tensor:
        # Half precision cannot tell 257 tokens from 256: count in float32 at least.
        wide = torch.promote_types(scores.dtype, torch.float32)
        slope = torch.tensor(slopes(scores.shape[1]), dtype=wide, device=scores.device)
        if heads is not None:
            kept = torch.zeros_like(slope)
            kept[list(heads)] = 1
            slope = slope * kept
        queries, keys = (
            torch.arange(places.start, places.stop, dtype=wide, device=scores.device)
            for places in (where.queries, where.keys)
        )
        distance = (queries[:, None] - keys).abs()
        near = torch.addcmul(scores.to(wide), slope[:, None, None], distance, value=-1)
        if _is_kept(stage, where):
            return near.to(scores.dtype)
        return _without_traces(near, slope * distance.max()).to(scores.dtype)

    return change


def _is_kept(stage: str, where: Where) -> bool:
    """Whether the run under way keeps these scores, to be read as they are."""
    from attnlab.trace.run import current_run  # which imports the edits

    run = current_run()
    return run is not None and run.store.wants(stage, where.site.role, where.site.layer)


def _without_traces(scores: Tensor, penalty: Tensor) -> Tensor:
    """−∞ where a weight would be far below rounding: products with numbers that near the smallest
    one take ten times as long. ``penalty`` [H]: how much a head takes off at most."""
    least = math.log(2**24 * torch.finfo(scores.dtype).tiny)
    for head in (penalty > -least / 2).nonzero().flatten().tolist():
        own = scores[:, head]
        own.masked_fill_(own < own.detach().amax(-1, keepdim=True) + least, -torch.inf)
    return scores

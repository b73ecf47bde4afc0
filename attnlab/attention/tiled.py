"""Exact attention in tiles, without ever holding all the scores (FlashAttention).

Dao et al. 2022, algorithm 1, with the loops turned inside out as in Dao 2023 ("FlashAttention-2",
algorithms 1 and 2): the result is that of ``attend``, and memory grows with n, not with n². What
each step does is written out in ``tiles``. Backward, the scores are computed again, a tile at a
time, from what is kept of each query: one number, log Σ exp(score).
"""

from __future__ import annotations

from typing import Any, Final

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from attnlab.attention.checks import require_filled
from attnlab.attention.choice import Call, band_of, kernel_serves
from attnlab.attention.grid import AnyMask, Grid
from attnlab.attention.tile_gradients import gradients
from attnlab.attention.tile_scores import Bias, Scores, Setting
from attnlab.attention.tile_sums import gather

TILE: Final = (256, 256)
"""Queries and keys in a tile: on a processor with 2 MiB of cache to a core the fastest of those
tried."""
TILE_ELSEWHERE: Final = (1024, 1024)
"""On other devices, where a step must be worth its start."""


def tiled(
    q: Float[Tensor, "B H Q D"],
    k: Float[Tensor, "#B K S D"],
    v: Float[Tensor, "#B K S E"],
    mask: AnyMask = None,
    *,
    bias: Float[Tensor, "#B #H #Q #S"] | Bias | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    sinks: Float[Tensor, " H"] | None = None,
    causal: bool = False,
    start: int | None = None,
    tile: tuple[int, int] | None = None,
) -> Float[Tensor, "B H Q E"]:
    """What ``attend`` gives, from tiles of queries and keys; gradients too.

    Args:
        q, k, v, scale, softcap, sinks: as ``attend`` takes them.
        mask: a question about positions (``attnlab.attention.masks``), which is asked tile by
            tile, or any form that ``Mask.of`` reads. Tiles in which nobody sees anything cost
            nothing, so a sliding window costs n · w.
        bias: added to the scaled scores: a tensor, or a function of positions such as the
            ``bias`` of ``positions.Alibi``, which is asked tile by tile too.
        causal: hide the future where ``mask`` is None.
        start: position of the first query; when None the last query sits at the last key, or, of
            more queries than keys, the first at the first.
        tile: queries and keys in a tile; ``TILE`` when None.

    Returns:
        z, per-head outputs; zeros for a query that sees no key. Computed in float32 at least. A
        query of which every score is −∞, or the least number there is, counts as one that sees
        none: ``attend`` makes no number of the first, and goes by the remainder of the second.

    Raises:
        ValueError: H is not a multiple of K, there is no query or no key, a tile is of less than
            one, or a bias that is a function has weights to learn: no gradient would reach them.
    """
    require_filled(q=q, k=k, v=v)
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"{q.shape[1]} query heads cannot share {k.shape[1]} key/value heads")
    tile = tile or (TILE if q.device.type == "cpu" else TILE_ELSEWHERE)
    grid = Grid(mask, q.shape[2], k.shape[2], tile, start=start, causal=causal, device=q.device)
    given = bias if isinstance(bias, Tensor) else None
    setting = Setting(
        grid=grid,
        scale=q.shape[-1] ** -0.5 if scale is None else scale,
        softcap=softcap,
        bias=None if bias is given else _fixed(bias, q.device),
    )
    k, v = (x.expand(len(q), *x.shape[1:]) for x in (k, v))
    return _Tiled.apply(q, k, v, given, grid.mask.bias, sinks, setting)


def _fixed(bias: Bias, device: torch.device) -> Bias:
    """Raises ValueError where gradients would have to pass through a function."""
    here = torch.zeros(1, 1, dtype=torch.long, device=device)
    if bias(here, here, torch.float32).requires_grad:
        raise ValueError(
            "a bias that is a function gets no gradient here; pass it as a tensor, or keep its "
            "weights from learning"
        )
    return bias


class _Tiled(torch.autograd.Function):
    """Keeps its arguments, z and one number a query; no scores and no weights."""

    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        bias: Tensor | None,
        mask_bias: Tensor | None,
        sinks: Tensor | None,
        setting: Setting,
    ) -> Tensor:
        biases = tuple(x for x in (bias, mask_bias) if x is not None)
        added = (setting.softcap, setting.bias, sinks, *biases)
        kept = any(ctx.needs_input_grad)
        z, log_sum = _by_kernel(q, k, v, setting, added) or gather(
            Scores(q, k, biases, setting), q, v, sinks, kept
        )
        if kept:
            ctx.save_for_backward(q, k, v, bias, mask_bias, sinks, z, log_sum)
            ctx.setting = setting
        return z

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dz: Tensor) -> tuple[Tensor | None, ...]:
        return gradients(dz, *ctx.saved_tensors, ctx.setting, ctx.needs_input_grad)


def _by_kernel(
    q: Tensor, k: Tensor, v: Tensor, setting: Setting, added: tuple[object, ...]
) -> tuple[Tensor, Tensor] | None:
    """What the GPU's kernel gives; None where it does not serve."""
    grid = setting.grid
    mask = grid.mask.visible if grid.asked is None else None
    if mask is None:
        mask = band_of(grid.asked)
    if mask is None or not kernel_serves(Call.of(q, k, v, added)):
        return None
    from attnlab.attention.triton_kernel import forward  # Triton may not be there

    return forward(q, k, v, mask, setting.scale, grid.start)

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

from attnlab.attention.grid import AnyMask, Cell, Grid
from attnlab.attention.tile_gradients import gradients
from attnlab.attention.tile_scores import Bias, Part, Scores, Setting

TILE: Final = (256, 512)
"""Queries and keys in a tile: on a processor with 2 MiB of cache to a core the fastest of those
tried; ``benchmarks/attention.py`` measures it."""


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
        start: position of the first query; the last query sits at the last key when None.
        tile: queries and keys in a tile; ``TILE`` when None.

    Returns:
        z, per-head outputs; zeros for a query that sees no key. Computed in float32 at least.

    Raises:
        ValueError: H is not a multiple of K, a tile of less than one query or key, or a bias that
            is a function has weights to learn: no gradient would reach them.
    """
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"{q.shape[1]} query heads cannot share {k.shape[1]} key/value heads")
    grid = Grid(
        mask, q.shape[2], k.shape[2], tile or TILE, start=start, causal=causal, device=q.device
    )
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
        work, wide = Scores(q, k, biases, setting), torch.promote_types(q.dtype, torch.float32)
        # [B, Q, H, E] in memory: the layout in which the output projection reads it.
        z = q.new_empty(q.shape[0], q.shape[2], q.shape[1], v.shape[-1]).transpose(1, 2)
        log_sum = q.new_empty(q.shape[:3], dtype=wide)
        flat_v = v.flatten(0, 1)
        for rows in setting.grid.rows:
            cells = list(setting.grid.cells(rows))
            for part in work.parts:
                here = part.texts, part.heads, slice(rows.start, rows.stop)
                z[here], log_sum[here] = _of_rows(work, flat_v, sinks, part, rows, cells)
        if any(ctx.needs_input_grad):
            ctx.save_for_backward(q, k, v, bias, mask_bias, sinks, z, log_sum)
            ctx.setting = setting
        return z

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dz: Tensor) -> tuple[Tensor | None, ...]:
        return gradients(dz, *ctx.saved_tensors, ctx.setting, ctx.needs_input_grad)


def _of_rows(
    work: Scores, v: Tensor, sinks: Tensor | None, part: Part, rows: range, cells: list[Cell]
) -> tuple[Float[Tensor, "b h q E"], Float[Tensor, "b h q"]]:
    """Some queries of some heads against all their keys: z, and the log of their sum."""
    q = work.rows_of(work.q, part, rows)
    highest, total = _begin(q, sinks, part, rows)
    gathered = q.new_zeros(*q.shape[:2], v.shape[-1])
    for cell in cells:
        scores = work.of(q, part, rows, cell)
        before, highest = highest, torch.maximum(highest, scores.amax(-1, keepdim=True))
        shrink = before.sub_(highest).exp_()
        weights = work.weights(scores, highest, part, rows, cell)
        total.mul_(shrink).add_(weights.sum(-1, keepdim=True))
        gathered.mul_(shrink).baddbmm_(weights, work.keys_of(v, part, cell.keys))
    # A query that saw nothing: zeros, and weights of zero when they are computed again.
    dead = highest == torch.finfo(q.dtype).min
    gathered.div_(total).masked_fill_(dead, 0)
    log_sum = total.log_().add_(highest).masked_fill_(dead, torch.inf)
    return part.by_head(gathered, rows), part.by_head(log_sum, rows)[..., 0]


def _begin(
    q: Tensor, sinks: Tensor | None, part: Part, rows: range
) -> tuple[Float[Tensor, "n r 1"], Float[Tensor, "n r 1"]]:
    """The highest score and the sum of weights before any key: of a sink, which has no value."""
    shape = (*q.shape[:2], 1)
    if sinks is None:
        # The lowest number and not −∞: −∞ − −∞ would be no number.
        return q.new_full(shape, torch.finfo(q.dtype).min), q.new_zeros(shape)
    first = sinks[part.heads].to(q.dtype)[None, :, None, None]
    texts = part.texts.stop - part.texts.start
    return first.expand(texts, -1, len(rows), 1).reshape(shape).clone(), q.new_ones(shape)

"""Gradients of ``tiled``, from scores that are computed again (Dao et al. 2022, appendix B.4).

With p = exp(s − log Σ exp s) the weights, s the masked scores and Δ = Σ_e dz · z of each query:

    dv = pᵀ dz      dp = dz vᵀ      ds = p (dp − Δ)      dq = scale · ds k      dk = scale · dsᵀ q

and db = ds. A sink has p = exp(sink − log Σ exp s) and no value, so its gradient is −Σ p Δ; a
softcap c multiplies what goes on to q and k by 1 − tanh²(s / c).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.grid import Cell
from attnlab.attention.mask import block_of
from attnlab.attention.tile_scores import Keys, Part, Scores, Setting


def gradients(
    dz: Float[Tensor, "B H Q E"],
    q: Float[Tensor, "B H Q D"],
    k: Float[Tensor, "B K S D"],
    v: Float[Tensor, "B K S E"],
    bias: Float[Tensor, "#B #H #Q #S"] | None,
    mask_bias: Float[Tensor, "#B #H #Q #S"] | None,
    sinks: Float[Tensor, " H"] | None,
    z: Float[Tensor, "B H Q E"],
    log_sum: Float[Tensor, "B H Q"],
    setting: Setting,
    needed: tuple[bool, ...],
) -> tuple[Tensor | None, ...]:
    """Of q, k, v, bias, mask_bias, sinks and (None) the setting.

    Args:
        log_sum: log Σ exp(score) of each query, +∞ for one that sees nothing.
        needed: for each of those, whether its gradient is asked for.
    """
    biases = tuple(x for x in (bias, mask_bias) if x is not None)
    work = Scores(q, k, biases, setting)
    dq, dk, dv = (torch.zeros_like(x, dtype=work.wide).contiguous() for x in (q, k, v))
    db = [torch.zeros_like(x, dtype=work.wide) for x in biases]
    delta = (dz * z).sum(-1, dtype=work.wide)
    by_query = (work.by_group(x) for x in (dz, log_sum[..., None], delta[..., None]))
    keys = (Keys(x, work.wide) for x in (dk, dv))
    held = _Pass(work, Keys(v, work.wide), *by_query, dq, *keys, db)
    for rows in setting.grid.rows:
        cells = list(setting.grid.cells(rows))
        for part in work.parts:
            held.add(part, rows, cells)
    dsinks = None
    if sinks is not None:
        # A row that sees nothing has log_sum = sink; it has no ∞ here.
        weights = torch.exp(sinks.to(work.wide)[:, None] - log_sum)
        dsinks = -(weights * delta).sum((0, 2))
    db = iter(db)
    all_biases = (None if x is None else next(db) for x in (bias, mask_bias))
    found = zip((dq, dk, dv, *all_biases, dsinks), (q, k, v, bias, mask_bias, sinks), strict=True)
    wanted = zip(found, needed, strict=False)
    return (
        *(dx.to(x.dtype) if asked and x is not None else None for (dx, x), asked in wanted),
        None,
    )


@dataclass
class _Pass:
    """One backward pass: what it reads, and the sums that every tile adds to."""

    work: Scores
    v: Keys
    dz: Tensor
    log_sum: Tensor
    delta: Tensor
    dq: Tensor
    dk: Keys
    dv: Keys
    db: list[Tensor]

    def add(self, part: Part, rows: range, cells: list[Cell]) -> None:
        """Some queries of some heads against all their keys."""
        work, scale = self.work, self.work.setting.scale
        read = (work.q, self.dz, self.log_sum, self.delta)
        q, dz, log_sum, delta = (work.rows_of(x, part, rows) for x in read)
        dq = torch.zeros_like(q)
        for cell in cells:
            scores = work.of(q, part, rows, cell)
            weights = work.weights(scores, log_sum, part, rows, cell)
            self.dv.of(part, cell.keys)[0].baddbmm_(weights.mT, dz)
            ds = work.buffer("gradients", *weights.shape)
            torch.bmm(dz, self.v.of(part, cell.keys)[1], out=ds)
            ds.sub_(delta).mul_(weights)
            self._add_to_biases(part.by_head(ds, rows), part, rows, cell)
            if work.setting.softcap is not None:
                capped = work.buffer("capped", *weights.shape)
                ds.mul_(capped.square_().neg_().add_(1))
            dq.baddbmm_(ds, work.k.of(part, cell.keys)[0], alpha=scale)
            self.dk.of(part, cell.keys)[0].baddbmm_(ds.mT, q, alpha=scale)
        self.dq[part.texts, part.heads, rows.start : rows.stop] = part.by_head(dq, rows)

    def _add_to_biases(
        self, ds: Float[Tensor, "b h q s"], part: Part, rows: range, cell: Cell
    ) -> None:
        for db in self.db:
            here = part.of(block_of(db, rows, cell.keys))
            here += ds.sum_to_size(here.shape)

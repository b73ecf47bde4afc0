"""Exact attention, one tile after another, with everything a tile leaves behind in view.

    for each block of queries:
        m, l, z = −∞, 0, 0                    highest score so far, sum of the weights, output
        for each block of keys:
            s = scale · q kᵀ + bias + mask    a few scores, gone after this step
            m' = max(m, max s)
            p = exp(s − m');  shrink = exp(m − m')
            l = shrink · l + Σ p
            z = shrink · z + p v
        output z / l

This is FlashAttention (Dao et al. 2022, algorithm 1; queries outside, keys inside as in Dao 2023)
on the online softmax of Milakov & Gimelshein (2018). Nothing is approximated: a sum begun with too
low a maximum is put right by one factor when a higher one turns up. ``tiled`` is the same, fast and
in less memory: here every query head has a copy of its keys and values, and of each tile all heads
are computed at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.checks import require_filled
from attnlab.attention.grid import AnyMask, Cell, Grid
from attnlab.attention.mask import block_of


@dataclass(frozen=True)
class Tile:
    """One tile and the sums after it.

    Attributes:
        queries, keys: the tile, counted from 0 in this call.
        skipped: nobody in it sees anything, so nothing was computed and nothing has changed.
        scores: scaled, with biases, −∞ where hidden, [B, H, q, s]; None where skipped.
        highest: m, the highest score so far of each query, [B, H, q]; −∞ before any.
        shrink: exp(m before − m after), by which the earlier sums were multiplied, [B, H, q].
        total: l, the sum of exp(score − m) so far, [B, H, q].
        z: what is gathered so far, divided by the sum, [B, H, q, E]. After the last keys it is
            the output.
    """

    queries: range
    keys: range
    skipped: bool
    scores: Float[Tensor, "B H q s"] | None
    highest: Float[Tensor, "B H q"]
    shrink: Float[Tensor, "B H q"]
    total: Float[Tensor, "B H q"]
    z: Float[Tensor, "B H q E"]

    @property
    def weights(self) -> Float[Tensor, "B H q s"] | None:
        """exp(score − m), as this tile adds them up, not yet divided; None where skipped."""
        if self.scores is None:
            return None
        return torch.exp(self.scores - _finite(self.highest)[..., None])


def tiles(
    q: Float[Tensor, "B H Q D"],
    k: Float[Tensor, "#B K S D"],
    v: Float[Tensor, "#B K S E"],
    mask: AnyMask = None,
    *,
    tile: tuple[int, int],
    bias: Float[Tensor, "#B #H #Q #S"] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    causal: bool = False,
    start: int | None = None,
) -> Iterator[Tile]:
    """Every tile in the order in which it is computed, the skipped ones too.

    Args:
        q, k, v, bias, scale, softcap: as ``attend`` takes them.
        mask, causal, start: as ``tiled`` takes them.
        tile: queries and keys in a tile.

    Raises:
        ValueError: H is not a multiple of K, there is no query or no key, or a tile is of less
            than one.
    """
    require_filled(q=q, k=k, v=v)
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"{q.shape[1]} query heads cannot share {k.shape[1]} key/value heads")
    grid = Grid(mask, q.shape[2], k.shape[2], tile, start=start, causal=causal, device=q.device)
    group = q.shape[1] // k.shape[1]
    setting = _Setting(
        *(x.to(torch.promote_types(x.dtype, torch.float32)) for x in (q, k, v)),
        scale=q.shape[-1] ** -0.5 if scale is None else scale,
        softcap=softcap,
        biases=[x for x in (bias, grid.mask.bias) if x is not None],
    )
    setting.k, setting.v = (x.repeat_interleave(group, 1) for x in (setting.k, setting.v))
    for rows in grid.rows:
        yield from _of_rows(rows, grid, setting)


@dataclass
class _Setting:
    """What all tiles share; every query head has keys and values of its own here."""

    q: Tensor
    k: Tensor
    v: Tensor
    scale: float
    softcap: float | None
    biases: list[Tensor]

    def scores(self, rows: range, keys: range, cell: Cell) -> Float[Tensor, "B H q s"]:
        q, k = self.q[:, :, rows.start : rows.stop], self.k[:, :, keys.start : keys.stop]
        found = self.scale * q @ k.mT
        if self.softcap is not None:
            found = self.softcap * torch.tanh(found / self.softcap)
        for bias in self.biases:
            found = found + block_of(bias, rows, keys)
        seen = torch.zeros_like(found, dtype=torch.bool)
        seen[..., cell.keys.start - keys.start : cell.keys.stop - keys.start] = True
        if cell.table is not None:
            seen[..., cell.ragged.start - keys.start : cell.ragged.stop - keys.start] &= (
                cell.table.visible
            )
        return found.masked_fill(~seen, -torch.inf)


def _of_rows(rows: range, grid: Grid, setting: _Setting) -> Iterator[Tile]:
    """The tiles of some queries, first keys first."""
    queries = setting.q[:, :, rows.start : rows.stop]
    total = queries.new_zeros(queries.shape[:3])
    highest = torch.full_like(total, -torch.inf)
    gathered = total.new_zeros(*total.shape, setting.v.shape[-1])
    for keys in grid.columns:
        cell, scores, shrink = grid.cell(rows, keys), None, torch.ones_like(total)
        if cell is not None:
            scores = setting.scores(rows, keys, cell)
            before, highest = highest, torch.maximum(highest, scores.amax(-1))
            shrink = torch.exp(before - _finite(highest))
            weights = torch.exp(scores - _finite(highest)[..., None])
            total = shrink * total + weights.sum(-1)
            here = setting.v[:, :, keys.start : keys.stop]
            gathered = shrink[..., None] * gathered + weights @ here
        z = gathered / total.masked_fill(total == 0, 1)[..., None]
        yield Tile(rows, keys, cell is None, scores, highest, shrink, total, z)


def _finite(highest: Tensor) -> Tensor:
    """A query that has seen nothing yet has no highest score; −∞ − −∞ is no number."""
    return highest.masked_fill(highest.isneginf(), 0)

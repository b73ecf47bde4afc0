"""The forward pass of ``tiled``: what each query gathers, tile by tile, and the sum it divides by.

Two ways. In general a running maximum is taken off every score before it is raised to a power of
e (the online softmax, written out in ``tiles``). Where no score can be large, by Cauchy and Schwarz

    |scale · q·k| ≤ scale · ‖q‖ ‖k‖ ≤ ``SAFE``

nothing can overflow or vanish, so no maximum is needed: a third of the passes over the scores.
"""

from __future__ import annotations

from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.grid import Cell
from attnlab.attention.tile_scores import Keys, Part, Scores

SAFE: Final = 50.0
"""exp(±50) times a million is far from both ends of float32."""

Sums = tuple[Float[Tensor, "m r E"], Float[Tensor, "m r 1"], Float[Tensor, "m r 1"] | int]
"""Σ exp(score − m) v, Σ exp(score − m), and m: the highest score of each query, or 0."""


def gather(
    work: Scores,
    q: Float[Tensor, "B H Q D"],
    v: Float[Tensor, "B K S E"],
    sinks: Float[Tensor, " H"] | None,
    sums: bool,
) -> tuple[Float[Tensor, "B H Q E"], Float[Tensor, "B H Q"] | None]:
    """z, zeros for a query that sees no key; with ``sums``, log Σ exp(score) too, +∞ for that."""
    # [B, Q, H, E] in memory: the layout in which the output projection reads it.
    z = q.new_empty(q.shape[0], q.shape[2], q.shape[1], v.shape[-1]).transpose(1, 2)
    log_sum = q.new_empty(q.shape[:3], dtype=work.wide) if sums else None
    values, bounds = Keys(v, work.wide), _Bounds(work, sinks)
    for rows in work.setting.grid.rows:
        cells = list(work.setting.grid.cells(rows))
        for part in work.parts:
            here = part.texts, part.heads, slice(rows.start, rows.stop)
            if bounds.safe(part, rows):
                gathered, total, highest = _plainly(work, values, part, rows, cells)
                dead = total == 0
            else:
                gathered, total, highest = _online(work, values, sinks, part, rows, cells)
                dead = highest == torch.finfo(work.wide).min
            if log_sum is not None:
                found = total.log().add_(highest).masked_fill_(dead, torch.inf)
                log_sum[here] = part.by_head(found, rows)[..., 0]
            gathered /= total.masked_fill_(dead, torch.inf)
            z[here] = part.by_head(gathered, rows)
    return z, log_sum


class _Bounds:
    """How large scores can be at most, where nothing is added to them."""

    def __init__(self, work: Scores, sinks: Tensor | None) -> None:
        setting = work.setting
        added = (sinks, setting.bias, setting.softcap, *work.biases)
        self._q: Tensor | None = None
        if all(x is None for x in added):
            self._q = torch.linalg.vector_norm(work.q, dim=-1, dtype=work.wide)  # [n, g, Q]
            self._k = work.k.longest() * abs(setting.scale)  # [n]

    def safe(self, part: Part, rows: range) -> bool:
        """Whether these queries need no maximum. What is no number is not safe."""
        if self._q is None:
            return False
        longest = self._q[part.flat, :, rows.start : rows.stop].amax()
        return bool(longest * self._k[part.flat].amax() <= SAFE)


def _plainly(work: Scores, values: Keys, part: Part, rows: range, cells: list[Cell]) -> Sums:
    """Every score is raised to its power of e as it is."""
    q = work.rows_of(work.q, part, rows)
    total, gathered = q.new_zeros(*q.shape[:2], 1), q.new_zeros(*q.shape[:2], values.size)
    for cell in cells:
        weights = work.unmasked(q, part, cell).exp_()
        work.hide(weights, part, rows, cell)
        total += weights.sum(-1, keepdim=True)
        gathered.baddbmm_(weights, values.of(part, cell.keys)[0])
    return gathered, total, 0


def _online(
    work: Scores, values: Keys, sinks: Tensor | None, part: Part, rows: range, cells: list[Cell]
) -> Sums:
    """The highest score so far is taken off first; when it rises, the sums are put right."""
    q = work.rows_of(work.q, part, rows)
    highest, total = _begin(q, sinks, part, rows)
    gathered = q.new_zeros(*q.shape[:2], values.size)
    for cell in cells:
        scores = work.of(q, part, rows, cell)
        before, highest = highest, torch.maximum(highest, scores.amax(-1, keepdim=True))
        shrink = before.sub_(highest).exp_()
        weights = work.weights(scores, highest, part, rows, cell)
        total.mul_(shrink).add_(weights.sum(-1, keepdim=True))
        gathered.mul_(shrink).baddbmm_(weights, values.of(part, cell.keys)[0])
    return gathered, total, highest


def _begin(
    q: Float[Tensor, "m r D"], sinks: Float[Tensor, " H"] | None, part: Part, rows: range
) -> tuple[Float[Tensor, "m r 1"], Float[Tensor, "m r 1"]]:
    """The highest score and the sum of weights before any key: of a sink, which has no value."""
    shape = (*q.shape[:2], 1)
    if sinks is None:
        # The lowest number and not −∞: −∞ − −∞ would be no number.
        return q.new_full(shape, torch.finfo(q.dtype).min), q.new_zeros(shape)
    first = sinks[part.heads].to(q.dtype)[None, :, None, None]
    texts = part.texts.stop - part.texts.start
    return first.expand(texts, -1, len(rows), 1).reshape(shape).clone(), q.new_ones(shape)

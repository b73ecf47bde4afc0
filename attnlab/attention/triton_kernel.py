"""The forward pass of ``tiled`` as one GPU kernel in Triton (an optional package).

A program takes one block of queries of one head, keeps it and its sums on the chip, and runs over
the keys that somebody in the block sees: algorithm 1 of Dao 2023 ("FlashAttention-2"). Key/value
heads are read where they lie, however many query heads share them. Backward, ``tile_gradients``
computes the scores again.

A mask is one of three: none; a band, low ≤ query − key ≤ high (causal, sliding window); or a table
[#B, #H, #Q, #S] with a flag for each tile: nobody, some, everybody.
"""

from __future__ import annotations

from typing import no_type_check

import torch
import triton
import triton.language as tl
from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.attention.choice import Band


@triton.jit
@no_type_check  # compiled from its source: nothing may be wrapped around it
def _over(
    state, q, keys_at, values_at, table_at, flags_at, first, last, rows, keys, base, low, high,
    scale, k_n, v_n, m_k, D: tl.constexpr, E: tl.constexpr, block_d: tl.constexpr,
    block_e: tl.constexpr, step: tl.constexpr, checked: tl.constexpr, table: tl.constexpr,
):  # fmt: skip
    """The sums after the keys first..last; unless ``checked``, everybody sees them all.

    ``base``: position of query 0. Scores are in powers of 2, which the chip is fast at.
    """
    gathered, total, highest = state
    d, e = tl.arange(0, block_d), tl.arange(0, block_e)
    for at in range(first, last, step):
        flag = 1
        if table:
            flag = tl.load(flags_at + at // step).to(tl.int32)
        if flag > 0:
            here = at + tl.arange(0, step)
            far = here.to(tl.int64)  # a step's memory may lie beyond what 32 bits count
            inside = here < keys
            k_mask, v_mask = (d < D)[:, None], (e < E)[None, :]
            if checked:
                k_mask, v_mask = k_mask & inside[None, :], v_mask & inside[:, None]
            k = tl.load(keys_at + far[None, :] * k_n + d[:, None], mask=k_mask, other=0.0)
            scores = tl.dot(q, k, input_precision="ieee") * scale
            if checked:
                back = base + rows[:, None] - here[None, :]
                seen = inside[None, :] & (back >= low) & (back <= high)
                if table:
                    asked = seen & (here * 0 + flag < 2)[None, :]
                    may = tl.load(table_at + far[None, :] * m_k, mask=asked, other=1)
                    seen = seen & (may > 0)
                scores = tl.where(seen, scores, float("-inf"))
            before = highest
            highest = tl.maximum(highest, tl.max(scores, 1))
            # A query that has seen nothing yet: −∞ − −∞ would be no number.
            finite = tl.where(highest == float("-inf"), 0.0, highest)
            shrink = tl.exp2(before - finite)
            weights = tl.exp2(scores - finite[:, None])
            total = total * shrink + tl.sum(weights, 1)
            v = tl.load(values_at + far[:, None] * v_n + e[None, :], mask=v_mask, other=0.0)
            added = tl.dot(weights.to(v.dtype), v, input_precision="ieee")
            gathered = gathered * shrink[:, None] + added
    return gathered, total, highest


@triton.jit
@no_type_check  # compiled from its source: nothing may be wrapped around it
def _stretches(nearest, farthest, keys, low, high, step: tl.constexpr, table: tl.constexpr):
    """Keys that somebody of a block of queries sees, and among them those that everybody sees, in
    whole steps: the first, the first and the last of those, and the last."""
    first = tl.maximum(nearest - high, 0) // step * step
    last = tl.minimum(farthest - low + 1, keys)
    whole_first = (tl.maximum(farthest - high, 0) + step - 1) // step * step
    whole_last = tl.maximum(tl.minimum(nearest - low + 1, keys), 0) // step * step
    if table:
        whole_first, whole_last = last, last
    whole_first = tl.maximum(tl.minimum(whole_first, last), first)
    return first, whole_first, tl.maximum(whole_last, whole_first), last


@triton.jit
@no_type_check  # compiled from its source: nothing may be wrapped around it
def _sums(
    q, keys_at, values_at, table_at, flags_at, nearest, rows, keys, base, low, high, scale, k_n,
    v_n, m_k, D: tl.constexpr, E: tl.constexpr, block_d: tl.constexpr, block_e: tl.constexpr,
    block: tl.constexpr, step: tl.constexpr, table: tl.constexpr,
):  # fmt: skip
    """The sums of a block of queries over all keys that somebody in it sees.

    ``nearest``: position of its first query. Where everybody sees everything nothing is checked.
    """
    first, whole_first, whole_last, last = _stretches(
        nearest, nearest + block - 1, keys, low, high, step, table
    )
    state = (
        tl.zeros([block, block_e], tl.float32),
        tl.zeros([block], tl.float32),
        tl.full([block], float("-inf"), tl.float32),
    )
    state = _over(
        state, q, keys_at, values_at, table_at, flags_at, first, whole_first, rows, keys, base,
        low, high, scale, k_n, v_n, m_k, D, E, block_d, block_e, step, True, table,
    )  # fmt: skip
    state = _over(
        state, q, keys_at, values_at, table_at, flags_at, whole_first, whole_last, rows, keys,
        base, low, high, scale, k_n, v_n, m_k, D, E, block_d, block_e, step, False, False,
    )  # fmt: skip
    state = _over(
        state, q, keys_at, values_at, table_at, flags_at, whole_last, last, rows, keys, base,
        low, high, scale, k_n, v_n, m_k, D, E, block_d, block_e, step, True, table,
    )  # fmt: skip
    return state


@triton.jit
@no_type_check  # compiled from its source: nothing may be wrapped around it
def _forward(
    q, k, v, z, log_sum, visible, flags, q_b, q_h, q_n, k_b, k_h, k_n, v_b, v_h, v_n, z_b, z_h, z_n,
    m_b, m_h, m_q, m_k, f_b, f_h, f_q, scale, heads, group, queries, keys, base, low, high,
    D: tl.constexpr, E: tl.constexpr, block_d: tl.constexpr, block_e: tl.constexpr,
    block: tl.constexpr, step: tl.constexpr, table: tl.constexpr,
):  # fmt: skip
    """One block of queries of one head."""
    of_block, of_head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    text, head = of_head // heads, of_head % heads
    rows = of_block * block + tl.arange(0, block)
    d, e = tl.arange(0, block_d), tl.arange(0, block_e)
    there, far = rows < queries, rows.to(tl.int64)  # memory beyond what 32 bits count
    q_at = q + text * q_b + head * q_h + far[:, None] * q_n + d[None, :]
    mine = tl.load(q_at, mask=there[:, None] & (d < D)[None, :], other=0.0)
    keys_at = k + text * k_b + (head // group) * k_h
    values_at = v + text * v_b + (head // group) * v_h
    table_at = visible + text * m_b + head * m_h + tl.where(there, far, 0)[:, None] * m_q
    flags_at = flags + text * f_b + head * f_h + of_block * f_q
    nearest = base + of_block * block
    gathered, total, highest = _sums(
        mine, keys_at, values_at, table_at, flags_at, nearest, rows, keys, base, low, high, scale,
        k_n, v_n, m_k, D, E, block_d, block_e, block, step, table,
    )  # fmt: skip
    seen = total > 0
    gathered = gathered / tl.where(seen, total, 1.0)[:, None]
    z_at = z + text * z_b + head * z_h + far[:, None] * z_n + e[None, :]
    tl.store(z_at, gathered.to(z.dtype.element_ty), mask=there[:, None] & (e < E)[None, :])
    # Back to powers of e; +∞, and so weights of zero, for a query that sees nothing.
    found = (highest + tl.log2(tl.where(seen, total, 1.0))) * 0.6931471805599453
    found = tl.where(seen, found, float("inf"))
    tl.store(log_sum + of_head * queries + rows, found, mask=there)


def forward(
    q: Float[Tensor, "B H Q D"],
    k: Float[Tensor, "B K S D"],
    v: Float[Tensor, "B K S E"],
    mask: Band | Bool[Tensor, "#B #H #Q #S"],
    scale: float,
    start: int,
    tile: tuple[int, int] | None = None,
) -> tuple[Float[Tensor, "B H Q E"], Float[Tensor, "B H Q"]]:
    """z, and log Σ exp(score) of each query; zeros and +∞ for one that sees no key.

    Args:
        q, k, v: float16 or bfloat16 (float32 is right too, and slow); sums are in float32.
        start: position of the first query.
        tile: queries and keys in a tile, powers of 2 from 16; by head size when None.
    """
    q, k, v = (x if x.stride(-1) == 1 else x.contiguous() for x in (q, k, v))
    (batch, heads, queries, d), keys, e = q.shape, k.shape[2], v.shape[-1]
    size = max(d, e)
    block, step = tile or ((128, 64) if size <= 128 else (64, 32))
    # [B, Q, H, E] in memory: the layout in which the output projection reads it.
    z = q.new_empty(batch, queries, heads, e).transpose(1, 2)
    log_sum = q.new_empty((batch, heads, queries), dtype=torch.float32)
    band = mask if isinstance(mask, Band) else Band()
    visible = flags = log_sum  # not read
    m_strides, f_strides = (0, 0, 0, 0), (0, 0, 0)
    if not isinstance(mask, Band):
        flags = _flags(mask, queries, keys, block, step)
        visible = mask.expand(batch, heads, queries, keys).view(torch.uint8)
        flags = flags.expand(batch, heads, -1, -1)
        m_strides, f_strides = visible.stride(), flags.stride()[:3]
    _forward[(triton.cdiv(queries, block), batch * heads)](
        q, k, v, z, log_sum, visible, flags, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3],
        *z.stride()[:3], *m_strides, *f_strides, scale * 1.4426950408889634, heads,
        heads // k.shape[1], queries, keys, start, band.low, band.high, d, e, _padded(d),
        _padded(e), block, step, not isinstance(mask, Band),
        enable_fp_fusion=True,
        num_warps=8 if size > 64 else 4, num_stages=3 if size <= 128 else 2,
    )  # fmt: skip
    return z, log_sum


def _padded(size: int) -> int:
    """What a chip multiplies: a power of 2, of 16 at least."""
    return max(16, triton.next_power_of_2(size))


def _flags(
    visible: Bool[Tensor, "#B #H #Q #S"], queries: int, keys: int, block: int, step: int
) -> Tensor:
    """Of each tile: 0 where nobody sees anything, 2 where everybody sees everything, else 1."""
    visible = visible.expand(*visible.shape[:2], queries, keys)
    more = (0, -keys % step, 0, -queries % block)
    found = torch.zeros((), dtype=torch.uint8, device=visible.device)
    for reduce, filler in ((Tensor.any, False), (Tensor.all, True)):
        padded = torch.nn.functional.pad(visible, more, value=filler)
        tiles = padded.unflatten(3, (-1, step)).unflatten(2, (-1, block))
        found = found + reduce(reduce(tiles, 5), 3).to(torch.uint8)
    return found.contiguous()

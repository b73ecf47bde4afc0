"""The one attention function (Vaswani et al. 2017, section 3.2.1).

    attention(q, k, v) = softmax(scale · q kᵀ + bias + mask) v

It runs on four hand-typed vectors, in our transformer, and inside pretrained models. Long texts go
through it in tiles of queries that skip the masked future; each holds whole rows, so all is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.choice import LONG, Call, attend_tiles, watched
from attnlab.attention.mask import Mask, Span, block_of, causal_mask, limits, rows_of
from attnlab.attention.stages import STAGES, At, Where, apart, visitor
from attnlab.attention.tiled import tiled

TILE = 128
"""Queries in a tile. Up to this many, there is one tile."""


def attend(
    q: Float[Tensor, "B H Q D"],
    k: Float[Tensor, "#B K S D"],
    v: Float[Tensor, "#B K S E"],
    mask: Mask | Tensor | None = None,
    *,
    bias: Float[Tensor, "#B #H #Q #S"] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    sinks: Float[Tensor, " H"] | None = None,
    causal: bool = False,
    at: At | None = None,
    where: Where | None = None,
    tile: int = TILE,
    workspace: dict[str, Tensor] | None = None,
) -> Float[Tensor, "B H Q E"]:
    """What each query gathers from the values it attends to.

    Args:
        q, k, v: queries, keys, values. With K < H, H / K consecutive query heads share one
            key/value head (grouped-query attention, Ainslie et al. 2023); E may differ from D.
        mask: who may be seen; any form that ``Mask.of`` reads.
        bias: added to the scaled scores (T5's relative positions, ALiBi).
        scale: factor on q·k; 1/√D when None.
        softcap: c · tanh(scores / c) after scaling (Gemma 2).
        sinks: one learned logit a head that takes part in the softmax and then is dropped, so
            that rows sum to less than 1 (gpt-oss).
        causal: hide the future; joined with ``mask``'s None only.
        at: called at each stage, see ``attnlab.attention.stages``.
        where: site, rows and absolute positions, passed on to ``at``.
        tile: queries in a tile.
        workspace: a dict that keeps the tiles' buffers between calls of one run.

    Returns:
        z, per-head outputs. A query that sees no key gets zeros. The softmax is taken in float32
        at least.

    Raises:
        ValueError: H is not a multiple of K.
    """
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"{q.shape[1]} query heads cannot share {k.shape[1]} key/value heads")
    where = _locate(q, k, where)
    visit = visitor(at, where)
    q = visit("q", q)
    k, v, where = apart(visit("k", k), visit("v", v), at, where)
    mask = _edited_mask(mask, causal, q, k, at, where)
    setting = _Setting(
        scale=q.shape[-1] ** -0.5 if scale is None else scale,
        softcap=softcap,
        sinks=sinks,
        bias=bias,
        mask=mask,
        keys=k.shape[2],
        inplace=_may_overwrite((q, k, v, bias, sinks, mask.bias), at),
        whole_rows=getattr(at, "whole_rows", False),
    )
    if q.shape[2] * k.shape[2] >= LONG:
        added = (bias, softcap, sinks, mask.bias)
        call = Call.of(q, k, v, added, watched=watched(at), learning=_learns(q, k, v))
        if attend_tiles(call):
            return visit("z", tiled(q, k, v, mask, scale=setting.scale))
    return visit("z", _all_tiles(q, k, v, setting, at, where, tile, workspace))


def _learns(*read: Tensor | None) -> bool:
    return torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in read)


def _may_overwrite(read: tuple[Tensor | None, ...], at: At | None) -> bool:
    """In-place work needs gradients off, and nobody who could hand us a tensor that is theirs."""
    if _learns(*read):
        return False
    if at is None:
        return True
    lent = {"scores", "scaled", "masked"} & set(getattr(at, "stages", STAGES))
    return not lent or (lent == {"masked"} and getattr(at, "fresh", False))


@dataclass
class _Setting:
    """What every tile of one call shares."""

    scale: float
    softcap: float | None
    sinks: Tensor | None
    bias: Tensor | None
    mask: Mask
    keys: int
    inplace: bool
    whole_rows: bool

    def span(self, rows: range) -> Span:
        return self.mask.span(rows.start, rows.stop, self.keys)


def _locate(q: Tensor, k: Tensor, where: Where | None) -> Where:
    """Fill in the ranges that follow from the shapes."""
    queries, keys = q.shape[2], k.shape[2]
    given = where or Where(queries=range(max(keys - queries, 0), keys))
    first_q, first_k = given.queries.start, given.keys.start
    return Where(
        site=given.site,
        rows=range(q.shape[0]),
        queries=range(first_q, first_q + queries),
        keys=range(first_k, first_k + keys),
        query_index=range(queries),
        key_index=range(keys),
        group=q.shape[1] // k.shape[1],
        sinks=given.sinks,
    )


def _edited_mask(
    mask: Mask | Tensor | None, causal: bool, q: Tensor, k: Tensor, at: At | None, where: Where
) -> Mask:
    """The mask as a Mask, after ``at`` has had its say on who is visible."""
    if mask is None and causal and q.shape[2] > 1:
        mask = causal_mask(q.shape[2], k.shape[2], q.device)
    mask = Mask.of(mask)
    if at is None or "mask" not in getattr(at, "stages", ("mask",)):
        return mask
    visible = mask.table(q.shape[2], k.shape[2], q.device)
    edited = at("mask", visible, where)
    return mask if edited is visible else mask.showing(edited)


def _all_tiles(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    setting: _Setting,
    at: At | None,
    where: Where,
    tile: int,
    workspace: dict[str, Tensor] | None,
) -> Tensor:
    queries = q.shape[2]
    if queries <= tile:
        seen = _seen(setting, range(queries))
        place = where if seen == where.key_index else where.tile(range(queries), seen)
        return _tile(q, k, v, setting, at, place, None)
    buffers = None
    if setting.inplace:
        buffers = {} if workspace is None else workspace
    k, v = k.contiguous(), v.contiguous()
    parts = []
    for start in range(0, queries, tile):
        rows = range(start, min(start + tile, queries))
        place = where.tile(rows, _seen(setting, rows))
        part = _tile(q[:, :, rows.start : rows.stop], k, v, setting, at, place, buffers)
        parts.append(part.transpose(1, 2))
    # [B, Q, H, E] in memory: the layout in which the output projection reads it.
    return torch.cat(parts, 1).transpose(1, 2)


def _seen(setting: _Setting, rows: range) -> range:
    return range(setting.keys) if setting.whole_rows else setting.span(rows).seen


def _tile(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    setting: _Setting,
    at: At | None,
    where: Where,
    buffers: dict[str, Tensor] | None,
) -> Tensor:
    """Some queries against the keys they can see; whole rows, so nothing is approximated."""
    visit = visitor(at, where)
    seen = slice(where.key_index.start, where.key_index.stop)
    k, v = k[:, :, seen], v[:, :, seen]
    batch, heads, queries, _ = q.shape
    grouped = q.reshape(batch, k.shape[1], where.group * queries, q.shape[-1])
    if buffers is None:
        scores = torch.matmul(grouped, k.transpose(-1, -2)).view(batch, heads, queries, -1)
        scores = _times(visit("scores", scores, where), setting)
    else:
        scores = _product(grouped, k, setting.scale, buffers).view(batch, heads, queries, -1)
    scores = _masked(visit("scaled", _capped(scores, setting), where), setting, where)
    sinks = setting.sinks
    if sinks is not None:
        sinks = visit("sinks", sinks.expand(batch, heads), where)
    weights = _softmax(visit("masked", scores, where), sinks, setting.inplace)
    if at is not None:
        where = replace(where, visible=setting.mask.within(where.query_index, where.key_index))
    weights = visit("weights", _emptied(weights, setting, where), where).to(v.dtype)
    weights = weights.reshape(batch, k.shape[1], where.group * queries, -1)
    return torch.matmul(weights, v).view(batch, heads, queries, v.shape[-1])


def _product(q: Tensor, k: Tensor, scale: float, buffers: dict[str, Tensor]) -> Tensor:
    """scale · q kᵀ in one pass, into memory kept from tile to tile: fresh pages cost more than
    the product itself."""
    batch, groups, rows, _ = q.shape
    size = batch * groups * rows * k.shape[2]
    kept = buffers.get("scores")
    if kept is None or kept.numel() < size or kept.dtype != q.dtype or kept.device != q.device:
        kept = buffers["scores"] = torch.empty(size, dtype=q.dtype, device=q.device)
    out = kept[:size].view(batch * groups, rows, k.shape[2])
    keys = k.expand(batch, *k.shape[1:]).flatten(0, 1)
    return torch.baddbmm(out, q.flatten(0, 1), keys.mT, beta=0, alpha=scale, out=out)


def _times(scores: Tensor, setting: _Setting) -> Tensor:
    return scores.mul_(setting.scale) if setting.inplace else scores * setting.scale


def _capped(scores: Tensor, setting: _Setting) -> Tensor:
    if setting.softcap is None:
        return scores
    return torch.tanh(scores / setting.softcap) * setting.softcap


def _masked(scores: Tensor, setting: _Setting, where: Where) -> Tensor:
    """Add the biases; take hidden keys out altogether, so that no score can bring one back."""
    rows, keys = where.query_index, where.key_index
    for bias in (setting.bias, setting.mask.bias):
        if bias is not None:
            scores = scores + block_of(bias, rows, keys)
    visible = setting.mask.visible
    if visible is None:
        return scores
    if not setting.inplace:
        return scores.masked_fill(~block_of(visible, rows, keys), float("-inf"))
    ragged = keys if setting.whole_rows else setting.span(rows).ragged
    part = scores[..., ragged.start - keys.start : ragged.stop - keys.start]
    torch.minimum(part, limits(block_of(visible, rows, ragged), part.dtype), out=part)
    return scores


def _softmax(scores: Tensor, sinks: Tensor | None, inplace: bool) -> Tensor:
    wide = torch.promote_types(scores.dtype, torch.float32)
    if sinks is not None:
        extra = sinks[:, :, None, None].expand(*scores.shape[:3], 1).to(scores.dtype)
        return torch.softmax(torch.cat([scores, extra], -1), -1, dtype=wide)[..., :-1]
    if inplace and scores.dtype == wide:
        return torch.softmax(scores, -1, out=scores)
    return torch.softmax(scores, -1, dtype=wide)


def _emptied(weights: Tensor, setting: _Setting, where: Where) -> Tensor:
    """A query that sees nothing has no weights: zeros, where softmax would say 0/0."""
    dead = setting.mask.dead
    if dead is None:
        return weights
    dead = rows_of(dead, where.query_index.start, where.query_index.stop)
    return weights.masked_fill_(dead, 0) if setting.inplace else torch.where(dead, 0.0, weights)

"""What the forward and the backward pass of ``tiled`` share: the scores of one tile of some heads.

Scores are made in one buffer that is kept from tile to tile and small enough to stay in a
processor's cache: fresh memory costs more than the product itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.attend import limits
from attnlab.attention.grid import Cell, Grid
from attnlab.attention.mask import block_of

Bias = Callable[[Tensor, Tensor, torch.dtype], Tensor]
"""A bias by position: of queries [1, q] and keys [1, s], [#B, #H, q, s]; as
``PositionModule.bias``."""
NUMBERS = 128 * 1024
"""Scores that are held at a time: half a MiB in float32."""


@dataclass(frozen=True)
class Part:
    """Some texts, and some key/value heads of theirs with the query heads that share them.

    Either one text or all heads, so that both axes can be read as one.
    """

    texts: slice
    kv: slice
    heads: slice

    def of(self, tensor: Tensor) -> Tensor:
        """Of what broadcasts to [B, H, ...]."""
        cut = (self.texts, self.heads)
        sizes = zip(tensor.shape, cut, strict=False)
        return tensor[tuple(slice(None) if size == 1 else part for size, part in sizes)]

    def by_head(self, scores: Float[Tensor, "n r s"], rows: range) -> Float[Tensor, "b h q s"]:
        """The same memory, with every query head of every text by itself again."""
        heads = self.heads.stop - self.heads.start
        return scores.view(-1, heads, len(rows), scores.shape[-1])


@dataclass(frozen=True)
class Setting:
    """What a call is told, apart from its tensors."""

    grid: Grid
    scale: float
    softcap: float | None
    bias: Bias | None


@dataclass
class Scores:
    """Queries, keys and biases of one call, [B, H, Q, D], [B, K, S, D] and [#B, #H, #Q, #S]."""

    q: Tensor
    k: Tensor
    biases: tuple[Tensor, ...]
    setting: Setting
    _kept: dict[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.group = self.q.shape[1] // self.k.shape[1]
        self.wide = torch.promote_types(self.q.dtype, torch.float32)

    def parts(self) -> Iterator[Part]:
        """Texts and heads, in parts whose tile of scores fits the buffer."""
        (texts, kv), grid = self.k.shape[:2], self.setting.grid
        at_a_time = max(NUMBERS // (self.group * len(grid.rows[0]) * len(grid.columns[0])), 1)
        step = max(at_a_time // kv, 1)  # texts
        for text in range(0, texts, step):
            for first in range(0, kv, at_a_time):
                last = min(first + at_a_time, kv)
                heads = slice(first * self.group, last * self.group)
                yield Part(slice(text, min(text + step, texts)), slice(first, last), heads)

    def rows_of(self, tensor: Tensor, part: Part, rows: range) -> Float[Tensor, "n r D"]:
        """What [B, H, Q, D] holds of some queries; r = (H / K) · q: the heads that share keys
        one below another."""
        cut = tensor[part.texts, part.heads, rows.start : rows.stop].to(self.wide)
        return cut.reshape(-1, self.group * len(rows), tensor.shape[-1])

    def keys_of(self, tensor: Tensor, part: Part, keys: range) -> Float[Tensor, "n s D"]:
        """What [B, K, S, D] holds of some keys."""
        return tensor[part.texts, part.kv, keys.start : keys.stop].to(self.wide).flatten(0, 1)

    def buffer(self, name: str, shape: tuple[int, int, int]) -> Float[Tensor, "n r s"]:
        """Memory to write to, kept from tile to tile."""
        size = math.prod(shape)
        kept = self._kept.get(name)
        if kept is None or kept.numel() < size:
            kept = self._kept[name] = self.q.new_empty(size, dtype=self.wide)
        return kept[:size].view(shape)

    def of(self, q: Tensor, part: Part, rows: range, cell: Cell) -> Float[Tensor, "n r s"]:
        """Scaled, capped, biased and masked, in the buffer "scores".

        With a softcap c, the buffer "capped" holds tanh(scores / c).
        """
        k = self.keys_of(self.k, part, cell.keys)
        shape = (len(q), q.shape[1], k.shape[1])
        out = self.buffer("scores", shape)
        torch.baddbmm(out, q, k.mT, beta=0, alpha=self.setting.scale, out=out)
        if self.setting.softcap is not None:
            capped = torch.tanh(out.div_(self.setting.softcap), out=self.buffer("capped", shape))
            torch.mul(capped, self.setting.softcap, out=out)
        by_head = part.by_head(out, rows)
        for bias in self._biases(rows, cell.keys):
            by_head += part.of(bias)
        if cell.visible is not None:
            torch.minimum(by_head, limits(part.of(cell.visible), out.dtype), out=by_head)
        return out

    def _biases(self, rows: range, keys: range) -> Iterator[Float[Tensor, "#B #H #q #s"]]:
        for bias in self.biases:
            yield block_of(bias, rows, keys)
        if self.setting.bias is not None:
            at = self.setting.grid.start
            q = torch.arange(at + rows.start, at + rows.stop, device=self.q.device)
            k = torch.arange(keys.start, keys.stop, device=self.q.device)
            yield self.setting.bias(q[None], k[None], self.wide)

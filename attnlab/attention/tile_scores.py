"""What the forward and the backward pass of ``tiled`` share: the scores of one tile of some heads.

Scores are made in one buffer that is kept from tile to tile and small enough to stay in a
processor's cache: fresh memory costs more than the product itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

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

    Either one text or all heads: ``flat`` is then one stretch of B · K, both axes read as one.
    """

    texts: slice
    heads: slice
    flat: slice

    def of(self, tensor: Tensor) -> Tensor:
        """Of what broadcasts to [B, H, ...]."""
        texts = slice(None) if tensor.shape[0] == 1 else self.texts
        return tensor[texts, slice(None) if tensor.shape[1] == 1 else self.heads]

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


class Scores:
    """Scores of one call, tile by tile.

    Args:
        q, k: [B, H, Q, D] and [B, K, S, D].
        biases: each broadcasts to [B, H, Q, S].
    """

    def __init__(self, q: Tensor, k: Tensor, biases: tuple[Tensor, ...], setting: Setting) -> None:
        self.texts, self.kv = k.shape[:2]
        self.group = q.shape[1] // self.kv
        self.wide = torch.promote_types(q.dtype, torch.float32)
        self._lowest = int(math.log(torch.finfo(self.wide).tiny))
        self.q, self.k = self.by_group(q), k.flatten(0, 1)
        self.biases, self.setting = biases, setting
        self.parts = list(self._parts())
        self._kept: dict[str, Tensor] = {}

    def _parts(self) -> Iterator[Part]:
        """In which a tile of scores fits the buffer."""
        grid, group = self.setting.grid, self.group
        at_a_time = max(NUMBERS // (group * len(grid.rows[0]) * len(grid.columns[0])), 1)
        step = max(at_a_time // self.kv, 1)
        for text in range(0, self.texts, step):
            texts = slice(text, min(text + step, self.texts))
            for first in range(0, self.kv, at_a_time):
                last = min(first + at_a_time, self.kv)
                flat = slice(text * self.kv + first, (texts.stop - 1) * self.kv + last)
                yield Part(texts, slice(first * group, last * group), flat)

    def by_group(self, tensor: Float[Tensor, "B H Q D"]) -> Float[Tensor, "n g Q D"]:
        """The query heads that share keys side by side; n = B · K."""
        return tensor.reshape(-1, self.group, *tensor.shape[2:])

    def rows_of(
        self, grouped: Float[Tensor, "n g Q D"], part: Part, rows: range
    ) -> Float[Tensor, "m r D"]:
        """Some queries of some heads, those that share keys one below another; r = g · q."""
        cut = grouped[part.flat, :, rows.start : rows.stop].to(self.wide)
        return cut.reshape(len(cut), -1, cut.shape[-1])

    def keys_of(
        self, flat: Float[Tensor, "n S D"], part: Part, keys: range
    ) -> Float[Tensor, "m s D"]:
        cut = flat[part.flat, keys.start : keys.stop]
        return cut if cut.dtype == self.wide else cut.to(self.wide)

    def buffer(self, name: str, shape: tuple[int, int, int]) -> Float[Tensor, "m r s"]:
        """Memory to write to, kept from tile to tile."""
        size = shape[0] * shape[1] * shape[2]
        kept = self._kept.get(name)
        if kept is None or kept.numel() < size:
            kept = self._kept[name] = self.q.new_empty(size, dtype=self.wide)
        return kept[:size].view(shape)

    def of(self, q: Tensor, part: Part, rows: range, cell: Cell) -> Float[Tensor, "m r s"]:
        """Scaled, capped, biased and masked, in the buffer "scores".

        With a softcap c, the buffer "capped" holds tanh(scores / c).
        """
        k = self.keys_of(self.k, part, cell.keys)
        shape = (q.shape[0], q.shape[1], k.shape[1])
        out = self.buffer("scores", shape)
        torch.baddbmm(out, q, k.mT, beta=0, alpha=self.setting.scale, out=out)
        if self.setting.softcap is not None:
            capped = torch.tanh(out.div_(self.setting.softcap), out=self.buffer("capped", shape))
            torch.mul(capped, self.setting.softcap, out=out)
        for bias in self._biases(rows, cell.keys):
            part.by_head(out, rows).add_(part.of(bias))
        if cell.table is not None:
            ragged = part.by_head(out, rows)[..., cell.part]
            torch.minimum(ragged, part.of(cell.table.limits(self.wide)), out=ragged)
        return out

    def weights(
        self, scores: Tensor, less: Float[Tensor, "m r 1"], part: Part, rows: range, cell: Cell
    ) -> Float[Tensor, "m r s"]:
        """exp(scores − less), in place; 0 where hidden."""
        # Where the result is no ordinary number any more, exp takes up to a hundred times longer.
        # What is raised to e^−87 is lost in any sum all the same.
        scores.sub_(less).clamp_(min=self._lowest).exp_()
        if cell.table is not None:
            ragged = part.by_head(scores, rows)[..., cell.part]
            ragged *= part.of(cell.table.factors(self.wide))
        return scores

    def _biases(self, rows: range, keys: range) -> Iterator[Float[Tensor, "#B #H #q #s"]]:
        for bias in self.biases:
            yield block_of(bias, rows, keys)
        if self.setting.bias is not None:
            at = self.setting.grid.start
            q = torch.arange(at + rows.start, at + rows.stop, device=self.q.device)
            k = torch.arange(keys.start, keys.stop, device=self.q.device)
            yield self.setting.bias(q[None], k[None], self.wide)

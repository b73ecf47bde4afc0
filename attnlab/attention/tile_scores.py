"""What the forward and the backward pass of ``tiled`` share: the scores of one tile of some heads.

Scores are made in one buffer that is kept from tile to tile and small enough to stay in a
processor's cache: fresh memory costs more than the product itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.grid import Cell, Grid
from attnlab.attention.mask import block_of

Bias = Callable[[Tensor, Tensor, torch.dtype], Tensor]
"""A bias by position: of queries [1, q] and keys [1, s], [#B, #H, q, s]; as
``PositionModule.bias``."""
NUMBERS: Final = 256 * 1024
"""Scores that are held at a time: one MiB in float32, which a processor keeps close at hand."""
NUMBERS_ELSEWHERE: Final = 64 * NUMBERS
"""The same on other devices than the processor."""


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


class Keys:
    """What [B, K, S, D] holds, by part and stretch of keys, in a type to compute in.

    Cuts are made once: a tile takes microseconds, and so does a cut.
    """

    def __init__(self, tensor: Float[Tensor, "B K S D"], wide: torch.dtype) -> None:
        self._flat, self._wide = tensor.flatten(0, 1), wide
        self.size, self.device = tensor.shape[-1], tensor.device.type
        self._cuts: dict[tuple[int, int, int], tuple[Tensor, Tensor]] = {}

    def of(self, part: Part, keys: range) -> tuple[Float[Tensor, "m s D"], Float[Tensor, "m D s"]]:
        """The stretch, and the same turned on its side."""
        key = part.flat.start, keys.start, keys.stop
        found = self._cuts.get(key)
        if found is None:
            cut = self._flat[part.flat, keys.start : keys.stop].to(self._wide)
            found = cut, cut.mT
            if self._flat.dtype == self._wide:  # otherwise it is a copy
                self._cuts[key] = found
        return found

    def longest(self) -> Float[Tensor, " n"]:
        """The largest length ‖x‖ of each; n = B · K."""
        return torch.linalg.vector_norm(self._flat, dim=-1, dtype=self._wide).amax(-1)


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
        self._lowest = int(math.log(torch.finfo(self.wide).tiny) * 3 / 4)
        self.q, self.k = self.by_group(q), Keys(k, self.wide)
        self.biases, self.setting = biases, setting
        self.parts = list(self._parts())
        self._kept: dict[str, Tensor] = {}
        self._views: dict[tuple[str, int, int, int], Tensor] = {}

    def _parts(self) -> Iterator[Part]:
        """In which a tile of scores fits the buffer."""
        grid, group = self.setting.grid, self.group
        held = NUMBERS if self.k.device == "cpu" else NUMBERS_ELSEWHERE
        at_a_time = max(held // (group * len(grid.rows[0]) * len(grid.columns[0])), 1)
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

    def buffer(self, name: str, *shape: int) -> Float[Tensor, "m r s"]:
        """Memory to write to, kept from tile to tile."""
        view = self._views.get((name, *shape))
        if view is None:
            size, kept = math.prod(shape), self._kept.get(name)
            if kept is None or kept.numel() < size:
                self._views.clear()
                kept = self._kept[name] = self.q.new_empty(size, dtype=self.wide)
            view = self._views[name, *shape] = kept[:size].view(shape)
        return view

    def of(
        self, q: Float[Tensor, "m r D"], part: Part, rows: range, cell: Cell
    ) -> Float[Tensor, "m r s"]:
        """Scaled, capped, biased and masked, in the buffer "scores".

        With a softcap c, the buffer "capped" holds tanh(scores / c).
        """
        out = self.unmasked(q, part, cell)
        if self.setting.softcap is not None:
            capped = torch.tanh(
                out.div_(self.setting.softcap), out=self.buffer("capped", *out.shape)
            )
            torch.mul(capped, self.setting.softcap, out=out)
        for bias in self._biases(rows, cell.keys):
            part.by_head(out, rows).add_(part.of(bias))
        if cell.table is not None:
            ragged = part.by_head(out, rows)[..., cell.part]
            torch.minimum(ragged, part.of(cell.table.limits(self.wide)), out=ragged)
        return out

    def unmasked(self, q: Float[Tensor, "m r D"], part: Part, cell: Cell) -> Float[Tensor, "m r s"]:
        """Scaled products and nothing else, in the buffer "scores"."""
        turned = self.k.of(part, cell.keys)[1]
        out = self.buffer("scores", q.shape[0], q.shape[1], turned.shape[2])
        return torch.baddbmm(out, q, turned, beta=0, alpha=self.setting.scale, out=out)

    def weights(
        self,
        scores: Float[Tensor, "m r s"],
        less: Float[Tensor, "m r 1"],
        part: Part,
        rows: range,
        cell: Cell,
    ) -> Float[Tensor, "m r s"]:
        """exp(scores − less), in place; 0 where hidden."""
        # Where a number is too small to be an ordinary one, exp takes up to a hundred times longer,
        # and a product with it as well. What is raised to e^−65 is lost in any sum all the same.
        scores.sub_(less).clamp_(min=self._lowest).exp_()
        self.hide(scores, part, rows, cell)
        return scores

    def hide(self, weights: Tensor, part: Part, rows: range, cell: Cell) -> None:
        """Zeros where hidden, in place."""
        if cell.table is not None:
            ragged = part.by_head(weights, rows)[..., cell.part]
            ragged *= part.of(cell.table.factors(self.wide))

    def _biases(self, rows: range, keys: range) -> Iterator[Float[Tensor, "#B #H #q #s"]]:
        for bias in self.biases:
            yield block_of(bias, rows, keys)
        if self.setting.bias is not None:
            at = self.setting.grid.start
            q = torch.arange(at + rows.start, at + rows.stop, device=self.q.device)
            k = torch.arange(keys.start, keys.stop, device=self.q.device)
            yield self.setting.bias(q[None], k[None], self.wide)

"""Maps of attention reduced while the run is under way."""

from __future__ import annotations

import torch
from torch import Tensor


class Thumbnail:
    """Maps [B, H, Q, S] reduced to [B, H, q, s]: each cell holds the largest weight it covers.

    Cells are squares of ``cell`` × ``cell`` positions, the last ones cut short. The largest weight
    rather than the mean, so that a thin line stays visible.
    """

    def __init__(self, shape: tuple[int, int, int, int], size: int, device: torch.device) -> None:
        batch, heads, queries, keys = shape
        self.cell = -(-max(queries, keys) // size)
        self.map = torch.zeros(
            batch, heads, -(-queries // self.cell), -(-keys // self.cell), device=device
        )

    def add(self, tile: Tensor, queries: range, keys: range) -> None:
        """Fold in a tile of weights [B, H, T, e] that lies at these query and key indices."""
        columns = _pooled(tile, keys.start % self.cell, self.cell)
        rows = _pooled(columns.transpose(2, 3), queries.start % self.cell, self.cell).transpose(
            2, 3
        )
        top, left = queries.start // self.cell, keys.start // self.cell
        view = self.map[:, :, top : top + rows.shape[2], left : left + rows.shape[3]]
        torch.maximum(view, rows.to(view.dtype), out=view)


def _pooled(tensor: Tensor, lead: int, cell: int) -> Tensor:
    """Largest value of each cell along the last axis, the first cell cut short by ``lead``."""
    if cell == 1:
        return tensor
    length = tensor.shape[-1]
    tail = -(lead + length) % cell
    if lead or tail:
        tensor = torch.nn.functional.pad(tensor, (lead, tail))
    return tensor.unflatten(-1, (-1, cell)).amax(-1)

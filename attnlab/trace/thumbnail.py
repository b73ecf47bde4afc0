"""Maps of attention reduced while the run is under way."""

from __future__ import annotations

import torch
from torch import Tensor


class Thumbnail:
    """Maps [B, H, Q, S] reduced to [B, H, q, s]: each cell holds the largest weight it covers.

    Cells are squares of ``cell`` × ``cell`` positions, the last ones cut short. The largest weight
    rather than the mean, so that a thin line stays visible. ``first`` [B, H, Q] keeps the weights
    on the first key as they are: what a page leaves out must be known exactly.
    """

    def __init__(self, shape: tuple[int, int, int, int], size: int, device: torch.device) -> None:
        batch, heads, queries, keys = shape
        self.cell = -(-max(queries, keys) // size)
        self.map = torch.zeros(
            batch, heads, -(-queries // self.cell), -(-keys // self.cell), device=device
        )
        self.first = torch.zeros(batch, heads, queries, device=device)

    def add(self, tile: Tensor, queries: range, keys: range) -> None:
        """Fold in a tile of weights [B, H, T, e] that lies at these query and key indices."""
        # Rows first: there the maximum runs over whole vectors, and leaves little for the columns.
        rows = _pooled(tile, 2, queries.start % self.cell, self.cell)
        cells = _pooled(rows, 3, keys.start % self.cell, self.cell)
        top, left = queries.start // self.cell, keys.start // self.cell
        view = self.map[:, :, top : top + cells.shape[2], left : left + cells.shape[3]]
        torch.maximum(view, cells.to(view.dtype), out=view)
        if keys.start == 0:
            self.first[:, :, queries.start : queries.stop] = tile[..., 0]


def _pooled(tensor: Tensor, axis: int, lead: int, cell: int) -> Tensor:
    """Largest value of each cell along an axis, the first cell cut short by ``lead``."""
    if cell == 1:
        return tensor
    tail = -(lead + tensor.shape[axis]) % cell
    if lead or tail:
        after = (0, 0) * (tensor.dim() - 1 - axis)
        tensor = torch.nn.functional.pad(tensor, (*after, lead, tail))
    return tensor.unflatten(axis, (-1, cell)).amax(axis + 1)

"""Maps of attention reduced while the run is under way."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import torch
from torch import Tensor


class Thumbnail:
    """Maps [B, H, Q, S] reduced to [B, H, q, s]: each cell holds the largest weight it covers.

    Cells are squares of ``cell`` × ``cell`` positions, the last ones cut short. The largest weight
    rather than the mean, so that a thin line stays visible. ``first`` [B, H, Q] keeps the weights
    on the first key as they are: what a page leaves out must be known exactly. ``rows`` and
    ``columns`` are the positions kept, in rising order, as if there were no others; None: all.
    """

    def __init__(
        self,
        shape: tuple[int, int, int, int],
        size: int,
        device: torch.device,
        rows: Sequence[int] | None = None,
        columns: Sequence[int] | None = None,
    ) -> None:
        batch, heads, queries, keys = shape
        self.rows, self.columns = rows, columns
        queries = queries if rows is None else len(rows)
        keys = keys if columns is None else len(columns)
        self.cell = -(-max(queries, keys) // size)
        self.map = torch.zeros(
            batch, heads, -(-queries // self.cell), -(-keys // self.cell), device=device
        )
        self.first = torch.zeros(batch, heads, queries, device=device)

    def add(self, tile: Tensor, queries: range, keys: range) -> None:
        """Fold in a tile of weights [B, H, T, e] that lies at these query and key indices."""
        tile, queries = _among(tile, 2, queries, self.rows)
        tile, keys = _among(tile, 3, keys, self.columns)
        if not queries or not keys:
            return
        # Rows first: there the maximum runs over whole vectors, and leaves little for the columns.
        rows = _pooled(tile, 2, queries.start % self.cell, self.cell)
        cells = _pooled(rows, 3, keys.start % self.cell, self.cell)
        top, left = queries.start // self.cell, keys.start // self.cell
        view = self.map[:, :, top : top + cells.shape[2], left : left + cells.shape[3]]
        torch.maximum(view, cells.to(view.dtype), out=view)
        if keys.start == 0:
            self.first[:, :, queries.start : queries.stop] = tile[..., 0]


def _among(
    tile: Tensor, axis: int, here: range, kept: Sequence[int] | None
) -> tuple[Tensor, range]:
    """The kept positions of a tile that lies at ``here``, and their places among the kept."""
    if kept is None:
        return tile, here
    places = range(bisect_left(kept, here.start), bisect_left(kept, here.stop))
    index = [kept[place] - here.start for place in places]
    return tile.index_select(
        axis, torch.tensor(index, device=tile.device, dtype=torch.long)
    ), places


def _pooled(tensor: Tensor, axis: int, lead: int, cell: int) -> Tensor:
    """Largest value of each cell along an axis, the first cell cut short by ``lead``."""
    if cell == 1:
        return tensor
    tail = -(lead + tensor.shape[axis]) % cell
    if lead or tail:
        after = (0, 0) * (tensor.dim() - 1 - axis)
        tensor = torch.nn.functional.pad(tensor, (*after, lead, tail))
    return tensor.unflatten(axis, (-1, cell)).amax(axis + 1)

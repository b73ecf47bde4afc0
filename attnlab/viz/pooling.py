"""Reduced maps: which positions of a long text share a cell.

A run reduces a map [Q, S] to squares of positions, as many a side as makes the larger axis fit, the
last ones cut short. The twin of this module in the browser is ``cellSide`` and ``spanOf`` in
``components/common.js``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def cell_side(shape: Sequence[int], queries: int, keys: int) -> int:
    """How many positions a side of a cell covers, of a map of ``shape`` [..., q, s] of a text.

    1 where the map is not reduced. Exact for maps of 64 a side up to 4,096 positions.
    """
    return max(-(-queries // shape[-2]), -(-keys // shape[-1]))


def span(cell: int, side: int, length: int) -> tuple[int, int]:
    """The first and the last position of a row or column of cells, of ``length`` positions."""
    return cell * side, min(length, (cell + 1) * side) - 1


def reduced(maps: np.ndarray, size: int) -> np.ndarray:
    """[..., Q, S], nowhere below 0, as at most ``size`` a side: the largest of each square."""
    side = max(1, -(-max(maps.shape[-2:]) // size))
    for axis in (-2, -1):
        maps = np.maximum.reduceat(maps, np.arange(0, maps.shape[axis], side), axis)
    return maps


def note(shape: Sequence[int], queries: int, keys: int) -> str:
    """How many tokens share a cell, as a sentence; "" where none do."""
    side = cell_side(shape, queries, keys)
    size = f"{min(side, queries)} × {min(side, keys)}"
    return f"Long text: a cell shows the strongest of {size} tokens." if side > 1 else ""

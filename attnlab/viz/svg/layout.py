"""Where each head lies in the picture of all heads; the twin of ``viz/components/layout.js``."""

from __future__ import annotations

import math
from dataclasses import dataclass

LEFT, FOOT, BLOCK_GAP = 30, 20, 7  # row labels, layer labels, between folded layers
_LEAST, _LEAST_FOLDED, _MOST = 13, 17, 120
_TALLEST, _TALLEST_FOLDED = 460, 360


@dataclass(frozen=True)
class Layout:
    """Layers left to right, heads down; ``fold`` heads of a layer side by side, ``pitch`` apart."""

    layers: int
    heads: int
    fold: int
    pitch: int

    @property
    def rows(self) -> int:
        """Rows of tiles."""
        return -(-self.heads // self.fold)

    @property
    def tile(self) -> int:
        """The side of a tile."""
        return self.pitch - (2 if self.pitch < 24 else 3)

    @property
    def inset(self) -> int:
        """Between the edge of a tile and its map."""
        return 1 if self.pitch < 17 else 2

    @property
    def map(self) -> int:
        """The side of a map."""
        return self.tile - 2 * self.inset

    @property
    def step(self) -> int:
        """From one layer to the next."""
        return self.fold * self.pitch + (BLOCK_GAP if self.fold > 1 else 0)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the tiles alone."""
        gap = BLOCK_GAP if self.fold > 1 else 0
        return self.layers * self.step - gap, self.rows * self.pitch

    def place(self, layer: int, head: int) -> tuple[int, int]:
        """The corner of a tile, from that of the first one."""
        return (
            layer * self.step + head % self.fold * self.pitch,
            head // self.fold * self.pitch,
        )


def _fit(layers: int, heads: int, fold: int, room: float) -> float:
    gaps = (layers - 1) * BLOCK_GAP if fold > 1 else 0
    tallest = _TALLEST_FOLDED if fold > 1 else _TALLEST
    across = (room - LEFT - gaps) / (layers * fold)
    return min(across, tallest / -(-heads // fold), _MOST)


def _pitch(fit: float, fold: int) -> int:
    return max(_LEAST_FOLDED if fold > 1 else _LEAST, math.floor(fit))


def laid_out(layers: int, heads: int, room: float) -> Layout:
    """The layout within ``room`` units; where it would be a thin strip, layers are folded."""
    best, best_fit = 1, _fit(layers, heads, 1, room)
    thin = layers * _pitch(best_fit, 1) < 0.5 * room
    for fold in range(2, heads + 1):
        fit = _fit(layers, heads, fold, room)
        least = best_fit * (1 if best > 1 or thin else 1.25)
        if fit >= least and fit >= _LEAST_FOLDED:
            best, best_fit = fold, fit
    return Layout(layers, heads, best, _pitch(best_fit, best))

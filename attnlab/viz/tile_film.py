"""The scores of one head, tile by tile, as a film: what is in memory now, and what each row keeps.

Blue: the scores of the tile that is in memory, each exp(score − highest so far). Grey: tiles that
were added up and are gone. A stroke: a tile that the mask hides, skipped. Beside each row stand the
highest score and the sum so far, all that is left of the tiles that are gone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import minus
from attnlab.viz.film import Film
from attnlab.viz.svg.text import cut

_LEFT, _TOP, _RIGHT, _BOTTOM = 92.0, 26.0, 196.0, 44.0
_SIDE: Final = 400.0  # of the matrix
_LARGEST: Final = 30.0  # of a cell
_GONE: Final = 0.22


@dataclass(frozen=True)
class Tile:
    """One tile, as it is drawn.

    Attributes:
        queries, keys: (first, end) of each.
        weights: [q, s] from 0 to 1, None where it is skipped.
        highest, total: [q] of its queries, after it.
        shrink: [q] what it multiplied the sums before it with.
    """

    queries: tuple[int, int]
    keys: tuple[int, int]
    weights: np.ndarray | None
    highest: np.ndarray
    total: np.ndarray
    shrink: np.ndarray


def tile_film(
    tiles: Sequence[Tile], rows: Sequence[str], columns: Sequence[str], *, wide: float = 690
) -> Film:
    """A picture for each tile.

    Args:
        rows, columns: the words that look, and those that are looked at.

    Raises:
        ValueError: there are no tiles.
    """
    if not tiles:
        raise ValueError("there are no tiles to show")
    view = _View(tiles, rows, columns, wide)
    frames = [view.frame(at) for at in range(len(tiles))]
    names = [f"tile {at + 1} of {len(tiles)}" for at in range(len(tiles))]
    return Film(view.ground(), frames, names)


class _View:
    """Where everything stands."""

    def __init__(
        self, tiles: Sequence[Tile], rows: Sequence[str], columns: Sequence[str], wide: float
    ) -> None:
        self.tiles, self.rows, self.columns, self.wide = tiles, rows, columns, wide
        room = min(_SIDE, wide - _LEFT - _RIGHT)
        self.cell = round(min(_LARGEST, room / max(len(columns), len(rows))), 2)
        self.right = _LEFT + self.cell * len(columns)
        self.bottom = _TOP + self.cell * len(rows)
        self.places = tuple(round(self.right + gap, 2) for gap in (82, 152, 162))

    def x(self, key: int) -> float:
        return round(_LEFT + self.cell * key, 2)

    def y(self, query: int) -> float:
        return round(_TOP + self.cell * query, 2)

    def ground(self) -> Diagram:
        """The empty table, its words, and what the columns beside it hold."""
        drawn = Diagram(self.wide, self.bottom + _BOTTOM, "Attention in tiles.")
        drawn.box(_LEFT, _TOP, self.right - _LEFT, self.bottom - _TOP, "tile", radius=3)
        for at, name in ((0, "highest"), (1, "sum")):
            drawn.words(self.places[at], 10, name, size=12, kind="mute", anchor="end")
        drawn.words(_LEFT, 10, "keys →", size=12, kind="mute")
        return drawn

    def frame(self, at: int) -> Diagram:
        """Everything up to tile ``at``."""
        drawn, now = Diagram(self.wide), self.tiles[at]
        self._past(drawn, self.tiles[: at + 1])
        self._now(drawn, now)
        self._rows(drawn, at)
        self._said(drawn, at)
        self._spots(drawn, at)
        return drawn

    def _size(self, tile: Tile) -> tuple[float, float, float, float]:
        wide, high = (end - first for first, end in (tile.keys, tile.queries))
        return (
            *(self.x(tile.keys[0]), self.y(tile.queries[0])),
            *(self.cell * wide, self.cell * high),
        )

    def _past(self, drawn: Diagram, tiles: Sequence[Tile]) -> None:
        """What was computed, as one shape: a film of many tiles would grow too large otherwise."""
        gone = np.zeros((len(self.rows), len(self.columns)))
        for tile in tiles:
            gone[slice(*tile.queries), slice(*tile.keys)] = 0.0 if tile.weights is None else _GONE
        wide, high = self.right - _LEFT, self.bottom - _TOP
        drawn.cells(_LEFT, _TOP, wide, high, gone.tolist(), ("feed", "feed"))
        for key in sorted({tile.keys[0] for tile in self.tiles} - {0}):
            ends = [(self.x(key), _TOP), (self.x(key), self.bottom)]
            drawn.line(ends, "paper", width=1)
        for query in sorted({tile.queries[0] for tile in self.tiles} - {0}):
            ends = [(_LEFT, self.y(query)), (self.right, self.y(query))]
            drawn.line(ends, "paper", width=1)
        for tile in tiles:
            if tile.weights is None:
                x, y, wide, high = self._size(tile)
                drawn.line([(x + 3, y + high - 3), (x + wide - 3, y + 3)], "line", width=1)

    def _now(self, drawn: Diagram, tile: Tile) -> None:
        x, y, wide, high = self._size(tile)
        drawn.box(x, y, wide, high, "paper", edge="ink", radius=2)
        if tile.weights is None:
            drawn.line([(x + 3, y + high - 3), (x + wide - 3, y + 3)], "mute", width=1.5)
            return
        drawn.cells(x, y, wide, high, np.clip(tile.weights, 0, 1).tolist(), ("a", "a"))
        drawn.box(x, y, wide, high, "", edge="ink", radius=2)

    def _rows(self, drawn: Diagram, at: int) -> None:
        """The words, and what is kept of each row."""
        now = self.tiles[at]
        latest = {}
        for tile in self.tiles[: at + 1]:
            for row in range(*tile.queries):
                latest[row] = tile
        size = min(12.5, self.cell * 0.72)
        for row, word in enumerate(self.rows):
            here = now.queries[0] <= row < now.queries[1]
            y = round(self.y(row) + self.cell / 2, 2)
            kind = "ink" if here else "mute"
            label = cut(word, _LEFT - 12, size, here)
            drawn.words(_LEFT - 8, y, label, size=size, kind=kind, bold=here, anchor="end")
            tile = latest.get(row)
            if tile is None:
                continue
            inside = row - tile.queries[0]
            for place, value in zip(self.places, (tile.highest, tile.total), strict=False):
                said = _figure(float(value[inside]))
                drawn.words(place, y, said, size=size, kind=kind, bold=here, anchor="end")
            self._corrected(drawn, tile if here else None, inside, y, size)

    def _corrected(
        self, drawn: Diagram, tile: Tile | None, inside: int, y: float, size: float
    ) -> None:
        """By what the sum before was multiplied, where a higher score turned up."""
        if tile is not None and tile.keys[0] and 0 < tile.shrink[inside] < 1:
            said = f"{float(tile.shrink[inside]):.2f}"
            said = "tiny" if said == "0.00" else said
            drawn.words(self.places[2], y, f"× {said}", size=size, kind="pink", anchor="start")

    def _said(self, drawn: Diagram, at: int) -> None:
        now = self.tiles[at]
        held = 0 if now.weights is None else now.weights.size
        whole = len(self.rows) * len(self.columns)
        words = " ".join(self.columns[now.keys[0] : now.keys[1]])
        below = self.bottom + 14
        drawn.words(_LEFT, below, cut(f"keys: {words}", self.wide - _LEFT, 12.5), size=12.5)
        said = f"in memory now: {held} scores; all at once: {whole}"
        if now.weights is None:
            said = f"hidden by the mask: skipped. All at once: {whole} scores"
        drawn.words(_LEFT, below + 20, said, size=12.5, kind="mute")

    def _spots(self, drawn: Diagram, at: int) -> None:
        now = self.tiles[at]
        for row in range(*now.queries):
            inside = row - now.queries[0]
            figures = (
                f"highest score so far {_figure(float(now.highest[inside]))}",
                f"sum so far {_figure(float(now.total[inside]))}",
            )
            wide = self.places[1] - self.right
            drawn.spot(self.right, self.y(row), wide, self.cell, self.rows[row], *figures)


def _figure(value: float) -> str:
    """Two decimals; "−∞" before anything was seen."""
    if not math.isfinite(value):
        return "−∞"
    return minus(f"{value:.2f}")


def memory_bars(
    naive: tuple[str, float], tiled: tuple[str, float], label: str, *, wide: float = 430
) -> Diagram:
    """What both take, (in words, in bytes), on one scale."""
    name, end, pitch = 78.0, 84.0, 40.0
    drawn = Diagram(wide, 2 * pitch, label)
    most = max(naive[1], tiled[1]) or 1
    for at, (title, (figure, count), kind) in enumerate(
        (("naive", naive, "ink"), ("in tiles", tiled, "attention"))
    ):
        y, room = pitch * at, wide - name - end
        drawn.words(0, y + 16, title, size=12.5, bold=True)
        drawn.box(name, y + 4, room, 24, "tile", radius=4)
        drawn.box(name, y + 4, max(1.5, room * count / most), 24, kind, radius=4)
        drawn.words(wide, y + 16, figure, size=12.5, bold=True, anchor="end")
        drawn.spot(0, y, wide, 32, title, f"{count:,.0f} bytes at its peak")
    return drawn

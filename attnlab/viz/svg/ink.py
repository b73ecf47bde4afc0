"""Ink: how strongly a weight or a change is drawn, and maps of it as images.

The twin of ``viz/components/cells.js``: the same figures give the same picture.
"""

from __future__ import annotations

import numpy as np

from attnlab.viz import png
from attnlab.viz.svg.sheet import Theme, rgb

GAIN = 1.3  # full ink at a weight of 0.77
FAINT = 0.03  # less ink than this can hardly be seen and is left blank
_STEPS = 127  # shades of each colour in an image


def of_weights(weights: np.ndarray, side: str) -> np.ndarray:
    """Ink in [-1, 1] of weights: negative is drawn in A's colour, positive in B's."""
    return np.clip(weights, 0, 1 / GAIN) * (-GAIN if side.lower() == "a" else GAIN)


def of_change(change: np.ndarray, full: float) -> np.ndarray:
    """Ink in [-1, 1] of B − A, full at a change of ``full``."""
    return np.clip(change / full, -1, 1)


def unit(maps: np.ndarray) -> np.ndarray:
    """Weights as float32 in [0, 1]; uint8 and uint16 count up to their largest value."""
    if maps.dtype.kind == "u":
        return maps.astype(np.float32) / np.iinfo(maps.dtype).max
    return maps.astype(np.float32)


def strongest(ink: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """[..., Q, S] reduced to at most rows × columns; of each cell the value farthest from 0."""
    for axis, bins in ((-2, rows), (-1, columns)):
        length = ink.shape[axis]
        if length > bins:
            starts = np.arange(bins) * length // bins
            high = np.maximum.reduceat(ink, starts, axis)
            low = np.minimum.reduceat(ink, starts, axis)
            ink = np.where(high >= -low, high, low)
    return ink


def stretched(cells: np.ndarray, height: int, width: int) -> np.ndarray:
    """[..., rows, columns] repeated to [..., height, width], without any smoothing."""
    rows = np.arange(height) * cells.shape[-2] // height
    columns = np.arange(width) * cells.shape[-1] // width
    return cells[..., rows[:, None], columns]


def shades(ink: np.ndarray) -> np.ndarray:
    """Indices into :func:`palette`: 0 is blank, then the shades of A, then those of B."""
    level = np.rint(np.abs(ink) * _STEPS).clip(0, _STEPS).astype(np.uint8)
    level[np.abs(ink) < FAINT] = 0
    return np.where((ink > 0) & (level > 0), level + np.uint8(_STEPS), level)


def palette(theme: Theme) -> np.ndarray:
    """[255, 4] uint8, RGBA: no ink, A's colour from faint to full, B's likewise."""
    alpha = np.rint(np.arange(1, _STEPS + 1) * 255 / _STEPS).astype(np.uint8)[:, None]
    sides = [
        np.hstack([np.full((_STEPS, 3), rgb(colour), np.uint8), alpha])
        for colour in (theme.a, theme.b)
    ]
    return np.vstack([np.zeros((1, 4), np.uint8), *sides])


def image(ink: np.ndarray, theme: Theme, most: int) -> bytes:
    """The PNG of one map's ink [Q, S], a pixel for each cell, at most ``most`` a side.

    Larger maps are reduced by :func:`strongest`, in square cells.
    """
    each = -(-max(ink.shape) // most)
    small = strongest(ink, -(-ink.shape[0] // each), -(-ink.shape[1] // each))
    return png.indexed(shades(small), palette(theme))


def readable_on(colour: str, strength: float, theme: Theme) -> str:
    """Black or white, whichever can be read on this much ink of ``colour`` over a tile."""
    parts = zip((0.2126, 0.7152, 0.0722), rgb(colour), rgb(theme.tile), strict=True)
    light = sum(
        share * ((strength * ink + (1 - strength) * ground) / 255) ** 2.2
        for share, ink, ground in parts
    )
    return "#10141a" if light > 0.25 else "#ffffff"

"""PNG files: of an array of palette indices, and of an SVG, without a browser."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import vl_convert

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def indexed(index: np.ndarray, palette: np.ndarray) -> bytes:
    """A PNG of ``index`` [height, width] into ``palette`` [n ≤ 256, 4], both uint8 (RGBA).

    Raises:
        ValueError: a shape or a dtype does not fit.
    """
    if index.ndim != 2 or index.dtype != np.uint8 or not index.size:
        raise ValueError(f"a PNG is made of [height, width] uint8, not {index.shape} {index.dtype}")
    if palette.ndim != 2 or palette.shape[1] != 4 or not 0 < len(palette) <= 256:
        raise ValueError(f"a palette is [up to 256, 4], not {palette.shape}")
    height, width = index.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)  # 8 bits a pixel, a palette
    lines = np.zeros((height, width + 1), np.uint8)  # each line starts with its filter, 0: none
    lines[:, 1:] = index
    body = zlib.compress(lines.tobytes(), 6)
    colours = palette.astype(np.uint8)
    return _SIGNATURE + b"".join(
        _chunk(kind, data)
        for kind, data in (
            (b"IHDR", head),
            (b"PLTE", colours[:, :3].tobytes()),
            (b"tRNS", colours[:, 3].tobytes()),
            (b"IDAT", body),
            (b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG in pixels. Raises ValueError for anything else."""
    if png[:8] != _SIGNATURE or png[12:16] != b"IHDR":
        raise ValueError("no PNG")
    return struct.unpack(">II", png[16:24])


def of(svg: str, scale: float = 2) -> bytes:
    """The PNG of an SVG, ``scale`` pixels to each of its units; its fonts are this computer's.

    Raises:
        ValueError: it is no SVG.
    """
    return vl_convert.svg_to_png(svg, scale=scale)

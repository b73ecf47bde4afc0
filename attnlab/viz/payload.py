"""Arrays and a small header packed into the one byte string that a component receives.

Streamlit forwards a pure ``bytes`` payload as it is, while arrays nested in a mapping are turned
into strings, so everything a component draws travels in one block:

    4 bytes   length of the header, unsigned, little-endian
    header    JSON, ASCII; its key "arrays" tells where each array lies
    padding   up to a multiple of 8 bytes
    body      the arrays, C order, little-endian, each starting at a multiple of 8 bytes

The twin of :func:`pack` in the browser is ``unpack`` in ``viz/components/common.js``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

ALIGNMENT = 8
DTYPES = ("uint8", "uint16", "float32")  # what the browser side knows how to view
FINE_CELLS = 600_000  # up to here floats travel as 16 bits, so hovered figures keep two decimals


def quantise(maps: np.ndarray, *, fine: bool | None = None) -> np.ndarray:
    """Weights in [0, 1] as uint16 (``fine``; None: up to FINE_CELLS values) or uint8; uint8 stays.

    Raises:
        ValueError: a value is not finite or lies outside [0, 1] (beyond rounding).
    """
    if maps.dtype == np.uint8:
        return maps
    low, high = (float(maps.min()), float(maps.max())) if maps.size else (0.0, 0.0)
    if not (low >= -1e-4 and high <= 1 + 1e-4):  # written so that NaN fails too
        raise ValueError(f"attention maps hold values from {low} to {high}; they must be in [0, 1]")
    fine = maps.size <= FINE_CELLS if fine is None else fine
    top, dtype = (65535, np.uint16) if fine else (255, np.uint8)
    scaled = np.clip(maps, 0, 1) * np.float32(top)
    return (scaled + np.float32(0.5)).astype(dtype)


def _padding(length: int) -> int:
    return -length % ALIGNMENT


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Pack ``header`` (JSON-able, without a key "arrays") and named ``arrays``.

    Raises:
        ValueError: an array's dtype is not one of :data:`DTYPES`.
    """
    placed, body, offset = {}, [], 0
    for name, array in arrays.items():
        if array.dtype.name not in DTYPES:
            raise ValueError(f"array {name!r} is {array.dtype}; a payload takes {DTYPES}")
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        raw = np.ascontiguousarray(little).tobytes()
        placed[name] = {"dtype": array.dtype.name, "shape": array.shape, "offset": offset}
        raw += bytes(_padding(len(raw)))
        body.append(raw)
        offset += len(raw)
    # ASCII escapes keep lone surrogates, which a tokenizer can produce, from breaking the encoding.
    text = json.dumps({**header, "arrays": placed}, separators=(",", ":")).encode("ascii")
    head = len(text).to_bytes(4, "little") + text
    return b"".join([head, bytes(_padding(len(head))), *body])


def unpack(payload: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The inverse of :func:`pack`: the header without "arrays", and the arrays (read-only)."""
    length = int.from_bytes(payload[:4], "little")
    header = json.loads(payload[4 : 4 + length])
    start = 4 + length + _padding(4 + length)
    arrays = {}
    for name, place in header.pop("arrays").items():
        dtype = np.dtype(place["dtype"]).newbyteorder("<")
        count = int(np.prod(place["shape"], dtype=np.int64))
        flat = np.frombuffer(payload, dtype, count, start + place["offset"])
        arrays[name] = flat.reshape(place["shape"])
    return header, arrays

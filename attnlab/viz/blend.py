"""The payload of a dictionary that is looked up softly: one query's shares at every sharpness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz.payload import pack
from attnlab.viz.tokens import label as drawn


def blend_payload(
    *,
    stops: Sequence[str],
    stop: int,
    keys: Sequence[str],
    values: np.ndarray,
    columns: Sequence[str],
    weights: np.ndarray,
    blends: np.ndarray,
    hidden: Sequence[bool],
    label: str = "",
    serial: int = 0,
) -> bytes:
    """Pack one query's lookup at every stop of the slider, so that moving it asks nobody.

    Args:
        stops: the name of each stop, from an even blend to a single match.
        stop: where the slider starts.
        keys: the n words that are looked at.
        values: [n, E], what each of them hands on.
        columns: the E names of the values' numbers.
        weights: [stops, n], the shares at each stop.
        blends: [stops, E], the values blended by them.
        hidden: of each key, whether the query may not see it.
        label: what the picture is, for screen readers.

    Raises:
        ValueError: the shapes do not fit each other, or a share is no share.
    """
    n, size = values.shape
    if weights.shape != (len(stops), n) or blends.shape != (len(stops), size):
        raise ValueError(f"weights {weights.shape}, blends {blends.shape}: not {len(stops)} stops")
    if (len(keys), len(hidden), len(columns)) != (n, n, size) or not 0 <= stop < len(stops):
        raise ValueError("keys, hidden, columns and stop do not fit the values")
    if not (weights.min() >= 0 and weights.max() <= 1 + 1e-9):  # written so that NaN fails too
        raise ValueError(f"shares lie from {weights.min()} to {weights.max()}")
    header: dict[str, Any] = {
        "stops": list(stops),
        "stop": stop,
        "keys": [drawn({"text": key}) for key in keys],
        "values": values.tolist(),
        "columns": [drawn({"text": name}) for name in columns],
        "weights": weights.tolist(),
        "blends": blends.tolist(),
        "hidden": [bool(one) for one in hidden],
        "label": label,
        "serial": serial,
    }
    return pack(header, {})

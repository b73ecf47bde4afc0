"""The payload of a small table of weights: a row for each way to do something, with a remark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz.payload import pack
from attnlab.viz.tokens import label as drawn


def rows_payload(
    columns: Sequence[str],
    rows: Sequence[tuple[str, np.ndarray, str]],
    *,
    label: str = "",
) -> bytes:
    """Pack rows of (name, [n] weights, remark) under the names of n columns.

    A weight may be NaN, where a softmax has nothing to share out: it is drawn as it is.

    Raises:
        ValueError: a row has not as many weights as there are columns, or one is no weight.
    """
    lines: list[dict[str, Any]] = []
    for name, weights, remark in rows:
        known = weights[~np.isnan(weights)]
        if weights.shape != (len(columns),) or (known < 0).any() or (known > 1 + 1e-6).any():
            raise ValueError(f"row {name!r} holds {weights}, not {len(columns)} weights")
        figures = [None if np.isnan(weight) else float(weight) for weight in weights]
        lines.append({"name": name, "weights": figures, "remark": remark})
    header = {
        "columns": [drawn({"text": column}) for column in columns],
        "rows": lines,
        "label": label,
    }
    return pack(header, {})

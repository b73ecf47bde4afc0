"""Which words a cache that keeps the last and the first ones has dropped."""

from __future__ import annotations

import numpy as np


def forgotten(queries: int, keys: int, kept: tuple[int, int] | None) -> np.ndarray:
    """[Q, S], True where the key was dropped before the query came; the twin of ``isForgotten`` in
    ``components/common.js``.

    Args:
        kept: how many of the last words, the query among them, and of the first ones; None: all.

    >>> forgotten(4, 4, (2, 1)).astype(int).tolist()
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    """
    if kept is None:
        return np.zeros((queries, keys), bool)
    last, first = kept
    query, key = np.arange(queries)[:, None], np.arange(keys)[None]
    return (key >= first) & (key <= query - last)

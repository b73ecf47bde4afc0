"""Which head of all is worth opening first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz.difference import at, comparable, kept_columns


def most_changed(
    a: np.ndarray,
    b: np.ndarray,
    tokens_a: Sequence[Any],
    tokens_b: Sequence[Any],
    *,
    drop_first: bool = True,
    causal: bool = True,
) -> tuple[int, int] | None:
    """The (layer, head) of maps [L, H, q, s] with the largest single change; None if none changes.

    Both indices count the maps.
    """
    cells = comparable(
        tokens_a, tokens_b, shape_a=a.shape[-2:], shape_b=b.shape[-2:], causal=causal
    )
    columns = kept_columns(cells, drop_first)
    if not cells.rows or not columns:
        return None
    before, after = at(a, b, cells.rows, columns)
    change = np.abs(after - before).max(axis=(-2, -1))
    return _largest(change) if change.max() > 0 else None


def most_focused(maps: np.ndarray) -> tuple[int, int] | None:
    """The (layer, head) of maps [L, H, q, s] whose words look hardest at one word past the first.

    By the mean over all rows but the first of the largest weight outside the first column; None
    for a text of one token.
    """
    beyond = maps[..., 1:, 1:]
    return _largest(beyond.max(axis=-1).mean(axis=-1)) if beyond.size else None


def _largest(scores: np.ndarray) -> tuple[int, int]:
    layer, head = np.unravel_index(np.argmax(scores), scores.shape)
    return int(layer), int(head)

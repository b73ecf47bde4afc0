"""Which head of all is worth opening first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz.difference import compare


def most_changed(
    a: np.ndarray, b: np.ndarray, tokens_a: Sequence[Any], tokens_b: Sequence[Any], **options: Any
) -> tuple[int, int] | None:
    """The (layer, head) of maps [L, H, q, s] with the largest single change; None if none changes.

    Both indices count the maps. ``options`` are those of :func:`attnlab.viz.difference.compare`.
    """
    found = compare(a, b, tokens_a, tokens_b, **options)
    if found is None:
        return None
    change = found.size.max(axis=(-2, -1))
    return _largest(change) if change.max() > 0 else None


def most_focused(maps: np.ndarray) -> tuple[int, int] | None:
    """The (layer, head) of maps [L, H, q, s] whose words look hardest at another one.

    By the mean over all rows but the first of the largest weight outside the first column, the
    word itself left out where rows and columns are the same words; None for a text of one token.
    """
    beyond = maps[..., 1:, 1:]
    if not beyond.size:
        return None
    if beyond.shape[-2] == beyond.shape[-1]:
        beyond = np.where(np.eye(beyond.shape[-1], dtype=bool), 0, beyond)
    return _largest(beyond.max(axis=-1).mean(axis=-1))


def _largest(scores: np.ndarray) -> tuple[int, int]:
    layer, head = np.unravel_index(np.argmax(scores), scores.shape)
    return int(layer), int(head)

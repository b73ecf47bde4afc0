"""What heads have in common and which come first, of arrays that pages hold."""

from __future__ import annotations

import numpy as np
import torch

from attnlab.analysis import find, roles, similarity
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import Reading
from attnlab.ui.selection import Head


def alike(reader: Reader, reading: Reading, weights: np.ndarray) -> np.ndarray | None:
    """[n, n] of heads [n, Q, S] on a passage: 1 alike, 0 apart. None where maps are reduced."""
    if not reading.whole:
        return None
    return similarity.pairwise(torch.tensor(weights), causal=reader.causal).numpy()


def ranked(reader: Reader, values: np.ndarray, count: int) -> list[find.Ranked]:
    """The (layer, head, value) with the largest values [L, H], NaN left out."""
    return find.ranked(torch.tensor(values), count, reader.layers)


def kinds(reader: Reader, reading: Reading) -> dict[str, Head]:
    """A head of each plain kind on a passage, by what it does there; {} where maps are reduced."""
    if not reading.whole:
        return {}
    return roles.suggest(torch.tensor(reading.maps), reader.layers, causal=reader.causal)

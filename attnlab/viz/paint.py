"""The payload of a mask that is painted by hand: who may look at whom, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.viz.payload import pack
from attnlab.viz.tokens import rows

Cell = tuple[int, int, int]
"""A painted cell: query, key, and 1 where it is shown, 0 where it is hidden."""


@dataclass(frozen=True, eq=False)
class Weighed:
    """What attention makes of the mask, where the scores are known.

    Attributes:
        scores: [n, n], before the mask.
        weights: [n, n] after it; a row that sees nothing is all 0.
    """

    scores: np.ndarray
    weights: np.ndarray


def paint_payload(
    words: Sequence[Any],
    base: np.ndarray,
    *,
    cells: Sequence[Cell] = (),
    row: int = -1,
    predicts: bool = True,
    weighed: Weighed | None = None,
    label: str = "",
    serial: int = 0,
) -> bytes:
    """Pack a mask over words.

    Args:
        words: n tokens, or plain dicts of them.
        base: bool [n, n], True where the pattern lets the row look at the column.
        cells: what is painted over it at first.
        row: the word that is looked from at first; -1 for the last.
        predicts: whether each word is to predict the one after it.
        label: what the picture is, for screen readers.

    Raises:
        ValueError: a table does not fit the words, or a cell or the row is outside it.
    """
    n = len(words)
    for name, table in (("base", base), *(() if weighed is None else _tables(weighed))):
        if table.shape != (n, n):
            raise ValueError(f"{name} {table.shape} does not fit {n} words")
    if not -1 <= row < n or any(not 0 <= place < n for cell in cells for place in cell[:2]):
        raise ValueError(f"row {row} or a cell of {list(cells)} is outside {n} words")
    header = {
        "words": rows(words),
        "cells": [[int(part) for part in cell] for cell in cells],
        "row": n - 1 if row < 0 else row,
        "predicts": predicts,
        "weighed": weighed is not None,
        "label": label,
        "serial": serial,
    }
    arrays = {"base": base.astype(np.uint8)}
    if weighed is not None:
        arrays |= {name: table.astype(np.float32) for name, table in _tables(weighed)}
    return pack(header, arrays)


def _tables(weighed: Weighed) -> tuple[tuple[str, np.ndarray], ...]:
    return ("scores", weighed.scores), ("weights", weighed.weights)

"""The payload of a mask, or of a pattern of attention, that is painted by hand, word by word."""

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


@dataclass(frozen=True, eq=False)
class Looks:
    """Cells say where a word looks, not where it may look: its weight lies evenly on them.

    Attributes:
        ahead: whether a word can look at what comes after it; where not, nothing is painted there.
        own: [n, m], where the head looks in rows that have no cell; None where nobody knows.
    """

    ahead: bool = True
    own: np.ndarray | None = None


def paint_payload(
    words: Sequence[Any],
    base: np.ndarray,
    *,
    keys: Sequence[Any] | None = None,
    looks: Looks | None = None,
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
        base: bool [n, m], True where the pattern lets the row look at the column.
        keys: m tokens that are looked at, where they are of another text than ``words``.
        looks: given for a pattern of attention, left out for a mask.
        cells: what is painted over it at first.
        row: the word that is looked from at first; -1 for the last.
        predicts: whether each word is to predict the one after it.
        label: what the picture is, for screen readers.

    Raises:
        ValueError: a table does not fit the words, or a cell or the row is outside it.
    """
    n, m = len(words), len(words if keys is None else keys)
    tables = {} if weighed is None else {"scores": weighed.scores, "weights": weighed.weights}
    if looks is not None and looks.own is not None:
        tables["own"] = looks.own
    for name, table in ({"base": base} | tables).items():
        if table.shape != (n, m):
            raise ValueError(f"{name} {table.shape} does not fit {n} words and {m} keys")
    if not -1 <= row < n or any(not (0 <= q < n and 0 <= k < m) for q, k, _ in cells):
        raise ValueError(f"row {row} or a cell of {list(cells)} is outside {n} words and {m} keys")
    header = {
        "words": rows(words),
        "keys": None if keys is None else rows(keys),
        "looks": None if looks is None else {"ahead": looks.ahead},
        "cells": [[int(part) for part in cell] for cell in cells],
        "row": n - 1 if row < 0 else row,
        "predicts": predicts,
        "weighed": weighed is not None,
        "label": label,
        "serial": serial,
    }
    arrays = {name: table.astype(np.float32) for name, table in tables.items()}
    return pack(header, {"base": base.astype(np.uint8)} | arrays)

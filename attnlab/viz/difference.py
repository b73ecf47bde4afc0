"""B − A: which cells of two attention maps can be compared, and where they differ most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.viz import align

Pairs = list[tuple[int, int]]

_NEEDS = (
    "B − A needs two texts of equal length in tokens, or of up to 64 tokens each; A has {}, B {}."
)
_APART = "B − A needs words that correspond, and none but the first word of A and B do."


@dataclass(frozen=True)
class Comparable:
    """The rows and columns of two maps that correspond, as (position in A, position in B).

    ``note`` is "" or one sentence that says why nothing, or not everything, is compared.
    """

    rows: Pairs
    columns: Pairs
    note: str = ""


@dataclass(frozen=True)
class Change:
    """The cell of one head that differs most; ``query`` and ``key`` are positions in B."""

    query: int
    key: int
    before: float  # the weight in A
    after: float  # the weight in B


def _first_bin(position: int, bins: int, length: int) -> int:
    """First of ``bins`` pooled rows that covers ``position`` of ``length`` (adaptive pooling)."""
    return next(i for i in range(bins) if -(-(i + 1) * length // bins) > position)


def _aligned(tokens_a: Sequence[Any], tokens_b: Sequence[Any], bins: tuple[int, int]) -> Pairs:
    """Corresponding rows or columns; pooled maps correspond only when the lengths agree."""
    if bins == (len(tokens_a), len(tokens_b)):
        return align.pairs(tokens_a, tokens_b)
    if len(tokens_a) == len(tokens_b) and bins[0] == bins[1]:
        return [(i, i) for i in range(bins[0])]
    return []


def comparable(
    tokens_a: Sequence[Any],
    tokens_b: Sequence[Any],
    *,
    shape_a: tuple[int, int],
    shape_b: tuple[int, int],
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    causal: bool,
) -> Comparable:
    """Rows and columns of maps of ``shape_a`` and ``shape_b`` ([q, s]) that can be compared.

    With ``causal`` only rows from the first differing token on are kept: no earlier one can
    differ. Maps smaller than their token lists are taken as pooled to that many bins.
    """
    sources_a = tokens_a if sources_a is None else sources_a
    sources_b = tokens_b if sources_b is None else sources_b
    start = align.first_difference(tokens_a, tokens_b)
    if start is None and align.first_difference(sources_a, sources_b) is None:
        return Comparable([], [], "A and B are the same tokens, so nothing differs.")
    found = _aligned(tokens_a, tokens_b, (shape_a[0], shape_b[0]))
    columns = _aligned(sources_a, sources_b, (shape_a[1], shape_b[1]))
    if not found or not columns:
        return Comparable([], [], _NEEDS.format(len(tokens_a), len(tokens_b)))
    if causal and start is not None:
        if shape_a[0] != len(tokens_a):
            start = _first_bin(min(start, len(tokens_a) - 1), shape_a[0], len(tokens_a))
        found = [(i, j) for i, j in found if i >= start]
    if not found:
        return Comparable([], columns, "One sentence continues the other, so no row can differ.")
    missed = shape_a[1] + shape_b[1] - 2 * len(columns)
    note = f"Left out, without a counterpart: {missed} of the tokens." if missed else ""
    return Comparable(found, columns, note)


def at(a: np.ndarray, b: np.ndarray, rows: Pairs, columns: Pairs) -> tuple[np.ndarray, np.ndarray]:
    """Both sides of the compared cells, [..., rows, columns], of maps [..., q, s]."""
    i, j = np.asarray(rows), np.asarray(columns)
    return a[..., i[:, :1], j[:, 0]], b[..., i[:, 1:], j[:, 1]]


def kept_columns(cells: Comparable, drop_first: bool) -> Pairs:
    """The columns of ``cells`` that are drawn: with ``drop_first`` not those of a first token."""
    return [pair for pair in cells.columns if not (drop_first and 0 in pair)]


def obstacle(
    tokens_a: Sequence[Any],
    tokens_b: Sequence[Any],
    *,
    shape_a: tuple[int, int],
    shape_b: tuple[int, int],
    drop_first: bool = True,
    causal: bool = True,
) -> str:
    """One sentence on why B − A of maps of these shapes would be blank; "" where it is not."""
    cells = comparable(tokens_a, tokens_b, shape_a=shape_a, shape_b=shape_b, causal=causal)
    if not cells.rows:
        return cells.note
    return "" if kept_columns(cells, drop_first) else _APART


def largest(
    a: np.ndarray,
    b: np.ndarray,
    tokens_a: Sequence[Any],
    tokens_b: Sequence[Any],
    *,
    drop_first: bool = True,
    causal: bool = True,
) -> Change | None:
    """The cell of one head ([Q, S] weights in A and B) that differs most; None if none can."""
    cells = comparable(
        tokens_a, tokens_b, shape_a=a.shape[-2:], shape_b=b.shape[-2:], causal=causal
    )
    columns = kept_columns(cells, drop_first)
    if not cells.rows or not columns:
        return None
    rows, keys = np.asarray(cells.rows), np.asarray(columns)
    before, after = at(a, b, cells.rows, columns)
    row, key = np.unravel_index(np.argmax(np.abs(after - before)), before.shape)
    return Change(
        query=int(rows[row, 1]),
        key=int(keys[key, 1]),
        before=float(before[row, key]),
        after=float(after[row, key]),
    )

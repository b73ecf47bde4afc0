"""B − A: which cells of two attention maps can be compared, and where they differ most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.viz import align
from attnlab.viz.pooling import cell_side

Pairs = list[tuple[int, int]]
Merged = list[tuple[int | None, int | None]]

LEAST_CHANGE = 0.05  # full ink in B − A is never a smaller change, so that noise stays faint

_NEEDS = (
    "B − A needs two texts of equal length in tokens, or of up to 64 tokens each; A has {}, B {}."
)
_APART = "B − A needs words that correspond, and none but the first word of A and B do."


@dataclass(frozen=True)
class Comparable:
    """The rows and columns of two maps, as (position in A, position in B).

    ``rows`` and ``columns`` correspond and are compared. ``merged_rows`` and ``merged_columns``
    hold them in their places among those that only one side has (None on the other). ``note`` is
    "" or one sentence that says why nothing is compared. ``alone`` counts the positions that only
    A and only B have, ``left_out`` those of long texts that are not even among the merged ones.
    """

    rows: Pairs
    columns: Pairs
    note: str = ""
    merged_rows: Merged = ()
    merged_columns: Merged = ()
    alone: tuple[int, int] = (0, 0)
    left_out: tuple[int, int] = (0, 0)

    def remark(self, drawn: str) -> str:
        """Why nothing, or not everything, is compared, or ""; ``drawn`` is how the rest looks."""
        return self.note or only(drawn, self.alone) or only("Left out", self.left_out)


@dataclass(frozen=True)
class Change:
    """The cell of one head that differs most; ``query`` and ``key`` are positions in B."""

    query: int
    key: int
    before: float  # the weight in A
    after: float  # the weight in B


@dataclass(frozen=True)
class Compared:
    """Both sides of the compared cells, [..., rows, columns], and which cells those are."""

    before: np.ndarray
    after: np.ndarray
    rows: Pairs
    columns: Pairs

    @property
    def size(self) -> np.ndarray:
        """How much each cell changes, whichever way."""
        return np.abs(self.after.astype(np.float32) - self.before)


def _merged(tokens_a: Sequence[Any], tokens_b: Sequence[Any], bins: tuple[int, int]) -> Merged:
    """All rows or columns; pooled maps correspond only when the lengths agree, else none do."""
    if bins == (len(tokens_a), len(tokens_b)):
        return align.merged(tokens_a, tokens_b)
    if len(tokens_a) == len(tokens_b) and bins[0] == bins[1]:
        return [(i, i) for i in range(bins[0])]
    return []


def both(merged: Merged) -> Pairs:
    """The positions of ``merged`` that both sides have."""
    return [(i, j) for i, j in merged if i is not None and j is not None]


def alone(rows: Merged, columns: Merged, crosses: bool) -> tuple[int, int]:
    """How many tokens only A and only B have; rows are looked through where a text ``crosses``."""
    pairs = [*rows, *columns] if crosses else columns
    return sum(j is None for _, j in pairs), sum(i is None for i, _ in pairs)


def only(what: str, counts: tuple[int, int]) -> str:
    """ "Hatched: 1 token only in A and 2 tokens only in B", or "" for none at all."""
    parts = [
        f"{count} {'token' if count == 1 else 'tokens'} only in {side}"
        for side, count in zip("AB", counts, strict=True)
        if count
    ]
    return f"{what}: {' and '.join(parts)}" if parts else ""


def comparable(
    tokens_a: Sequence[Any],
    tokens_b: Sequence[Any],
    *,
    shape_a: tuple[int, int],
    shape_b: tuple[int, int],
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    causal: bool,
    start: int | None = None,
    left_out: tuple[int, int] = (0, 0),
) -> Comparable:
    """Rows and columns of maps of ``shape_a`` and ``shape_b`` ([q, s]) that can be compared.

    With ``causal`` only rows from the first differing token on are kept: no earlier one can
    differ. Maps smaller than their token lists are reduced, see :mod:`attnlab.viz.pooling`.

    Of long texts only the tokens that correspond may be given: then ``start`` is the first of them
    whose row can differ, and ``left_out`` how many of A and of B have no counterpart.
    """
    keys_a = tokens_a if sources_a is None else sources_a
    keys_b = tokens_b if sources_b is None else sources_b
    if start is None:
        start = align.first_difference(tokens_a, tokens_b)
    if start is None and align.first_difference(keys_a, keys_b) is None:
        return Comparable([], [], "A and B are the same tokens, so nothing differs.")
    rows = _merged(tokens_a, tokens_b, (shape_a[0], shape_b[0]))
    columns = _merged(keys_a, keys_b, (shape_a[1], shape_b[1]))
    if not both(rows) or not both(columns):
        return Comparable([], [], _NEEDS.format(len(tokens_a), len(tokens_b)))
    # Crossing to another text, every word can look everywhere: there is no earlier row.
    crosses = sources_a is not None or sources_b is not None
    kept = rows
    if causal and start is not None and not crosses:
        kept = rows[start // cell_side(shape_a, len(tokens_a), len(keys_a)) :]
    if not both(kept):
        return Comparable(
            [], both(columns), "One sentence continues the other, so no row can differ."
        )
    counts = alone(rows, columns, crosses)
    return Comparable(both(kept), both(columns), "", kept, columns, counts, left_out)


def _taken(maps: np.ndarray, rows: Sequence[int], columns: Sequence[int]) -> np.ndarray:
    """``maps`` [..., q, s] at these rows and columns; a stretch is sliced, not copied."""

    def stretch(places: Sequence[int]) -> slice | Sequence[int]:
        whole = places[-1] - places[0] == len(places) - 1
        return slice(places[0], places[-1] + 1) if whole else places

    return maps[..., stretch(rows), :][..., stretch(columns)]


def at(a: np.ndarray, b: np.ndarray, rows: Pairs, columns: Pairs) -> tuple[np.ndarray, np.ndarray]:
    """Both sides of the compared cells, [..., rows, columns], of maps [..., q, s]."""
    (rows_a, rows_b), (columns_a, columns_b) = zip(*rows, strict=True), zip(*columns, strict=True)
    return _taken(a, rows_a, columns_a), _taken(b, rows_b, columns_b)


def kept_columns(cells: Comparable, drop_first: bool) -> Merged:
    """The merged columns that are drawn: with ``drop_first`` not those of a first token."""
    return [pair for pair in cells.merged_columns if not (drop_first and 0 in pair)]


def obstacle(
    tokens_a: Sequence[Any],
    tokens_b: Sequence[Any],
    *,
    shape_a: tuple[int, int],
    shape_b: tuple[int, int],
    drop_first: bool = True,
    causal: bool = True,
    **options: Any,
) -> str:
    """One sentence on why B − A of maps of these shapes would be blank; "" where it is not.

    ``options`` are ``sources_a``, ``sources_b`` and ``start`` of :func:`comparable`.
    """
    cells = comparable(
        tokens_a, tokens_b, shape_a=shape_a, shape_b=shape_b, causal=causal, **options
    )
    if not cells.rows:
        return cells.note
    return "" if both(kept_columns(cells, drop_first)) else _APART


def compare(
    a: np.ndarray,
    b: np.ndarray,
    tokens_a: Sequence[Any],
    tokens_b: Sequence[Any],
    *,
    drop_first: bool = True,
    causal: bool = True,
    **options: Any,
) -> Compared | None:
    """The cells of maps ``a`` and ``b`` [..., q, s] that are compared; None if there are none.

    ``options`` are ``sources_a``, ``sources_b`` and ``start`` of :func:`comparable`.
    """
    shapes = {"shape_a": a.shape[-2:], "shape_b": b.shape[-2:]}
    cells = comparable(tokens_a, tokens_b, **shapes, causal=causal, **options)
    columns = both(kept_columns(cells, drop_first))
    if not cells.rows or not columns:
        return None
    return Compared(*at(a, b, cells.rows, columns), cells.rows, columns)


def full_change(before: np.ndarray, after: np.ndarray) -> float:
    """The change that gets full ink: the largest one drawn, at least :data:`LEAST_CHANGE`.

    Weights in [0, 1], or bytes of which 255 is 1.
    """
    change = after.astype(np.float32) - before
    return full_of(change, 255 if before.dtype == np.uint8 else 1)


def full_of(change: np.ndarray, unit: float = 1) -> float:
    """The same of changes, ``unit`` of which are a weight of 1; of none at all the least."""
    largest = max(change.max(), -change.min()) if change.size else 0
    return max(LEAST_CHANGE, float(largest) / unit)


def largest(
    a: np.ndarray, b: np.ndarray, tokens_a: Sequence[Any], tokens_b: Sequence[Any], **options: Any
) -> Change | None:
    """The cell of one head ([Q, S] weights in A and B) that differs most; None if none can.

    ``options`` are those of :func:`compare`.
    """
    found = compare(a, b, tokens_a, tokens_b, **options)
    if found is None:
        return None
    row, key = np.unravel_index(np.argmax(found.size), found.size.shape)
    return Change(
        query=found.rows[row][1],
        key=found.columns[key][1],
        before=float(found.before[row, key]),
        after=float(found.after[row, key]),
    )

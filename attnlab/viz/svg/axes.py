"""What one head's picture has along its sides, and what lies in each of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.viz import align
from attnlab.viz.difference import full_of
from attnlab.viz.forgotten import forgotten
from attnlab.viz.svg import ink
from attnlab.viz.svg.text import spoken
from attnlab.viz.tokens import field

Axis = list[tuple[int | None, int | None]]


@dataclass(frozen=True)
class Label:
    """A word at the side of a picture.

    ``side`` is the sentence that alone has it, else ""; ``pair`` are A's and B's words where they
    stand in for each other and differ.
    """

    text: str
    special: bool = False
    side: str = ""
    pair: tuple[str, str] | None = None


@dataclass(frozen=True)
class Cells:
    """One head, ready to be drawn: everything by row and column, [Q, S].

    Attributes:
        values: weights, or changes of them.
        ink: in [-1, 1]; negative is A's colour.
        blank: cells that do not exist, such as a causal model's future, or what was forgotten.
        apart: cells without a counterpart in the other sentence, which are hatched.
        rows, columns: the words that look, and those looked at.
        change: whether the values are changes.
        full: the value that gets full ink.
    """

    values: np.ndarray
    ink: np.ndarray
    blank: np.ndarray
    apart: np.ndarray
    rows: list[Label]
    columns: list[Label]
    change: bool = False
    full: float = 1 / ink.GAIN


def labels(tokens: Sequence[Any]) -> list[Label]:
    """A label for each token."""
    return [Label(spoken(token), bool(field(token, "special", False))) for token in tokens]


def future(queries: int, keys: int, causal: bool) -> np.ndarray:
    """[Q, S], True where a causal model cannot look."""
    if not causal:
        return np.zeros((queries, keys), bool)
    return np.arange(keys)[None, :] > np.arange(queries)[:, None]


def of_one(
    weights: np.ndarray,
    tokens: Sequence[Any],
    sources: Sequence[Any] | None,
    causal: bool,
    side: str,
    forgets: tuple[int, int] | None = None,
) -> Cells:
    """The weights [Q, S] of one head on one sentence.

    Args:
        forgets: as :func:`attnlab.viz.forgotten.forgotten` takes it.

    Raises:
        ValueError: the weights do not fit the tokens.
    """
    values = ink.unit(weights)
    keys = tokens if sources is None else sources
    if values.shape != (len(tokens), len(keys)):
        raise ValueError(f"weights are {values.shape}, for {len(tokens)} and {len(keys)} tokens")
    blank = future(*values.shape, causal and sources is None)
    blank = blank | forgotten(*values.shape, forgets)
    # A row that sees nothing is drawn as such, not as a row of zeros.
    apart = np.broadcast_to(values.sum(-1, keepdims=True) == 0, values.shape) & ~blank
    return Cells(values, ink.of_weights(values, side), blank, apart, labels(tokens), labels(keys))


def of_reduced(weights: np.ndarray, causal: bool, side: str) -> Cells:
    """The map [q, s] of one head on a long text, a cell for each square of positions."""
    values = ink.unit(weights)
    queries, keys = values.shape
    blank = future(queries, keys, causal)
    nothing = np.zeros(values.shape, bool)
    places = [[Label(str(at)) for at in range(count)] for count in (queries, keys)]
    return Cells(values, ink.of_weights(values, side), blank, nothing, *places)


def _merged_labels(axis: Axis, a: Sequence[Any], b: Sequence[Any]) -> list[Label]:
    """Words of a merged axis: both where they stand in for each other."""
    found = []
    for i, j in axis:
        one = None if i is None else spoken(a[i])
        two = None if j is None else spoken(b[j])
        special = bool(field(a[i] if j is None else b[j], "special", False))
        if one is None or two is None:
            found.append(Label(one or two or "", special, "b" if one is None else "a"))
        else:
            pair = None if one == two else (one, two)
            found.append(Label(two if pair is None else f"{one} / {two}", special, pair=pair))
    return found


def _spread(weights: np.ndarray, rows: Axis, columns: Axis, which: int) -> np.ndarray:
    """Weights [Q, S] of one sentence over merged axes; NaN where it has no such cell."""
    at_row = [(to, pair[which]) for to, pair in enumerate(rows) if pair[which] is not None]
    at_column = [(to, pair[which]) for to, pair in enumerate(columns) if pair[which] is not None]
    wide = np.full((len(rows), len(columns)), np.nan, np.float32)
    (to_i, i), (to_j, j) = np.array(at_row).T, np.array(at_column).T
    wide[np.ix_(to_i, to_j)] = weights[np.ix_(i, j)]
    return wide


def of_change(
    a: np.ndarray,
    b: np.ndarray,
    tokens_a: Sequence[Any],
    tokens_b: Sequence[Any],
    sources_a: Sequence[Any] | None,
    sources_b: Sequence[Any] | None,
    causal: bool,
) -> Cells:
    """B − A of one head over the merged words of both sentences."""
    keys_a = tokens_a if sources_a is None else sources_a
    keys_b = tokens_b if sources_b is None else sources_b
    rows, columns = align.merged(tokens_a, tokens_b), align.merged(keys_a, keys_b)
    one = _spread(ink.unit(a), rows, columns, 0)
    two = _spread(ink.unit(b), rows, columns, 1)
    apart = np.isnan(one) | np.isnan(two)
    change = np.where(apart, 0, np.nan_to_num(two) - np.nan_to_num(one))
    blank = np.zeros(change.shape, bool)
    if causal and sources_a is None:
        blank = future(*change.shape, True)  # both axes are the same, in reading order
    full = full_of(change)
    return Cells(
        change,
        ink.of_change(change, full),
        blank,
        apart & ~blank,
        _merged_labels(rows, tokens_a, tokens_b),
        _merged_labels(columns, keys_a, keys_b),
        True,
        full,
    )

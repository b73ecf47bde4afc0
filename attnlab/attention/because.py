"""How one cell of a worked example was made, in numbers.

``why`` gives the terms whose sum, quotient or softmax is the cell, each with the cells that it was
made from: what a page shows when a cell is chosen. The cell is never computed here: the terms are
read from the matrices before it, and the tests add them up again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from attnlab.attention.steps import TYPED, Steps
from attnlab.errors import InputError

Kind = Literal["typed", "sum", "divided", "same", "hidden", "shares"]
HEADED: Final = ("scores", "scaled", "masked", "weights", "z")
"""Matrices of which every head has its own; of the others, heads own columns."""
COMPUTED: Final = ("q", "k", "v", *HEADED, "joined", "out")
_SMALL: Final = 30.0  # e to this is still a number that one can read


@dataclass(frozen=True)
class Cell:
    """A place: a matrix, its row and column, and the head whose matrix it is (0 where shared)."""

    matrix: str
    row: int
    column: int
    head: int = 0


@dataclass(frozen=True)
class Term:
    """A part of a cell.

    Attributes:
        value: the part.
        factors: what it was made of: the two numbers of a product, or the exponent of e.
        cells: where those numbers stand.
    """

    value: float
    factors: tuple[float, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Because:
    """Why a cell holds what it holds.

    Attributes:
        kind: ``typed`` by hand; ``sum`` of products; ``divided`` by √D; ``same`` as the cell
            before it; ``hidden`` by the mask; ``shares``: e to its score over the sum of all.
        value: the cell's own number; −∞ where it is hidden.
        terms: its parts, in the order of the keys or dimensions.
        own: of ``shares``, which term is its own; None where its key is hidden.
        shift: of ``shares``, what was taken off every score, so that e to it stays readable; the
            shares are the same.
    """

    kind: Kind
    value: float
    terms: tuple[Term, ...] = ()
    own: int | None = None
    shift: float = 0.0


def why(steps: Steps, cell: Cell) -> Because:
    """What made ``cell``.

    Raises:
        InputError: there is no such cell.
    """
    matrix = _matrix(steps, cell)
    if not (0 <= cell.row < len(matrix) and 0 <= cell.column < len(matrix[0])):
        raise InputError(f"{cell} is no cell of this example.")
    value = matrix[cell.row][cell.column]
    if cell.matrix in TYPED:
        return Because("typed", value)
    return _MAKERS[cell.matrix](steps, cell, value)


def _matrix(steps: Steps, cell: Cell) -> list[list[float]]:
    heads = steps.example.heads if cell.matrix in HEADED else 1
    if cell.matrix not in (*TYPED, *COMPUTED) or not 0 <= cell.head < heads:
        raise InputError(f"{cell} is no cell of this example.")
    whole = steps.lists[cell.matrix]
    return whole[cell.head] if cell.matrix in HEADED else whole


def _sum(steps: Steps, value: float, pairs: list[tuple[Cell, Cell]]) -> Because:
    """A sum of products of two cells each."""
    terms = []
    for one, other in pairs:
        a, b = (_matrix(steps, cell)[cell.row][cell.column] for cell in (one, other))
        terms.append(Term(a * b, (a, b), (one, other)))
    return Because("sum", value, tuple(terms))


def _projected(left: str, right: str) -> Callable[[Steps, Cell, float], Because]:
    """A cell of left·right: a row times a column."""

    def made(steps: Steps, cell: Cell, value: float) -> Because:
        count = getattr(steps, left).shape[1]
        pairs = [(Cell(left, cell.row, m), Cell(right, m, cell.column)) for m in range(count)]
        return _sum(steps, value, pairs)

    return made


def _score(steps: Steps, cell: Cell, value: float) -> Because:
    size = steps.example.key_size
    columns = range(cell.head * size, (cell.head + 1) * size)
    pairs = [(Cell("q", cell.row, c), Cell("k", cell.column, c)) for c in columns]
    return _sum(steps, value, pairs)


def _output(steps: Steps, cell: Cell, value: float) -> Because:
    column = cell.head * steps.example.value_size + cell.column
    pairs = [
        (Cell("weights", cell.row, j, cell.head), Cell("v", j, column))
        for j in range(len(steps.example.tokens))
    ]
    return _sum(steps, value, pairs)


def _before(cell: Cell, matrix: str, number: float) -> tuple[Term]:
    return (Term(number, (number,), (Cell(matrix, cell.row, cell.column, cell.head),)),)


def _scaled(steps: Steps, cell: Cell, value: float) -> Because:
    score = steps.lists["scores"][cell.head][cell.row][cell.column]
    kind = "divided" if steps.example.scaled else "same"
    return Because(kind, value, _before(cell, "scores", score))


def _masked(steps: Steps, cell: Cell, value: float) -> Because:
    score = steps.lists["scaled"][cell.head][cell.row][cell.column]
    return Because("hidden" if math.isinf(value) else "same", value, _before(cell, "scaled", score))


def _shares(steps: Steps, cell: Cell, value: float) -> Because:
    row = steps.lists["masked"][cell.head][cell.row]
    seen = [j for j, score in enumerate(row) if not math.isinf(score)]
    largest = max(row)
    shift = largest if max(abs(row[j]) for j in seen) > _SMALL else 0.0
    terms = tuple(
        Term(math.exp(row[j] - shift), (row[j] - shift,), (Cell("masked", cell.row, j, cell.head),))
        for j in seen
    )
    own = seen.index(cell.column) if cell.column in seen else None
    return Because("shares", value, terms, own, shift)


def _joined(steps: Steps, cell: Cell, value: float) -> Because:
    head, column = divmod(cell.column, steps.example.value_size)
    return Because("same", value, (Term(value, (value,), (Cell("z", cell.row, column, head),)),))


_MAKERS: Final[dict[str, Callable[[Steps, Cell, float], Because]]] = {
    "q": _projected("x", "w_q"),
    "k": _projected("x", "w_k"),
    "v": _projected("x", "w_v"),
    "scores": _score,
    "scaled": _scaled,
    "masked": _masked,
    "weights": _shares,
    "z": _output,
    "joined": _joined,
    "out": _projected("joined", "w_o"),
}

"""A pattern of attention that is painted by hand: where it starts, and the weights that it means.

A row looks evenly at its cells; a row without cells is left to the head. Nothing here imports
Streamlit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from attnlab.ui import masks_cells
from attnlab.ui.masks_cells import Painted
from attnlab.ui.own_link import LINK_CHARACTERS, Reader

Start = Literal["previous", "first", "everywhere", "empty"]

STARTS: Final[tuple[Start, ...]] = ("previous", "first", "everywhere", "empty")
TITLES: Final = {
    "previous": "one word back",
    "first": "the first word",
    "everywhere": "everywhere alike",
    "empty": "nothing",
}
"""Of what a painting starts from."""
MOST_WORDS: Final = 64
"""Of a text whose pattern is painted."""


@dataclass(frozen=True)
class Weights:
    """What is put in the place of a head's weights.

    Attributes:
        rows: a row for each word that looks, a number for each that is looked at; () for nothing.
        places: the words whose rows are replaced, None for all.
    """

    rows: tuple[tuple[float, ...], ...] = ()
    places: tuple[int, ...] | None = None


NONE: Final = Weights()


def starts_of(square: bool) -> tuple[Start, ...]:
    """What a painting can start from; ``square``: whether a word looks at words of its own text."""
    return STARTS if square else ("everywhere", "first", "empty")


def table(start: Start, sizes: tuple[int, int], ahead: bool) -> np.ndarray:
    """bool [n, m]: the cells that a painting starts from.

    Args:
        sizes: how many words look, and how many are looked at.
        ahead: whether a word can look at what comes after it.
    """
    out = np.zeros(sizes, dtype=bool)
    if start == "everywhere":
        out[:] = True if ahead else np.tri(*sizes, dtype=bool)
    elif start == "first":
        out[:, 0] = True
    elif start == "previous":  # the first word, which has none before it, looks at itself
        here = np.arange(sizes[0])
        out[here, np.maximum(here - 1, 0)] = True
    return out


def fitting(cells: Painted, sizes: tuple[int, int], ahead: bool) -> Painted:
    """The cells that a text of these sizes has, and that a word can look at."""
    inside = cells.within(*sizes)
    kinds = (inside.shown, inside.hidden)
    behind = (tuple(cell for cell in some if cell[1] <= cell[0]) for some in kinds)
    return inside if ahead else Painted(*behind)


def weights(looked: np.ndarray) -> Weights:
    """The weights that cells bool [n, m] mean: even in each row; rows without cells are left out.

    >>> weights(np.array([[True, False], [False, False], [True, True]])).rows[2]
    (0.5, 0.5)
    """
    counts = looked.sum(-1, keepdims=True)
    if not counts.any():
        return NONE
    even = looked / np.maximum(counts, 1)
    places = tuple(int(place) for place in counts[:, 0].nonzero()[0])
    rows = tuple(tuple(map(float, row)) for row in even)
    return Weights(rows, None if len(places) == len(rows) else places)


def reader(field: str) -> Reader:
    """Cells in an address; too many for one leave their name there, so that it is said."""

    def read(given: str) -> Painted:
        if not given:
            raise ValueError("stands for cells that were too many for a link")
        return masks_cells.read(given, MOST_WORDS)

    def write(cells: Painted) -> str:
        spelled = masks_cells.write(cells)
        return spelled if len(spelled) <= LINK_CHARACTERS else ""

    return field, read, write

"""Cells painted over a mask, as a frozen value, in a link, and from a browser.

``5s0-3_7h2`` says: the word at 5 is shown those at 0 to 3, and from the word at 7 the one at 2 is
hidden, whatever the pattern says. Positions count from 0. Nothing here imports Streamlit.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np

Cell = tuple[int, int]
MOST_WORDS: Final = 32
"""Of a text whose mask is painted."""
# Not \d, which takes the digits of every script.
_RUN: Final = re.compile(r"([0-9]{1,3})([sh])([0-9]{1,3})(?:-([0-9]{1,3}))?")
_LETTERS: Final = {"s": True, "h": False}


@dataclass(frozen=True)
class Painted:
    """Single cells (query, key), in rising order: those shown, and those hidden."""

    shown: tuple[Cell, ...] = ()
    hidden: tuple[Cell, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.shown or self.hidden)

    def within(self, count: int, across: int | None = None) -> "Painted":
        """Those of ``count`` words that look at ``across`` words, at themselves where None."""
        sizes = (count, count if across is None else across)
        return Painted(*(_within(cells, *sizes) for cells in (self.shown, self.hidden)))


NOTHING: Final = Painted()


def _within(cells: Iterable[Cell], count: int, across: int) -> tuple[Cell, ...]:
    return tuple((query, key) for query, key in cells if query < count and key < across)


def painted(cells: dict[Cell, bool]) -> Painted:
    """From what each cell was made: True for shown."""
    rising = sorted(cells)
    return Painted(
        tuple(cell for cell in rising if cells[cell]),
        tuple(cell for cell in rising if not cells[cell]),
    )


def applied(table: np.ndarray, cells: Painted) -> np.ndarray:
    """A table [n, m] with the cells that it has painted over."""
    out = table.copy()
    for there, seen in ((cells.shown, True), (cells.hidden, False)):
        for query, key in _within(there, *table.shape):
            out[query, key] = seen
    return out


def read(given: str, most: int = MOST_WORDS) -> Painted:
    """The cells that a link spells; of two for one cell the last one counts.

    Args:
        most: how many words can be painted.

    Raises:
        ValueError: it spells none; the rest of the sentence.
    """
    found: dict[Cell, bool] = {}
    for part in given.split("_") if given else []:
        match = _RUN.fullmatch(part)
        if match is None:
            raise ValueError("is not a list of cells such as 5s0-3_7h2")
        query, first = int(match[1]), int(match[3])
        last = first if match[4] is None else int(match[4])
        if last < first:
            raise ValueError(f"has cells from {first} to {last}, which is backwards")
        if max(query, first, last) >= most:
            raise ValueError(f"paints beyond the {most} words that can be painted")
        found |= {(query, key): _LETTERS[match[2]] for key in range(first, last + 1)}
    return painted(found)


def write(cells: Painted) -> str:
    """The spelling of painted cells in a link."""
    return "_".join((*_runs(cells.shown, "s"), *_runs(cells.hidden, "h")))


def _runs(cells: Iterable[Cell], letter: str) -> list[str]:
    """Neighbours of one row as one run."""
    spelled = []
    for query, row in groupby(cells, key=lambda cell: cell[0]):
        keys = [key for _, key in row]
        for _, run in groupby(enumerate(keys), key=lambda pair: pair[1] - pair[0]):
            there = [key for _, key in run]
            end = "" if len(there) == 1 else f"-{there[-1]}"
            spelled.append(f"{query}{letter}{there[0]}{end}")
    return spelled


def clicked(given: Any, most: int = MOST_WORDS) -> Painted | None:
    """The cells that a browser sent: [[query, key, 0 or 1], …]; None for what is none.

    Args:
        most: how many words can be painted.
    """
    if not isinstance(given, list) or len(given) > most**2:
        return None
    found: dict[Cell, bool] = {}
    for one in given:
        if not isinstance(one, list) or len(one) != 3:
            return None
        if not all(type(number) in (int, float) and number % 1 == 0 for number in one):
            return None
        query, key, seen = map(int, one)
        if not (0 <= query < most and 0 <= key < most and seen in (0, 1)):
            return None
        found[query, key] = bool(seen)
    return painted(found)

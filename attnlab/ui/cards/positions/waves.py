"""Sinusoidal positions: the waves, and moving on as a turn of every clock."""

from typing import Final

import numpy as np
import streamlit as st

from attnlab.ui import say
from attnlab.ui.cards.positions import parts
from attnlab.ui.engine import positions as engine
from attnlab.ui.export import architecture as files
from attnlab.ui.positions_selection import BASES, PLACES, WIDTHS, Positions
from attnlab.viz import cells, clocks
from attnlab.viz.cells import Table
from attnlab.viz.figures import tiny

_ROWS: Final = 64
_COUNT: Final = 512  # positions over which the turn is checked
_WAVES: Final = (
    "Position pos has sin(pos · base^(−2i/M)) and cos of the same as numbers 2i and 2i + 1. Teal "
    "is positive, brown negative. Vaswani et al. 2017, section 3.5."
)
_TURN: Final = (
    "A sine and its cosine are the hand of a clock. Going on by k positions turns each hand by an "
    "angle that depends on k alone, not on where one is: PE(p + k) = R(k) PE(p). A linear layer "
    "can learn R(k), so a model can learn to look k tokens back."
)
_SOURCE: Final = files.computed("sinusoidal positions", "Vaswani et al. 2017, section 3.5")


def draw(value: Positions) -> None:
    """The heat map of the waves, and the clocks of two positions."""
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left, st.container(border=True, key="card-waves"):
        st.markdown("**The waves**", help=_WAVES)
        with st.container(horizontal=True, key="slide-waves"):
            parts.few("Numbers in a vector", WIDTHS, "width")
            parts.few("Base", BASES, "base", "{:,}".format)
        _waves(value)
    with right, st.container(border=True, key="card-turn"):
        st.markdown("**Going on is turning**", help=_TURN)
        with st.container(horizontal=True, key="slide-turn"):
            parts.whole("Position p", 0, PLACES - 1, "at")
            parts.whole("k further on", 0, 64, "by")
        _turn(value)


def _waves(value: Positions) -> None:
    """Rows are positions; those of the clocks are marked."""
    there = value.at + value.by
    first = 0 if there < _ROWS else there - _ROWS + 1
    vectors = engine.encoding(first, _ROWS, value.width, value.base)
    marked = {value.at: "p", there: "p + k"}
    numbers = [(at, f"{first + at}") for at in range(0, _ROWS, 8)]
    rows = [one for one in numbers if all(abs(first + one[0] - at) > 3 for at in marked)]
    rows += [(at - first, name) for at, name in marked.items() if first <= at]
    one = Table(
        "",
        vectors,
        rows=rows,
        columns=[(0, "fast"), (value.width - 1, "slow")],
        kinds=("attention", "brown"),
        column_name=f"the {value.width} numbers of a position",
    )
    label = f"Sinusoidal vectors of positions {first} to {first + _ROWS - 1}, {value.width} each."
    drawn = cells.tables([one], wide=520, tall=400, label=label, left=44)
    _mark_rows(drawn, [at - first for at in marked if first <= at])
    parts.picture("waves", drawn)
    parts.keep(
        "waves",
        f"Sinusoidal positions, M = {value.width}, base {value.base:,}",
        drawn,
        _SOURCE,
        what="Number i of the vector of each position.",
        columns=("position", *(f"i{i}" for i in range(value.width))),
        rows=[[first + at, *map(float, row)] for at, row in enumerate(vectors)],
    )


def _mark_rows(drawn: object, rows: list[int]) -> None:
    """A thin frame around the rows that the clocks show."""
    for number, row in enumerate(rows):
        y = 22 + 400 * row / _ROWS
        drawn.box(44, y, 476, 400 / _ROWS, "", edge=("ink", "a")[number % 2], radius=2)


def _turn(value: Positions) -> None:
    pairs = value.width // 2
    hands = [engine.angles(value.width, value.base, at) for at in (value.at, value.at + value.by)]
    names = (f"PE({value.at})", f"PE({value.at + value.by})")
    label = f"{pairs} clocks at positions {value.at} and {value.at + value.by}."
    drawn = clocks.clocks(*hands, names, across=parts.across(pairs), label=label)
    parts.picture("turn", drawn)
    exact, rough = engine.turn_errors(value.width, value.base, value.by, _COUNT)
    said = (
        f"R({value.by}) takes every PE(p) to PE(p + {value.by}): over positions 0 to {_COUNT - 1} "
        f"the largest difference is {tiny(exact)} in double precision, {tiny(rough)} in single."
    )
    say.remark(said, "turn-error")
    degrees = np.degrees(hands)
    parts.keep(
        "turn",
        f"{names[0]} and {names[1]} as clocks",
        drawn,
        _SOURCE,
        what="Angle of each pair of numbers at the two positions, in degrees, not reduced.",
        columns=("pair", *names),
        rows=[[i, float(a), float(b)] for i, (a, b) in enumerate(degrees.T)],
        notes=(said,),
    )

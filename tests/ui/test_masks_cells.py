"""Painted cells: in a link, from a browser, and over a table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.ui import masks_cells
from attnlab.ui.masks_cells import MOST_WORDS, NOTHING, Painted, painted

CELL = st.tuples(st.integers(0, MOST_WORDS - 1), st.integers(0, MOST_WORDS - 1))


@given(st.dictionaries(CELL, st.booleans(), max_size=60))
def test_cells_survive_their_link_and_the_browser(cells):
    value = painted(cells)
    assert masks_cells.read(masks_cells.write(value)) == value
    assert masks_cells.clicked([[*cell, float(seen)] for cell, seen in cells.items()]) == value


def test_neighbours_are_spelled_as_a_run():
    value = Painted(shown=((5, 0), (5, 1), (5, 2), (5, 3)), hidden=((7, 2),))
    assert masks_cells.write(value) == "5s0-3_7h2"
    assert not NOTHING and value


@pytest.mark.parametrize(
    "given", ["5", "5s", "x", "5s0-3-4", "5s99", "٥s0", "5s0__7h2", "-1s0", "0s5-2"]
)
def test_links_that_spell_no_cells_are_refused(given):
    with pytest.raises(
        ValueError, match=r"is not a list|paints beyond|from 5 to 2, which is backwards"
    ):
        masks_cells.read(given)


@pytest.mark.parametrize(
    "given", [None, {}, [[0, 0]], [[0, 0, 2]], [[0, -1, 1]], [[0.5, 0, 1]], [["0", 0, 1]]]
)
def test_what_no_browser_of_ours_sends_counts_for_nothing(given):
    assert masks_cells.clicked(given) is None


def test_cells_are_painted_over_a_table_and_cut_to_it():
    base = np.tri(3, dtype=bool)
    value = Painted(shown=((0, 2), (9, 9)), hidden=((2, 0),))
    out = masks_cells.applied(base, value)
    assert out.astype(int).tolist() == [[1, 0, 1], [1, 1, 0], [0, 1, 1]]
    assert base.sum() == 6  # the pattern itself stays
    assert value.within(3) == Painted(((0, 2),), ((2, 0),))

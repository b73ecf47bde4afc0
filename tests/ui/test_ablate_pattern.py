"""A painted pattern: its start, the weights that it means, and its link."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.ui import ablate_pattern, masks_cells, own_link
from attnlab.ui.ablate_pattern import MOST_WORDS, NONE, STARTS, TITLES, table, weights
from attnlab.ui.ablate_selection import ABLATE, Ablate
from attnlab.ui.masks_cells import Painted, painted

CELL = st.tuples(st.integers(0, MOST_WORDS - 1), st.integers(0, MOST_WORDS - 1))


def test_every_start_has_its_words_and_its_cells():
    assert tuple(TITLES) == STARTS
    assert table("previous", (3, 3), False).astype(int).tolist() == [
        [1, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
    ]
    assert table("first", (2, 3), True).astype(int).tolist() == [[1, 0, 0], [1, 0, 0]]
    assert table("everywhere", (3, 3), False).sum() == 6
    assert table("everywhere", (2, 3), True).all() and not table("empty", (2, 2), True).any()
    assert "previous" not in ablate_pattern.starts_of(square=False)


def test_a_row_looks_evenly_at_its_cells_and_is_left_out_without_any():
    looked = np.array([[1, 0, 0], [0, 0, 0], [1, 1, 0]], dtype=bool)
    found = weights(looked)
    assert found.rows == ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.5, 0.5, 0.0))
    assert found.places == (0, 2)
    assert weights(np.tri(3, dtype=bool)).places is None
    assert weights(np.zeros((3, 3), bool)) == NONE


def test_cells_that_the_text_does_not_have_are_left_out():
    cells = Painted(shown=((0, 1), (1, 0), (1, 9)), hidden=((2, 2),))
    assert ablate_pattern.fitting(cells, (2, 2), ahead=True) == Painted(((0, 1), (1, 0)))
    assert ablate_pattern.fitting(cells, (3, 3), ahead=False) == Painted(((1, 0),), ((2, 2),))


@given(st.dictionaries(CELL, st.booleans(), max_size=60))
def test_cells_survive_their_link(cells):
    value = Ablate(fill="pattern", start="empty", cells=painted(cells), row=3)
    url = own_link.format_own(ABLATE, value)
    assert own_link.parse(ABLATE, url) == (value, ())


def test_too_many_cells_for_a_link_are_missed_by_whoever_opens_it():
    every = painted({(q, k): True for q in range(MOST_WORDS) for k in range(0, MOST_WORDS, 2)})
    assert len(masks_cells.write(every)) > own_link.LINK_CHARACTERS
    url = own_link.format_own(ABLATE, Ablate(cells=every))
    value, (problem,) = own_link.parse(ABLATE, url)
    assert not value.cells and "too many for a link" in problem


@pytest.mark.parametrize("given", ["5s64", "64h0", "5x"])
def test_cells_that_cannot_be_painted_are_refused(given):
    value, (problem,) = own_link.parse(ABLATE, {"cells": given})
    assert value == Ablate() and "“cells”" in problem


def test_links_of_before_paste_and_a_choice_stands():
    assert Ablate(rows="1").pasting and not Ablate().pasting
    assert Ablate(by="paste").pasting and not Ablate(by="paint", rows="1").pasting

"""Cells of reduced maps are told to cover what a run really put into them."""

import numpy as np
import pytest
import torch

from attnlab.trace.thumbnail import Thumbnail
from attnlab.viz.difference import comparable
from attnlab.viz.pooling import cell_side, note, reduced, span


@pytest.mark.parametrize("length", [65, 127, 128, 130, 500, 652, 1000, 1500, 2047, 2048, 4096])
def test_each_position_lies_in_the_cell_that_a_run_puts_it_into(length):
    # Position i looks at itself alone: cell (c, c) of the thumbnail holds the largest i in it.
    weights = torch.diag(torch.arange(1.0, length + 1)).view(1, 1, length, length)
    thumb = Thumbnail((1, 1, length, length), 64, torch.device("cpu"))
    thumb.add(weights, range(length), range(length))
    found = thumb.map[0, 0].numpy()
    side = cell_side(found.shape, length, length)
    for cell in range(len(found)):
        assert found[cell, cell] == span(cell, side, length)[1] + 1
    assert np.array_equal(reduced(weights.numpy(), 64)[0, 0], found)


def test_the_side_is_found_again_at_every_length():
    for length in range(1, 4097):
        side = -(-length // 64)
        cells = -(-length // side)
        assert cell_side((cells, cells), length, length) == side
        short = max(1, length // 7)
        assert cell_side((-(-short // side), cells), short, length) == side


def test_no_row_of_cells_that_can_differ_is_left_out():
    for place in range(130):
        a = [{"text": "x", "raw": "x", "id": 1}] * 130
        b = [*a[:place], {"text": "y", "raw": "y", "id": 2}, *a[place + 1 :]]
        rows = comparable(a, b, shape_a=(44, 44), shape_b=(44, 44), causal=True).rows
        assert rows[0] == (place // 3, place // 3)


def test_what_is_said():
    assert note((63, 63), 500, 500) == "Long text: a cell shows the strongest of 8 × 8 tokens."
    assert note((1, 63), 3, 500) == "Long text: a cell shows the strongest of 3 × 8 tokens."
    assert note((13, 13), 13, 13) == ""

"""Every tile's state: running maximum, running sum, what is skipped; what a mask tells of it."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import attend, explain, masks, tiles
from attnlab.attention.grid import Grid
from tests.attention.tiling import LONGEST, normal, predicates

N = 11


@pytest.mark.parametrize("mask", [masks.Causal(), masks.SinksWindow(1, 3), ~masks.Causal()])
def test_each_state_is_what_its_definition_says(mask):
    q, k, v = normal(2, 4, N, 3), normal(2, 2, N, 3, seed=1), normal(2, 2, N, 5, seed=2)
    bias = normal(1, 4, N, N, seed=3)
    table = mask.mask(range(N), range(N))
    scores = explain(q, k, v, table, bias=bias, softcap=4.0).masked
    z = attend(q, k, v, table, bias=bias, softcap=4.0)
    seen = 0
    for tile in tiles(q, k, v, mask, tile=(3, 4), bias=bias, softcap=4.0):
        rows, keys = (slice(part.start, part.stop) for part in (tile.queries, tile.keys))
        here = scores[:, :, rows, keys]
        assert tile.skipped == bool(here.isneginf().all())
        assert (tile.scores is None) == (tile.weights is None) == tile.skipped
        so_far = scores[:, :, rows, : keys.stop]
        assert torch.allclose(tile.highest, so_far.amax(-1), atol=1e-14)
        total = torch.exp(so_far - so_far.amax(-1, keepdim=True)).nan_to_num().sum(-1)
        assert torch.allclose(tile.total, total, atol=1e-13)
        if not tile.skipped:
            seen += 1
            assert torch.allclose(tile.scores, here, atol=1e-14)
        if keys.stop == N:
            assert torch.allclose(tile.z, z[:, :, rows], atol=1e-13)
    assert 0 < seen < math.ceil(N / 3) * math.ceil(N / 4)


def test_a_higher_score_shrinks_what_was_summed_before():
    q = torch.ones(1, 1, 1, 1, dtype=torch.float64)
    k = torch.tensor([1.0, 3.0, 2.0], dtype=torch.float64).view(1, 1, 3, 1)
    first, second, third = tiles(q, k, k, tile=(1, 1), scale=1.0)
    assert [float(t.highest) for t in (first, second, third)] == [1, 3, 3]
    assert [float(t.shrink) for t in (first, second, third)] == [0, math.exp(-2), 1]
    assert float(third.total) == pytest.approx(math.exp(-2) + 1 + math.exp(-1))


def test_scores_that_are_all_hidden_leave_no_number_behind():
    q = normal(1, 1, 4, 2)
    for tile in tiles(q, q, q, ~masks.Bidirectional(), tile=(2, 2)):
        assert tile.skipped and not tile.z.any() and not tile.total.any()


@settings(max_examples=100)
@given(data=st.data(), pattern=predicates())
def test_a_mask_knows_which_tiles_are_all_seen_or_all_hidden(data, pattern):
    """``whole`` is never wrong, and a grid skips exactly what is hidden."""
    ends = [
        sorted(data.draw(st.sets(st.integers(0, LONGEST), min_size=2, max_size=2))) for _ in "qk"
    ]
    queries, keys = (range(*pair) for pair in ends)
    table = pattern.table(queries, keys)
    answer = pattern.whole(queries, keys)
    assert answer is None or bool((table == answer).all())
    grid = Grid(pattern, len(queries), LONGEST, (len(queries), 5), start=queries.start)
    for column in grid.columns:
        here = pattern.table(queries, column)
        cell = grid.cell(grid.rows[0], column)
        assert (cell is None) == (not here.any())
        if cell is not None:
            rebuilt = torch.zeros_like(here)
            rebuilt[..., cell.keys.start - column.start : cell.keys.stop - column.start] = True
            if cell.table is not None:
                ragged = slice(cell.ragged.start - column.start, cell.ragged.stop - column.start)
                rebuilt[..., ragged] = cell.table.visible
            assert torch.equal(rebuilt, here)


@pytest.mark.parametrize(
    "pattern", [masks.Causal(), masks.Window(3), masks.SinksWindow(1, 3), masks.Prefix(2)], ids=repr
)
def test_the_usual_masks_tell_without_a_table(pattern):
    assert pattern.whole(range(4, 6), range(12, 14)) is False
    assert masks.Causal().whole(range(9, 12), range(4, 7)) is True
    assert (pattern & masks.Causal()).whole(range(4, 6), range(12, 14)) is False
    assert (pattern | masks.Bidirectional()).whole(range(4, 6), range(4, 6)) is True

"""Masks given cell by cell, against a table that is filled by hand."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.attention.masks import Causal, Changed, Padding, Painted, Window

N = 7
CELLS = st.sets(st.tuples(st.integers(0, N + 2), st.integers(0, N + 2)), max_size=9)
TABLES = st.lists(st.lists(st.booleans(), min_size=N, max_size=N), min_size=N, max_size=N)


def asked(pattern, queries=range(N), keys=range(N)):
    return pattern(torch.tensor(list(queries))[:, None], torch.tensor(list(keys))[None])


def rows(table):
    return tuple("".join("01"[seen] for seen in row) for row in table)


@given(table=TABLES)
def test_a_painted_table_is_what_was_painted(table):
    pattern, right = Painted(rows(table)), torch.tensor(table)
    assert torch.equal(asked(pattern), right)
    assert torch.equal(asked(pattern, range(3, 6), range(2, 7)), right[3:6, 2:7])
    assert pattern.count(N) == int(right.sum())
    assert pattern.causal == (not right.triu(1).any())
    assert pattern.longest == N


@given(table=TABLES, shown=CELLS, hidden=CELLS)
def test_cells_are_changed_and_no_others(table, shown, hidden):
    right = [list(row) for row in table]
    for cells, seen in ((shown, True), (hidden - shown, False)):
        for query, key in cells:
            if query < N and key < N:
                right[query][key] = seen
    pattern = Changed(Painted(rows(table)), tuple(shown), tuple(hidden - shown))
    assert torch.equal(asked(pattern), torch.tensor(right))
    part = asked(pattern, range(2, 5), range(1, 7))
    assert torch.equal(part, torch.tensor(right)[2:5, 1:7])


def test_cells_over_a_pattern_of_any_length_and_over_padding():
    pattern = Changed(Causal(), shown=((1, 5),), hidden=((6, 0),))
    assert pattern.longest is None and not pattern.causal
    assert pattern.count(N) == Causal().count(N)
    assert pattern.count(3) == Causal().count(3)
    padded = asked(Changed(Padding((4, 7)), hidden=((2, 1),)))
    assert padded.shape == (2, N, N)
    assert not padded[:, 2, 1].any() and not padded[0, :, 4:].any() and padded[1, :, 4:].all()


def test_a_future_cell_far_out_is_not_overlooked():
    """Whether a pattern is causal is asked about few positions; single cells may lie beyond."""
    far, near = Changed(Causal(), shown=((40, 45),)), Changed(Causal(), shown=((45, 40),))
    table = torch.ones(60, 60).bool().tril()
    table[40, 45] = True
    assert not far.causal and near.causal
    assert not Painted(rows(table.tolist())).causal
    assert not (far | Window(2)).causal and (near | Window(2)).causal


def test_a_table_need_not_be_square():
    pattern = Painted(("011", "100"))
    assert asked(pattern, range(2), range(3)).tolist() == [
        [False, True, True],
        [True, False, False],
    ]


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Painted(()), "at least one row and one column"),
        (lambda: Painted(("",)), "at least one row and one column"),
        (lambda: Painted(("10", "1")), "row 1 has 1 cells and row 0 has 2"),
        (lambda: Painted(("10", "1x")), "row 1 holds a sign that is neither 0 nor 1"),
        (lambda: asked(Painted(("1",))), "query 6 is not painted: there are 1"),
        (lambda: Changed(Window(2), shown=((0, -1),)), "no cell \\(0, -1\\)"),
        (lambda: Changed(Window(2), ((0, 1),), ((0, 1),)), "is both shown and hidden"),
    ],
)
def test_what_cannot_be_painted_says_so(make, named):
    with pytest.raises(ValueError, match=named):
        make()

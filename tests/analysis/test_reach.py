"""How far a mask reaches through layers: the powers of its table against a search, closed forms."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.analysis.masking import Pattern
from attnlab.analysis.paths import Full, Window, shortest_path
from attnlab.analysis.reach import reach, reached, window_reach
from attnlab.errors import InputError


def followed(visible, layers, position):
    """All inputs that can be in (layer, position), by walking what is read."""
    held = {position}
    for _ in range(layers):
        held |= {k for q in held for k in range(len(visible)) if visible[q][k]}
    return held


@settings(max_examples=50, deadline=None)
@given(n=st.integers(1, 9), layers=st.integers(0, 4), seed=st.integers(0, 999))
def test_powers_are_what_a_walk_finds(n, layers, seed):
    visible = torch.rand(n, n, generator=torch.Generator().manual_seed(seed)) < 0.3
    held = reached(visible, layers)
    assert held.shape == (layers + 1, n, n)
    for position in range(n):
        there = set(held[layers, position].nonzero().flatten().tolist())
        assert there == followed(visible.tolist(), layers, position)


@pytest.mark.parametrize("window", [1, 2, 4, 7])
@pytest.mark.parametrize("layers", [0, 1, 3, 5])
def test_a_window_leads_layers_times_one_less(window, layers):
    n = 40
    held = reached(Pattern("window", window=window).table(n), layers)
    found = reach(held[layers], n - 1)
    assert found.back == window_reach(window, layers) == layers * (window - 1)
    assert found.count == found.back + 1


def test_sixteen_words_and_a_window_of_four_take_five_layers():
    held = reached(Pattern("window", window=4).table(16), 5)
    assert [reach(one, 15).back for one in held] == [0, 3, 6, 9, 12, 15]
    # One layer fewer than it takes does not reach the first word; the search counts the same way.
    assert shortest_path(Window(4), 16) == 5 and shortest_path(Full(), 16) == 1


def test_sinks_strides_and_global_words_lead_further():
    n = 32
    for pattern in (
        Pattern("sinks", window=4, sinks=1),
        Pattern("strided", window=4),
        Pattern("global", window=4, globals=(0,)),
    ):
        held = reached(pattern.table(n), 2)
        assert reach(held[2], n - 1).back > window_reach(4, 2)


def test_a_word_keeps_what_it_held_even_where_it_sees_nothing():
    held = reached(torch.zeros(3, 3, dtype=torch.bool), 2)
    assert reach(held[2], 1).count == 1 and reach(held[2], 1).back == 0


@pytest.mark.parametrize("table", [torch.ones(2, 3, dtype=torch.bool)])
def test_what_is_no_square_is_refused(table):
    with pytest.raises(InputError):
        reached(table, 1)


def test_nonsense_is_refused():
    with pytest.raises(InputError):
        reached(torch.ones(2, 2, dtype=torch.bool), -1)
    with pytest.raises(InputError):
        window_reach(0, 1)


@pytest.mark.parametrize("table", [[[True]], None, torch.ones(2, 2), torch.tensor(True)])
def test_what_is_no_table_has_no_powers(table):
    with pytest.raises(InputError):
        reached(table, 1)


@pytest.mark.parametrize("layers", [None, 2.5, "3", -1])
def test_layers_that_are_no_number(layers):
    with pytest.raises(InputError, match="layers"):
        reached(torch.ones(2, 2).bool(), layers)
    with pytest.raises(InputError, match="layers"):
        window_reach(2, layers)

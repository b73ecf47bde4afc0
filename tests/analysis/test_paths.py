"""Steps and paths: the closed forms against the search on the graph of what reads what."""

import pytest

from attnlab.analysis.paths import (
    Full,
    Recurrent,
    Window,
    counted_work,
    sequential_steps,
    shortest_path,
)
from attnlab.attention import masks
from attnlab.errors import InputError

STRUCTURES = [Recurrent(), Full(), *(Window(size) for size in (2, 3, 4, 7, 64))]


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 23])
def test_the_closed_forms_are_what_a_search_finds(structure, n):
    assert structure.steps(n) == sequential_steps(structure, n)
    assert structure.path(n) == shortest_path(structure, n)
    assert structure.work(n) == counted_work(structure, n)


@pytest.mark.parametrize("n", [1, 7, 16, 131_072])
def test_windows_and_full_attention_read_what_their_masks_let_be_seen(n):
    assert Full().work(n) == masks.Causal().count(n)
    for size in (4, 4_096):
        assert Window(size).work(n) == masks.Window(size).count(n)


def test_what_is_known_of_four_thousand_positions():
    n = 4096
    assert [s.steps(n) for s in (Recurrent(), Window(128), Full())] == [n, 1, 1]
    assert [s.path(n) for s in (Recurrent(), Window(128), Full())] == [n, 33, 1]
    assert Full().work(131_072) == 8_590_000_128
    assert Window(4_096).work(131_072) == 528_484_352
    assert (Full().work(16), Window(4).work(16)) == (136, 58)


def test_a_window_needs_as_many_layers_as_steps():
    """Eight positions are reached by a window of 3 in four steps, 2 positions each."""
    assert shortest_path(Window(3), 9) == 4


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_without_positions_there_is_nothing_to_count(structure):
    for count in (structure.steps, structure.path, structure.work):
        with pytest.raises(InputError, match="at least 1 position"):
            count(0)


def test_a_window_of_one_leads_nowhere():
    with pytest.raises(InputError, match="at least 2"):
        Window(1)

"""The head worth opening first: the one that changes most, or looks hardest past the first word."""

import numpy as np

from attnlab.viz.strongest import most_changed, most_focused


def words(text):
    return [{"text": word, "raw": word, "id": None} for word in text.split()]


A, B = words("it was too tired ."), words("it was too wide .")


def test_the_head_that_changes_most_is_found_where_something_can_change():
    a, b = np.zeros((3, 2, 5, 5)), np.zeros((3, 2, 5, 5))
    b[1, 1, 3, 2] = 0.4
    b[2, 0, 3, 0] = 0.9  # the first column
    b[0, 0, 1, 1] = 1.0  # a row that a causal model cannot change
    assert most_changed(a, b, A, B) == (1, 1)
    assert most_changed(a, b, A, B, drop_first=False) == (2, 0)
    assert most_changed(a, b, A, B, causal=False) == (0, 0)
    assert most_changed(a, a, A, B) is None
    assert most_changed(a, b, A, A) is None


def test_resting_on_the_first_word_is_no_focus():
    maps = np.zeros((2, 2, 4, 4))
    maps[..., 0] = 1.0
    maps[1, 0, :, 0], maps[1, 0, 1:, 2] = 0.3, 0.7
    assert most_focused(maps) == (1, 0)
    assert most_focused(np.ones((2, 2, 1, 1))) is None

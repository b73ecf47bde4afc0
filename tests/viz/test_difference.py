"""B − A: which positions correspond, which rows can differ, and where a head changes most."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.viz.align import MAX_MATCHED, first_difference, merged, pairs
from attnlab.viz.difference import comparable, largest, obstacle


def words(text):
    return [{"text": word, "raw": word, "id": None} for word in text.split()]


def compared(a, b, *, causal, pooled_a=None, pooled_b=None):
    a, b = words(a), words(b)
    shape_a = (pooled_a or len(a),) * 2
    shape_b = (pooled_b or len(b),) * 2
    return comparable(a, b, shape_a=shape_a, shape_b=shape_b, causal=causal)


TIRED, WIDE = "the street was too tired .", "the street was too wide ."


def test_a_causal_model_compares_only_the_rows_from_the_first_difference_on():
    cells = compared(TIRED, WIDE, causal=True)
    assert cells.rows == [(4, 4), (5, 5)]
    assert cells.columns == [(i, i) for i in range(6)]
    assert cells.note == ""


def test_an_encoder_compares_every_row():
    assert len(compared(TIRED, WIDE, causal=False).rows) == 6


def test_an_inserted_word_shifts_what_follows_and_is_named_as_left_out():
    cells = compared("it was wide .", "it was very wide .", causal=True)
    assert cells.rows == [(2, 3), (3, 4)]
    assert cells.merged_rows == [(None, 2), (2, 3), (3, 4)]
    assert cells.merged_columns == [(0, 0), (1, 1), (None, 2), (2, 3), (3, 4)]
    assert cells.remark("Hatched") == "Hatched: 1 token only in B"


def test_equal_texts_have_nothing_to_compare():
    cells = compared(TIRED, TIRED, causal=True)
    assert cells.rows == [] and "same tokens" in cells.note


def test_a_text_that_continues_the_other_has_no_row_that_can_differ():
    cells = compared("it was", "it was wide", causal=True)
    assert cells.rows == [] and "continues" in cells.note


def test_pooled_maps_of_equal_length_compare_bin_by_bin():
    a = "x " * 652 + "tired " + "x " * 347
    b = "x " * 652 + "wide " + "x " * 347
    cells = compared(a, b, causal=True, pooled_a=63, pooled_b=63)
    assert cells.rows[0] == (40, 40)  # 1,000 tokens, 16 a cell: token 652 lies in cell 40
    assert cells.rows[-1] == (62, 62)


def test_pooled_maps_of_unequal_length_are_not_compared():
    cells = compared("x " * 100, "y " * 90, causal=True, pooled_a=64, pooled_b=64)
    assert cells.rows == [] and "equal length" in cells.note


def blocked(a, b, **options):
    a, b = words(a), words(b)
    shapes = {"shape_a": (min(64, len(a)),) * 2, "shape_b": (min(64, len(b)),) * 2}
    return obstacle(a, b, **shapes, **options)


@pytest.mark.parametrize(
    ("a", "b", "part"),
    [
        (
            "x " * 100,
            "y " * 90,
            "equal length in tokens, or of up to 64 tokens each; A has 100, B 90",
        ),
        ("x " * 100, "x y", "A has 100, B 2"),
        ("Hi", "The dog ran", "none but the first word"),
        ("it was", "it was wide", "continues"),
        (TIRED, TIRED, "same tokens"),
    ],
)
def test_a_blank_difference_says_why(a: str, b: str, part: str):
    assert part in blocked(a, b)


def test_what_can_be_compared_has_no_obstacle():
    assert blocked(TIRED, WIDE) == ""
    assert blocked("x " * 100, "y " * 100) == ""
    assert blocked("Hi", "The dog ran", drop_first=False) == ""


def test_repeated_words_keep_a_position_each():
    assert pairs(words("a b a b a"), words("a b a b a")) == [(i, i) for i in range(5)]


lists = st.lists(st.sampled_from("abc"), max_size=12).map(lambda w: words(" ".join(w)))


@given(lists, lists)
def test_pairs_rise_in_both_and_equal_ends_are_paired(a, b):
    found = pairs(a, b)
    for (i, j), (k, m) in pairwise(found):
        assert i < k and j < m
    start = first_difference(a, b)
    shared = len(a) if start is None else start
    assert found[:shared] == [(i, i) for i in range(shared)]


@given(lists, lists)
def test_merging_keeps_every_position_once_and_in_order(a, b):
    found = merged(a, b)
    assert [i for i, _ in found if i is not None] == list(range(len(a)))
    assert [j for _, j in found if j is not None] == list(range(len(b)))
    assert [(i, j) for i, j in found if i is not None and j is not None] == pairs(a, b)
    assert (None, None) not in found


def test_a_long_text_is_aligned_across_what_was_put_in_far_apart():
    text = [f"w{i}" if i % 3 else "the" for i in range(1800)]
    other = [*text[:300], "new", *text[300:1500], *text[1503:]]
    other[900], other[5] = "odd", "other"
    assert len(text) > 2 * MAX_MATCHED
    found = pairs(words(" ".join(text)), words(" ".join(other)))
    assert len(found) == 1797
    assert sum(text[i] == other[j] for i, j in found) == 1795


def test_only_the_tokens_that_correspond_may_be_given():
    same = words("a b c d")
    shapes = {"shape_a": (4, 4), "shape_b": (4, 4)}
    cells = comparable(same, same, **shapes, causal=True, start=2, left_out=(3, 0))
    assert cells.rows == [(2, 2), (3, 3)]
    assert cells.remark("Hatched") == "Left out: 3 tokens only in A"
    assert obstacle(same, same, **shapes, start=2) == ""


def test_both_counts_are_said_where_both_texts_have_words_of_their_own():
    cells = compared("a b c d", "a c d x", causal=False)
    assert cells.alone == (1, 1)
    assert cells.remark("Left blank") == "Left blank: 1 token only in A and 1 token only in B"
    assert cells.rows == [(0, 0), (2, 1), (3, 2)]


def test_crossing_to_another_text_leaves_no_row_out():
    rows, keys = words("x y"), words("a b c")
    shapes = {"shape_a": (2, 3), "shape_b": (2, 3)}
    sources = {"sources_a": keys, "sources_b": words("a q c")}
    cells = comparable(rows, rows, **shapes, **sources, causal=True)
    assert cells.rows == [(0, 0), (1, 1)] and cells.remark("Hatched") == ""


def test_the_largest_change_leaves_the_first_column_out():
    a, b = np.zeros((6, 6)), np.zeros((6, 6))
    a[4, 0], b[4, 1], a[4, 1] = 0.9, 0.46, 0.06
    b[2, 1] = 1.0  # a row that a causal model cannot change
    change = largest(a, b, words(TIRED), words(WIDE))
    assert (change.query, change.key) == (4, 1)
    assert change.before == pytest.approx(0.06) and change.after == pytest.approx(0.46)
    assert largest(a, b, words(TIRED), words(WIDE), drop_first=False).key == 0
    assert largest(a, a, words(TIRED), words(TIRED)) is None

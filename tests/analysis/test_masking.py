"""Masks as they are picked: tables, counts at any length, and the weights of three words."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.analysis.masking import (
    KINDS,
    MOST_TOKENS,
    THREE_SCORES,
    Pattern,
    full_count,
    weigh,
)
from attnlab.errors import InputError

LARGE = 131_072


@pytest.mark.parametrize(
    ("kind", "small", "large"),
    [
        ("causal", 136, 8_590_000_128),
        ("window", 58, 528_484_352),
        ("sinks", 70, 528_611_328),
        ("strided", 82, None),
        ("bidirectional", 256, LARGE**2),
    ],
)
def test_the_known_counts(kind, small, large):
    """numbers.md, Scores computed."""
    assert Pattern(kind, window=4, sinks=1).count(16) == small
    if large is not None:
        assert Pattern(kind, window=4_096, sinks=1).count(LARGE) == large


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(1, 24),
    window=st.integers(1, 26),
    few=st.integers(0, 26),
    chosen=st.lists(st.integers(0, 26), max_size=4),
    parts=st.integers(1, 26),
)
def test_a_count_is_that_of_the_table(kind, n, window, few, chosen, parts):
    pattern = Pattern(kind, window, few, tuple(chosen), few, parts)
    assert pattern.count(n) == int(pattern.table(n).sum())


@pytest.mark.parametrize("kind", KINDS)
def test_a_million_tokens_are_counted_at_once(kind):
    pattern = Pattern(kind, window=4_096, sinks=8, prefix=1_024, documents=7, globals=(0, 5))
    assert 0 < pattern.count(MOST_TOKENS) <= MOST_TOKENS**2
    assert full_count(MOST_TOKENS) == 549_756_338_176


def test_documents_and_globals_look_back_only():
    packed = Pattern("document", documents=2).table(5).int().tolist()
    assert packed == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 1, 1],
    ]
    assert not Pattern("global", window=2, globals=(1,)).table(6).triu(1).any()
    assert torch.equal(
        Pattern("global", window=3, globals=()).table(6), Pattern("window", window=3).table(6)
    )


def test_three_words_have_the_weights_of_the_books():
    weights = weigh(THREE_SCORES, Pattern("causal").table(3))
    right = torch.tensor([[1, 0, 0], [0.6, 0.4, 0], [0.2, 0.5, 0.3]], dtype=torch.float64)
    assert torch.allclose(weights, right, atol=1e-12)


def test_a_hidden_row_weighs_nothing_and_a_shown_answer_takes_its_share():
    nothing = torch.zeros(3, 3, dtype=torch.bool)
    assert not weigh(THREE_SCORES, nothing).any()
    shown = Pattern("causal").table(3)
    shown[0, 1] = True
    assert weigh(THREE_SCORES, shown)[0, 1] == pytest.approx(1 / (1 + 2.718281828**-1.2))


@pytest.mark.parametrize(
    "sizes", [{"kind": "round"}, {"window": 0}, {"sinks": -1}, {"prefix": -1}, {"documents": 0}]
)
def test_sizes_that_make_no_sense_are_refused(sizes):
    with pytest.raises(InputError):
        Pattern(**sizes)


@pytest.mark.parametrize("n", [0, -1, MOST_TOKENS + 1, 10**30, None, 2.5, "3", True, np.ones(2)])
def test_lengths_beyond_are_refused(n):
    for ask in (Pattern().count, Pattern().table, Pattern("document").ids, full_count):
        with pytest.raises(InputError) as caught:
            ask(n)
        assert len(str(caught.value)) < 140


@pytest.mark.parametrize("size", [None, "3", [1, 2], 10**30, 2.5, True])
def test_sizes_that_are_none_are_refused(size):
    for name in ("window", "sinks", "prefix", "documents"):
        with pytest.raises(InputError, match=name):
            Pattern("document", **{name: size})
    with pytest.raises(InputError):
        Pattern(size)


def test_positions_that_are_global():
    for chosen in (5, [5], np.array([5]), torch.tensor(5)):
        assert Pattern("global", globals=chosen) == Pattern("global", globals=(5,))
    for chosen in (-1, None, "0", 2.5):
        with pytest.raises(InputError, match="globals"):
            Pattern("global", globals=chosen)


def test_as_many_documents_as_tokens_can_be_counted():
    """Of more it would be a question of hours, so they are refused."""
    assert Pattern("document", documents=MOST_TOKENS).count(5) == 5


@pytest.mark.parametrize("scores", [[[0.0, 1], [1]], None, "abc", [[1.0, 2]], [[["a"]]]])
def test_scores_that_are_no_square_are_refused(scores):
    with pytest.raises(InputError):
        weigh(scores, Pattern().table(2))
    with pytest.raises(InputError):
        weigh([[1.0]], [[True]])

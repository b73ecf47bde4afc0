"""Figures read off maps."""

import pytest
import torch

from attnlab.analysis.maps import (
    first_difference,
    first_token_share,
    last_word,
    pooled,
    row_sums,
    share_of,
)
from attnlab.trace import Token


def tokens(*words, special=()):
    return [Token(ord(w[0]), w, w, special=w in special) for w in words]


def test_the_share_on_the_first_token_leaves_the_first_query_out():
    weights = torch.tensor([[1.0, 0, 0], [0.5, 0.5, 0], [0.25, 0.5, 0.25]])
    assert first_token_share(weights) == pytest.approx(0.375)
    assert first_token_share(weights.expand(2, 3, 3, 3)) == pytest.approx(0.375)
    assert share_of(weights[:, 0]) == pytest.approx(0.375)
    assert first_token_share(torch.ones(2, 1, 1)) == 0


def test_row_sums():
    weights = torch.tensor([[0.5, 0.25], [0.0, 0.0]])
    assert row_sums(weights).tolist() == [0.75, 0.0]


@pytest.mark.parametrize(
    "a, b, first",
    [("x y z", "x y w", 2), ("x", "x y", 1), ("x y", "x y", None), ("a b", "c b", 0)],
)
def test_the_first_difference_of_two_texts(a, b, first):
    assert first_difference(tokens(*a.split()), tokens(*b.split())) == first
    assert first_difference(tokens(*b.split()), tokens(*a.split())) == first


def test_the_last_word_is_neither_special_nor_punctuation():
    assert last_word(tokens("it", "was", "wide", ".")) == 2
    assert last_word(tokens("[CLS]", "wide", ".", "[SEP]", special=("[CLS]", "[SEP]"))) == 1
    assert last_word(tokens(".", "!")) == 1
    assert last_word([]) == 0


@pytest.mark.parametrize("queries, keys, size", [(5, 5, 64), (64, 64, 64), (65, 3, 64), (7, 40, 8)])
def test_pooling_keeps_the_largest_weight_of_each_cell(queries, keys, size):
    maps = torch.rand(2, 3, queries, keys)
    small, cell = pooled(maps, size), -(-max(queries, keys) // size)
    assert small.shape == (2, 3, -(-queries // cell), -(-keys // cell))
    for i in range(small.shape[2]):
        for j in range(small.shape[3]):
            block = maps[..., i * cell : (i + 1) * cell, j * cell : (j + 1) * cell]
            assert torch.equal(small[..., i, j], block.amax((-2, -1)))

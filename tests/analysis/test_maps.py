"""Figures read off maps."""

import pytest
import torch

from attnlab.analysis.maps import (
    first_token_share,
    last_word,
    row_sums,
    share_of,
    sink_share,
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


def test_the_last_word_is_neither_special_nor_punctuation():
    assert last_word(tokens("it", "was", "wide", ".")) == 2
    assert last_word(tokens("[CLS]", "wide", ".", "[SEP]", special=("[CLS]", "[SEP]"))) == 1
    assert last_word(tokens(".", "!")) == 1
    assert last_word([]) == 0


def test_a_sink_takes_what_a_row_lacks_and_nothing_of_an_empty_row():
    weights = torch.tensor([[0.5, 0.25], [0.0, 0.0], [0.5, 0.5]])
    assert sink_share(weights).tolist() == [0.25, 0.0, 0.0]


def test_the_share_of_layers_that_differ_in_heads():
    layers = [torch.full((2, 3), 0.5), torch.full((4, 3), 0.2)]
    assert share_of(layers) == pytest.approx(0.3)

"""Causal attention as a textbook writes it in NumPy, and where it and ``attend`` part ways.

The textbook adds −1e9 to the scores of the future; ``attend`` takes the future out.
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import attend, explain
from attnlab.attention.masks import Causal


def causal_attention(q, k, v):
    """q, k [.., n, D], v [.., n, E], float64. The weights and what they gather."""
    scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(q.shape[-1])
    future = np.triu(np.ones(scores.shape[-2:]), 1)
    scores = scores + future * -1e9
    shifted = np.exp(scores - scores.max(-1, keepdims=True))
    weights = shifted / shifted.sum(-1, keepdims=True)
    return weights, weights @ v


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.tuples(*[st.integers(1, 3)] * 2, *[st.integers(1, 9)] * 3),
    seed=st.integers(0, 10**6),
    tile=st.integers(1, 10),
)
def test_the_textbook_and_attend_agree(sizes, seed, tile):
    batch, heads, n, d, e = sizes
    random = np.random.default_rng(seed)
    q, k = (random.standard_normal((batch, heads, n, d)) for _ in range(2))
    v = random.standard_normal((batch, heads, n, e))
    mask = Causal().mask(range(n), range(n))
    tensors = [torch.from_numpy(x) for x in (q, k, v)]
    weights, z = causal_attention(q, k, v)
    assert np.abs(attend(*tensors, mask, tile=tile).numpy() - z).max() < 1e-12
    assert np.abs(explain(*tensors, mask).weights.numpy() - weights).max() < 1e-12


def test_on_a_row_with_every_key_hidden_minus_1e9_is_uniform_and_removal_is_empty():
    q = torch.zeros(1, 1, 1, 2, dtype=torch.float64)
    k, v = q.expand(1, 1, 4, 2), torch.arange(4.0, dtype=torch.float64).view(1, 1, 4, 1)
    outweighed = explain(q, k, v, bias=torch.full((1, 1, 1, 4), -1e9, dtype=torch.float64))
    assert outweighed.weights.flatten().tolist() == [0.25] * 4
    assert float(outweighed.z) == 1.5
    removed = explain(q, k, v, torch.zeros(1, 4, dtype=torch.bool))
    assert removed.weights.flatten().tolist() == [0] * 4
    assert float(removed.z) == 0


@pytest.mark.parametrize("score, wins", [(-1e8, True), (-2e9, False)])
def test_a_score_lower_than_minus_1e9_brings_the_future_back(score, wins):
    q = torch.tensor([[[[1.0]]]], dtype=torch.float64)
    k = torch.tensor([[[[score], [0.0]]]], dtype=torch.float64)
    v = torch.tensor([[[[1.0], [0.0]]]], dtype=torch.float64)
    bias = torch.tensor([[[[0.0, -1e9]]]], dtype=torch.float64)
    assert (float(attend(q, k, v, bias=bias, scale=1.0)) == 1) is wins
    assert float(attend(q, k, v, torch.tensor([[True, False]]), scale=1.0)) == 1

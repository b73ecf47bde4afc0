"""Which heads are alike, which look at a word, and which are of a plain kind."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.analysis.find import ranked
from attnlab.analysis.roles import suggest
from attnlab.analysis.similarity import apart, pairwise


def random_weights(*shape, seed=0, causal=False):
    scores = torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * 3
    if causal:
        scores = scores.masked_fill(torch.ones(shape[-2:]).triu(1).bool(), -torch.inf)
    return scores.softmax(-1)


def divergence(p, q):
    """Jensen–Shannon divergence in bits, term by term (Lin 1991)."""
    middle = (p + q) / 2
    terms = [
        (x * np.log2(x / m) if x else 0) + (y * np.log2(y / m) if y else 0)
        for x, y, m in zip(p, q, middle, strict=True)
    ]
    return sum(terms) / 2


@pytest.mark.parametrize("causal", [False, True])
def test_similarity_is_one_minus_the_mean_divergence(causal):
    weights = random_weights(3, 7, 7, causal=causal)
    found = pairwise(weights, causal=causal)
    for i in range(3):
        for j in range(3):
            rows = list(zip(weights[i].double().numpy(), weights[j].double().numpy(), strict=True))
            away = [divergence(*row) for row in rows[1 if causal else 0 :]]
            assert float(found[i, j]) == pytest.approx(1 - np.mean(away), abs=1e-6)


def test_similarity_at_its_ends_with_sinks_and_with_empty_rows():
    far = torch.tensor([[[1.0, 0], [1, 0]], [[0, 1], [0, 1]]])
    assert pairwise(far).tolist() == [[1, 0], [0, 1]]
    sinks = torch.tensor([[[0.5, 0.0]], [[0.0, 0.5]]])
    assert float(pairwise(sinks)[0, 1]) == pytest.approx(0.5)
    empty = torch.tensor([[[0.0, 0], [1, 0]], [[0, 0], [1, 0]]])
    assert pairwise(empty).tolist() == [[1, 1], [1, 1]]
    assert pairwise(torch.zeros(2, 3, 3)).tolist() == [[1, 1], [1, 1]]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 99), st.integers(1, 4), st.integers(1, 150))
def test_similarity_is_symmetric_and_between_zero_and_one(seed, heads, queries):
    found = pairwise(random_weights(heads, queries, 5, seed=seed))
    assert torch.allclose(found, found.T)
    assert torch.allclose(found.diagonal(), torch.ones(heads, dtype=torch.double))
    assert found.min() >= 0 and found.max() <= 1 + 1e-12


def test_a_row_that_an_edit_silences_has_moved_as_far_as_can_be():
    before = random_weights(3, 5, 5)
    after = before.clone()
    after[0] = 0
    after[1, :2] = 0
    assert apart(before, after).tolist() == pytest.approx([1, 0.4, 0], abs=1e-6)
    assert apart(after, after).tolist() == [0, 0, 0]  # a row that never saw anything is nobody's
    assert pairwise(after)[0, 1] == 1


def test_heads_are_ranked_largest_first_and_missing_ones_left_out():
    values = torch.tensor([[0.1, float("nan"), 0.4], [0.4, -0.2, 0.0]])
    found = ranked(values, 4, layers=(3, 7))
    assert [(layer, head) for layer, head, _ in found] == [(3, 2), (7, 0), (3, 0), (7, 2)]
    assert [value for *_, value in found] == pytest.approx([0.4, 0.4, 0.1, 0.0])
    assert len(ranked(values, 99)) == 5


def test_a_head_of_each_kind_is_found_and_none_twice():
    weights = torch.full((2, 3, 5, 5), 0.2)
    weights[1, 0] = torch.eye(5).roll(-1, 1)
    weights[1, 0][0] = torch.eye(5)[0]
    weights[1, 0] = torch.diag(torch.ones(4), -1)
    weights[0, 2] = 0
    weights[0, 2][:, 0] = 1
    weights[0, 1] = 0
    weights[0, 1][:, 3] = 1
    found = suggest(weights, layers=(4, 9))
    assert found == {"previous word": (9, 0), "resting": (4, 2), "focused": (4, 1)}
    weights[1, 2] = torch.diag(torch.ones(4), 1)
    assert suggest(weights, causal=False)["next word"] == (1, 2)
    assert suggest(weights[..., :2, :2]) == {}
    assert "previous word" not in suggest(random_weights(2, 3, 5, 7))

"""The known numbers of the mechanism, from its definition (float64), through ``attend``."""

import math

import pytest
import torch

from attnlab.attention import attend, explain
from attnlab.attention.masks import Causal
from tests.attention.test_attend import F64, normal

X = torch.tensor(
    [[0.2, -0.4, 0.1, 0.9], [1.0, 0.3, -0.6, 0.2], [-0.3, 0.8, 0.5, -0.1], [0.4, 0.6, 0.9, -0.5]],
    dtype=F64,
)  # The, cat, sat, down


def explained(q, k, **options):
    """One head on plain lists or matrices; the values are the keys' names, one each."""
    q, k = (torch.as_tensor(x, dtype=F64)[None, None] for x in (q, k))
    return explain(q, k, torch.eye(k.shape[2], dtype=F64)[None, None], **options)


def rounded(tensor, digits=4):
    return [round(x, digits) for x in tensor.flatten().tolist()]


def test_scores_8_2_4_of_size_4():
    found = explained([[1, 0, 0, 0]], [[8, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0]])
    assert rounded(found.scores) == [8, 2, 4]
    assert rounded(found.scaled) == [4, 1, 2]
    assert rounded(found.weights) == [0.8438, 0.0420, 0.1142]
    assert torch.equal(found.z, found.weights)


@pytest.mark.parametrize("other", [0.0, 1.5, -7.0])
def test_a_query_and_one_key_that_matches(other):
    found = explained([[2, 0]], [[1.5, 0], [0, other], [0, other]], scale=1.0)
    assert rounded(found.scores) == [3, 0, 0]
    assert rounded(found.weights) == [0.9094, 0.0453, 0.0453]


def test_the_query_decides_which_key_wins():
    animal_street_own = [[1.5, 0], [0, 1.5], [0, 0]]
    tired = explained([[2, 0]], animal_street_own, scale=1.0)
    wide = explained([[0, 2]], animal_street_own, scale=1.0)
    assert rounded(tired.weights) == [0.9094, 0.0453, 0.0453]
    assert rounded(wide.weights) == [0.0453, 0.9094, 0.0453]


def test_every_token_against_every_token():
    assert [rounded(row, 2) for row in explained(X, X).scores[0, 0]] == [
        [1.02, 0.20, -0.42, -0.52],
        [0.20, 1.49, -0.38, -0.06],
        [-0.42, -0.38, 0.99, 0.86],
        [-0.52, -0.06, 0.86, 1.58],
    ]


def test_the_last_row_of_the_causal_weights():
    found = explained(X, X, mask=Causal().mask(range(4), range(4)))
    assert found.scaled.equal(found.scores / 2)
    assert rounded(found.weights[0, 0, 3]) == [0.1406, 0.1770, 0.2804, 0.4019]
    assert torch.equal(found.weights.tril(), found.weights)


@pytest.mark.parametrize("d, deviation", [(4, 2), (1024, 32)])
def test_dot_products_of_random_vectors_spread_with_the_root_of_their_size(d, deviation):
    q, k = normal(5_000, 1, 1, d), normal(5_000, 1, 1, d, seed=1)
    found = explain(q, k, k)
    assert float(found.scores.std()) == pytest.approx(deviation, rel=0.03)
    assert float(found.scaled.std()) == pytest.approx(1, rel=0.03)


def test_scores_too_far_apart_leave_one_weight():
    weights = [0.495, 0.016, 0.066, 0.163, 0.102, 0.157]
    scores = [8 * math.log(w) for w in weights]
    assert max(scores) - min(scores) == pytest.approx(27.4, abs=0.1)
    q = [[1.0] + [0.0] * 63]
    k = [[score] + [0.0] * 63 for score in scores]
    first = float(explained(q, k, scale=1.0).weights[0, 0, 0, 0])
    assert first == pytest.approx(0.9997, abs=1e-4)  # 0.99976
    found = explained(q, k)
    assert torch.allclose(found.scaled, found.scores / 8)
    assert found.weights.flatten().tolist() == pytest.approx(weights, abs=0.001)


def attention_of_ids(ids, visible=None):
    """Two heads of random projections over random embeddings, joined by W_O; no positions."""
    x = normal(50, 6, seed=1)[ids]
    q, k, v = (
        (x @ normal(6, 6, seed=seed)).view(-1, 2, 3).transpose(0, 1)[None] for seed in (2, 3, 4)
    )
    z = attend(q, k, v, visible)
    return z[0].transpose(0, 1).flatten(1) @ normal(6, 6, seed=5)


def test_without_positions_and_mask_attention_sees_a_set():
    ids = torch.tensor([7, 3, 3, 41, 0, 12, 7, 30])
    order = torch.randperm(8, generator=torch.Generator().manual_seed(6))
    plain, permuted = attention_of_ids(ids), attention_of_ids(ids[order])
    assert (permuted - plain[order]).abs().max() < 1e-10
    # The causal mask alone tells first from last.
    causal = Causal().mask(range(8), range(8))
    plain, permuted = attention_of_ids(ids, causal), attention_of_ids(ids[order], causal)
    assert (permuted - plain[order]).abs().max() > 0.1

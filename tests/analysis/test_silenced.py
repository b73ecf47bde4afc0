"""The loss of a text without sets of heads, and how alike heads are to one of them."""

import pytest
import torch

from attnlab.analysis import similarity
from attnlab.analysis.baseline import random_sets
from attnlab.analysis.silenced import COUNT, silenced
from attnlab.trace import ZeroHead
from tests.families import worded

TEXT = "the cat saw the dog and the cat saw the dog"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    return worded.lab_of(worded.random(3), tmp_path_factory.mktemp("silenced"))


@pytest.mark.parametrize("half", [False, True])
def test_each_set_costs_what_a_run_of_its_own_does(lab, half):
    sets = [((0, 0),), ((0, 1), (1, 0))]
    ids = [token.id for token in lab.tokens(TEXT)]
    found = silenced(lab, ids, sets, half=half, seed=2)

    def loss(heads):
        trace = lab.run(ids, edits=tuple(ZeroHead(*head) for head in heads))
        after = torch.tensor(ids[1:])
        losses = -trace.logits[:-1].double().log_softmax(-1).gather(-1, after[:, None])[:, 0]
        return float(losses[len(ids) // 2 :].mean() if half else losses.mean())

    assert found.plain == pytest.approx(loss(()), abs=1e-5)
    assert found.without == pytest.approx([loss(heads) for heads in sets], abs=1e-4)
    for size, value in zip((1, 2), found.random, strict=True):
        others = sorted(loss(heads) for heads in random_sets(lab, size, COUNT, 2))
        middle = len(others) // 2
        wanted = others[middle] if len(others) % 2 else sum(others[middle - 1 : middle + 1]) / 2
        assert value == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("causal", [False, True])
def test_one_head_against_all_is_a_row_of_all_against_all(causal):
    torch.manual_seed(0)
    weights = torch.rand(5, 7, 7).tril().softmax(-1)
    found = similarity.to_one(weights, 2, causal=causal)
    assert torch.allclose(found, similarity.pairwise(weights, causal=causal)[2])
    weights[1, 3] = 0  # a row that sees nothing counts for nobody
    pair = similarity.pairwise(weights[[2, 1]], causal=causal)[0, 1]
    assert similarity.to_one(weights, 2, causal=causal)[1] == pytest.approx(float(pair))

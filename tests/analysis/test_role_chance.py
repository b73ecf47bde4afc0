"""What a score of a head role is compared with: looking elsewhere, and what is common to texts."""

import itertools

import numpy as np
import pytest
import torch

from attnlab.analysis import roles
from attnlab.analysis.roles.common import Common
from attnlab.analysis.roles.probe import Looks, looks_at
from attnlab.analysis.roles.score import SHUFFLES, Tally, scored


def random_weights(*shape, seed=0):
    scores = torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * 2
    return scores.masked_fill(torch.ones(shape[-2:]).triu(1).bool(), -torch.inf).softmax(-1)


def test_chance_is_other_keys_as_many_of_them():
    weights = random_weights(5, 9, 9)
    seen = torch.ones(9, 9, dtype=torch.bool).tril()
    on = looks_at(9, [(4, [1, 2]), (8, [3])], [(), ()]).on
    among = seen & on.any(-1, keepdim=True) & ~on
    score, chance = scored(weights, Looks(on, among), False, torch.Generator().manual_seed(0))
    w = weights.double()
    right = (w[:, 4, 1] + w[:, 4, 2] + w[:, 8, 3]) / 2
    torch.testing.assert_close(score, right, rtol=0, atol=1e-6)
    assert chance.shape == (SHUFFLES, 5)
    # Of 3 other keys two are drawn, of 8 others one; the mean is that of their weights.
    expected = ((1 - w[:, 4, 1] - w[:, 4, 2]) * 2 / 3 + (1 - w[:, 8, 3]) / 8) / 2
    assert (chance.mean(0) - expected).abs().max() < 0.06
    assert (chance.max(0).values > chance.min(0).values).all()


def test_chance_of_a_difference_swaps_the_two_sides():
    weights = random_weights(5, 9, 9)
    looks = looks_at(9, [(7, [1])], [[5]])
    score, chance = scored(weights, looks, True, torch.Generator().manual_seed(0))
    right = (weights[:, 7, 1] - weights[:, 7, 5]).double()
    torch.testing.assert_close(score, right)
    torch.testing.assert_close(chance.abs(), right.abs().expand(SHUFFLES, -1))
    assert 0 < (chance[:, 0] * right[0] > 0).sum() < SHUFFLES


def test_the_threshold_is_the_floor_or_four_deviations_above_chance():
    tally = Tally(roles.role_named("induction"))
    chance = torch.zeros(SHUFFLES, 2, dtype=torch.double)
    chance[::2, 1] = 0.4
    for group, score in enumerate((0.2, 0.6)):
        tally.add(torch.full((2,), score, dtype=torch.double), chance, group)
    found = tally.result()
    assert found.threshold.tolist() == pytest.approx(
        [roles.role_named("induction").floor, 0.2 + 4 * float(chance[:, 1].std())]
    )
    assert found.score.tolist() == pytest.approx([0.4, 0.4])
    assert found.spread.tolist() == pytest.approx([0.2 * 2**0.5] * 2)


def test_looking_where_no_query_looks_is_an_error():
    empty = torch.zeros(3, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match="no query"):
        scored(random_weights(1, 3, 3), Looks(empty, empty), False, torch.Generator())


def test_a_common_pattern_counts_and_one_that_the_text_moves_is_taken_off():
    n, seen = 7, torch.ones(7, 7, dtype=torch.bool).tril()
    maps = [random_weights(2, n, n, seed=i) for i in range(3)]
    for one in maps:
        one[0] = maps[0][0]  # head 0 looks the same on every text
    common = Common(seen, torch.Generator().manual_seed(0))
    for one in maps:
        common.add(one)
    found = common.result(0.3)

    def weight(difference):
        return np.mean([np.abs(difference[q, 1:]).sum() / 2 for q in range(2, n)])

    for head in range(2):
        each = [one[head].double().numpy() for one in maps]
        mean = sum(each) / 3
        even = (
            np.array([[mean[q, 1 : q + 1].sum() / max(q, 1)] * n for q in range(n)]) * seen.numpy()
        )
        moved = [weight(b - a) for a, b in itertools.pairwise(each)]
        right = weight(mean - even) - np.mean(moved)
        assert float(found.score[head]) == pytest.approx(right, abs=1e-6)
    assert found.score[0] > 0 > found.score[1]
    assert found.chance[0] < found.score[0]


def test_what_is_common_takes_two_texts():
    common = Common(torch.ones(3, 3, dtype=torch.bool).tril(), torch.Generator())
    common.add(random_weights(1, 3, 3))
    with pytest.raises(ValueError, match="two"):
        common.result(0.3)

"""One query looked up softly or sharply, and a row from which every key is hidden."""

import math
from dataclasses import replace

import pytest
import torch

from attnlab.attention import examples
from attnlab.attention.soft import blend, hidden_row
from attnlab.attention.steps import work
from attnlab.errors import InputError
from tests.attention.test_steps import random_example

SHARPNESS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, math.inf)


def test_from_an_even_blend_to_a_single_match():
    steps = work(examples.COLOURS)
    assert blend(steps, 0, 2, 0.0).weights.tolist() == pytest.approx([1 / 3] * 3, abs=1e-15)
    assert blend(steps, 0, 2, 0.0).z.tolist() == pytest.approx([1 / 3] * 3, abs=1e-15)
    assert torch.equal(blend(steps, 0, 2, 1.0).weights, steps.weights[0, 2])
    assert torch.equal(blend(steps, 0, 2, 1.0).z, steps.z[0, 2])
    assert blend(steps, 0, 2, math.inf).weights.tolist() == [1, 0, 0]
    assert blend(steps, 0, 2, 32.0).weights[0] > 1 - 1e-12


@pytest.mark.parametrize("query", range(5))
@pytest.mark.parametrize("causal", [True, False])
def test_the_sharper_the_larger_the_largest_share(query, causal):
    steps = work(random_example(2, causal))
    for head in range(2):
        found = [blend(steps, head, query, sharp) for sharp in SHARPNESS]
        tops = [one.weights.max().item() for one in found]
        assert tops == sorted(tops)
        assert all(one.weights.sum().item() == pytest.approx(1, abs=1e-12) for one in found)
        if causal:
            assert not any(one.weights[query + 1 :].any() for one in found)
        v = steps.v[:, 3 * head : 3 * head + 3]
        assert all(torch.allclose(one.weights @ v, one.z, atol=1e-12) for one in found)


def test_keys_that_fit_equally_well_share_a_single_match():
    steps = work(replace(examples.DOG, heads=1))
    assert blend(steps, 0, 1, math.inf).weights.tolist() == [0.5, 0, 0.5]


@pytest.mark.parametrize("sharp", [-1.0, math.nan])
def test_no_sharpness_below_nothing(sharp):
    with pytest.raises(InputError, match="0 or more"):
        blend(work(examples.CAT), 0, 0, sharp)


@pytest.mark.parametrize(("head", "query"), [(-1, 0), (1, 0), (0, -1), (0, 4)])
def test_a_query_that_is_not_there_is_refused(head, query):
    steps = work(examples.CAT)
    with pytest.raises(InputError, match="no query"):
        blend(steps, head, query, 1.0)
    with pytest.raises(InputError, match="no query"):
        hidden_row(steps, head, query)


def test_minus_a_billion_against_minus_infinity_on_a_fully_masked_row():
    steps = work(examples.COLOURS)
    found = hidden_row(steps, 0, 2)
    # Float32 has steps of 64 at a billion: all scores become the same, hidden keys get weight.
    assert found.added_32.tolist() == pytest.approx([1 / 3] * 3, abs=1e-7)
    # Float64 keeps the differences: it is as if nothing had been hidden.
    unmasked = work(replace(steps.example, causal=False)).weights[0, 2]
    assert torch.allclose(found.added_64, unmasked, atol=1e-6)
    assert found.softmax.isnan().all()
    assert found.removed.tolist() == [0, 0, 0]


def test_whether_a_billion_levels_scores_is_told_by_the_numbers():
    """Below 32 every score falls to the same float32 number; far apart they do not."""
    assert hidden_row(work(examples.COLOURS), 0, 2).levelled
    x = ((100.0, 0.0), (-100.0, 0.0))
    one = ((1.0, 0.0), (0.0, 1.0))
    apart = hidden_row(
        work(replace(examples.WIDE, tokens=("a", "b"), x=x, w_q=one, w_k=one, w_v=one)), 0, 0
    )
    assert not apart.levelled
    assert apart.added_32.tolist() == [1, 0]

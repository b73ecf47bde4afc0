"""Drawing: what top-k and top-p keep, and that draws follow the chances."""

import numpy as np
import pytest
import torch

from attnlab.errors import InputError
from attnlab.pretrained.sampling import Luck, Sampling

LOGITS = torch.tensor([0.1, 0.4, 0.05, 0.25, 0.2]).log()


def kept(**options):
    ids, chances = Sampling(**{"temperature": 1.0} | options).kept(LOGITS)
    return ids.tolist(), pytest.approx(chances.tolist())


def test_each_cut_keeps_the_likeliest():
    assert kept() == ([1, 3, 4, 0, 2], [0.4, 0.25, 0.2, 0.1, 0.05])
    assert kept(top_k=2) == ([1, 3], [0.4 / 0.65, 0.25 / 0.65])
    assert kept(top_k=9)[0] == kept()[0]
    assert kept(temperature=0.0) == ([1], [1.0])


def test_a_temperature_is_a_number_of_any_kind():
    for one in (0.5, np.float32(0.5), torch.tensor(0.5)):
        assert Sampling(one) == Sampling(0.5)
    for wrong in (True, 1e-5, 1e4, "warm"):
        with pytest.raises(InputError, match="The sampling temperature is"):
            Sampling(wrong)


def test_top_p_is_the_smallest_set_that_reaches_it():
    assert kept(top_p=0.4)[0] == [1]
    assert kept(top_p=0.41)[0] == [1, 3]
    assert kept(top_p=0.66)[0] == [1, 3, 4]
    assert kept(top_p=1.0)[0] == [1, 3, 4, 0, 2]
    assert kept(top_p=1e-9)[0] == [1]


def test_temperature_comes_first_then_top_k_then_top_p():
    """Of the two that top-k leaves, the first has 0.62: top-p 0.6 keeps it alone, and at a higher
    temperature both."""
    assert kept(top_k=2, top_p=0.6)[0] == [1]
    assert kept(temperature=3.0, top_k=2, top_p=0.6)[0] == [1, 3]


def test_draws_follow_the_chances():
    sampling = Sampling(1.0, top_k=3, seed=4)
    luck = Luck(4)
    drawn = torch.tensor([sampling.draw(LOGITS, luck.at(i)) for i in range(4000)])
    found = torch.bincount(drawn, minlength=5) / 4000
    assert torch.allclose(found.double(), sampling.chances(LOGITS), atol=0.03)
    assert sampling.draw(LOGITS, 0.0) == 1
    assert sampling.draw(LOGITS, 1 - 1e-16) == 4


def test_luck_is_the_same_in_any_order():
    one, other = Luck(-7), Luck(-7)
    assert [one.at(i) for i in (3, 1, 0)] == [other.at(i) for i in (3, 1, 0)]
    assert Luck(8).at(0) != one.at(0)


@pytest.mark.parametrize(
    "options",
    [{"top_k": 0}, {"top_k": 1.5}, {"top_p": 0}, {"top_p": 1.1}, {"top_p": "all"}, {"seed": 0.5}],
)
def test_a_bad_option_is_one_sentence(options):
    with pytest.raises(InputError, match=r"^[^\n]*\.$"):
        Sampling(temperature=1.0, **options)

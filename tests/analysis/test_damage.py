"""What a window costs and what is taken back, of means and of a curve."""

import pytest
import torch

from attnlab.analysis.damage import damage, half_mean, width_for
from attnlab.errors import InputError


def test_a_mean_is_of_the_second_half():
    assert half_mean(torch.tensor([9.0, 9.0, 1.0, 3.0, 5.0]), 6) == pytest.approx(4.0)
    with pytest.raises(InputError):
        half_mean(torch.zeros(0), 1)


@pytest.mark.parametrize(("tokens", "width"), [(2, 1), (16, 1), (256, 17), (1_024, 65)])
def test_widths_are_odd_and_grow_with_the_text(tokens, width):
    assert width_for(tokens) == width


def test_what_is_taken_back_is_a_share_of_the_cost():
    found = damage([2.0, 4.0, 2.5])
    assert found.cost == 2.0 and found.taken_back == 0.75
    assert damage([2.0, 4.0, 5.0]).taken_back == -0.5
    assert damage([2.0, 4.0]) is None

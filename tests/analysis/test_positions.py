"""What the Positions page computes: waves and turns, distances, words in another order."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.analysis import distance, family_curves, permuted, waves
from attnlab.attention.positions import NtkAware, PositionInterpolation, Rope, Yarn
from attnlab.errors import InputError
from tests.families import lab


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 32), st.integers(2, 100_000), st.integers(-50, 300))
def test_going_on_is_one_turn_for_every_position(pairs, base, by):
    """PE(p + k) = R(k) PE(p): float64 to rounding, and R is an ordinary rotation matrix."""
    assert waves.turn_error(2 * pairs, base, by, 64, torch.float64) < 1e-11
    here = waves.encoding(torch.arange(5), 2 * pairs, base)
    angle = by * base ** (-torch.arange(0, 2 * pairs, 2, dtype=torch.float64) / (2 * pairs))
    sine, cosine = here[:, 0::2], here[:, 1::2]
    expected = sine * angle.cos() + cosine * angle.sin()
    moved = waves.moved_on(here, by, base)
    torch.testing.assert_close(moved[:, 0::2], expected, atol=1e-11, rtol=0)


def test_waves_and_their_lengths():
    assert waves.encoding(torch.tensor([0]), 4, 10_000).tolist() == [[0, 1, 0, 1]]
    lengths = waves.wavelengths(64, 10_000)
    assert lengths[0] == pytest.approx(2 * math.pi)
    assert (lengths.diff() > 0).all()


def test_likeness_is_a_cosine_and_an_empty_vector_is_like_nothing():
    table = torch.tensor([[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0], [0.0, 0.0]])
    expected = [[1, 0, -1, 0], [0, 1, 0, 0], [-1, 0, 1, 0], [0, 0, 0, 0]]
    assert waves.likeness(table).tolist() == expected


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(distance.VECTORS),
    st.sampled_from([2, 8, 64]),
    st.sampled_from([10, 500, 10_000]),
    st.integers(0, 4_000),
)
def test_a_rotary_score_depends_on_the_distance_alone(name, size, base, start):
    q, k = distance.pair(name, size)
    far = range(0, 200, 7)
    found = distance.against(q, k, Rope(base), [0, start], far)
    assert found.spread < 1e-9
    angles = torch.tensor(far)[:, None] * Rope(base).frequencies(size, torch.float64)
    half = size // 2
    # q at distance d after k: the same angle between the hands of each pair, written out.
    even = (q[:half] * k[:half] + q[half:] * k[half:]) * angles.cos()
    odd = (q[:half] * k[half:] - q[half:] * k[:half]) * angles.sin()
    expected = (even + odd).sum(-1) / math.sqrt(size)
    torch.testing.assert_close(found.scores[0], expected, atol=1e-9, rtol=0)


def test_scalings_by_name_and_what_they_leave_unseen():
    assert distance.scaling_of("none", 4, 128) is None
    assert distance.scaling_of("interpolated", 4, 128) == PositionInterpolation(4)
    assert distance.scaling_of("ntk", 4, 128) == NtkAware(4)
    assert distance.scaling_of("yarn", 4, 128) == Yarn(4, 128)
    plain = distance.unseen(Rope(), 64, 128, 512)
    turned = distance.turns(Rope(), 64, 128)
    # What has not come round in 128 tokens goes on to new angles in 512, and nothing else does.
    assert plain.tolist() == (turned < 1).tolist() and 0 < plain.sum() < 32
    for name, left in (("interpolated", 0), ("yarn", 0)):
        scheme = Rope(scaling=distance.scaling_of(name, 4, 128))
        assert distance.unseen(scheme, 64, 128, 512).sum() == left, name
    assert not distance.unseen(Rope(), 64, 128, 128).any()


def test_interpolation_is_the_same_curve_stretched():
    q, k = distance.pair("alike", 32)
    plain = distance.against(q, k, Rope(), [0], range(65)).scores[0]
    slow = distance.against(q, k, Rope(scaling=PositionInterpolation(4)), [0], range(0, 257, 4))
    torch.testing.assert_close(slow.scores[0], plain, atol=1e-12, rtol=0)


WORDS = ["dog", "bites", "man", "and", "runs"]


@pytest.mark.parametrize("order", permuted.ORDERS)
@pytest.mark.parametrize("count", [2, 3, 5])
def test_without_positions_and_mask_the_words_change_places_and_nothing_else(order, count):
    places = permuted.ordered(order, count, seed=1)
    assert sorted(places) == list(range(count))
    bare = permuted.ours(WORDS[:count], places, "bare")
    assert bare.largest < 1e-5
    assert permuted.ours(WORDS[:count], places, "bare", torch.float64).largest < 1e-12
    if places != list(range(count)):
        assert permuted.ours(WORDS[:count], places, "mask").largest > 0.1
        assert permuted.ours(WORDS[:count], places, "scheme").largest > 0.1


def test_our_attention_is_the_same_whatever_was_drawn_before():
    places = permuted.ordered("swap", 3)
    torch.manual_seed(1)
    first = permuted.ours(WORDS[:3], places, "mask")
    torch.manual_seed(2)
    assert permuted.ours(WORDS[:3], places, "mask") == first


def test_words_that_stand_twice_have_one_vector():
    found = permuted.ours(["dog", "and", "dog"], permuted.ordered("swap", 3), "bare")
    assert found.largest < 1e-6


def test_places_that_are_fixed_stay():
    assert permuted.ordered("reverse", 5, fixed=[0, 4]) == [0, 3, 2, 1, 4]
    assert permuted.ordered("swap", 4, fixed=[0]) == [0, 3, 2, 1]
    assert permuted.ordered("swap", 1, fixed=[0]) == [0]


@pytest.mark.parametrize(
    "given",
    [
        ("sideways", 3),
        ([], 3),
        ("swap", 2.5),
        ("swap", None),
        ("swap", 3, "a"),
        ("swap", 3, [0.5]),
        ("shuffle", 3, (), None),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(given):
    with pytest.raises(InputError):
        permuted.ordered(*given)
    assert permuted.ordered("shuffle", 3, fixed=1)[1] == 1


@pytest.mark.parametrize("order", [None, [0, 1], [0, 0, 1], [0, 1, 3], [0.0, 1, 2], {0, 1, 2}])
def test_an_order_of_other_tokens_is_refused(order):
    with pytest.raises(InputError):
        permuted.model(lab("llama"), [3, 4, 5], order, (), "decoder")


def test_unknown_vectors_are_refused():
    with pytest.raises(ValueError, match="is none of"):
        distance.pair("nothing", 4)


def test_curves_of_several_seeds():
    found = family_curves.spread([torch.tensor([1.0, 2, 3]), torch.tensor([3.0, 4])])
    assert found.mean.tolist() == [2, 3]
    assert (found.least.tolist(), found.most.tolist()) == ([1, 2], [3, 4])
    assert found.seeds == 2
    with pytest.raises(ValueError, match="no curves"):
        family_curves.spread([])


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 4_000), st.integers(1, 60))
def test_pieces_cover_every_position_once(length, least):
    at = family_curves.edges(length, least)
    assert all(b - a >= min(least, length) for a, b in pairwise(at))
    assert at[0] == 0 and at[-1] == length
    assert all(a < b for a, b in pairwise(at))
    values = torch.arange(length, dtype=torch.float64)
    means = family_curves.binned(values, at)
    sizes = [b - a for a, b in pairwise(at)]
    total = sum(mean * size for mean, size in zip(means, sizes, strict=True))
    assert total == pytest.approx(float(values.sum()))
    # A curve that stopped has nothing from the piece in which it did.
    assert family_curves.binned(values[: length // 2], at)[-1] is None
    assert family_curves.within(values, 0, length) == pytest.approx((length - 1) / 2)
    assert family_curves.within(values, 0, length + 1) is None

"""The edit of positions as a value, and which position each token then claims."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import attnlab as al
from attnlab.errors import EditError
from attnlab.trace.edits.placed import Placed, moved, permuted, stretches
from attnlab.trace.positioning import SCHEMES, Positioning

SETTINGS = {
    "shifted": {"offset": 3},
    "base": {"base": 500.0},
    "interpolated": {"factor": 2},
    "ntk": {"factor": 2},
    "yarn": {"factor": 2},
}


def edit(scheme, **more):
    return al.Positions(scheme, **SETTINGS.get(scheme, {}), **more)


def placed(*edits, length=None):
    return tuple(Placed(e, frozenset(), bool, max, length=length) for e in edits)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_json_and_back(scheme):
    for one in (edit(scheme), edit(scheme, layers=(0, 2), role="encoder")):
        assert al.edit_from_json(one.to_json()) == one
        assert hash(one) == hash(al.edit_from_json(one.to_json()))
        assert one.to_json()["kind"] == "positions"


@pytest.mark.parametrize(
    ("scheme", "given", "said"),
    [
        ("rope", {}, "no scheme 'rope'"),
        (3, {}, "no scheme 3"),
        ("shifted", {}, "needs offset="),
        ("shifted", {"offset": 1.5}, "whole numbers"),
        ("shifted", {"offset": True}, "whole numbers"),
        ("shifted", {"offset": 10**8}, "1,000,000"),
        ("none", {"offset": 1}, "has no offset="),
        ("reversed", {"seed": 1}, "has no seed="),
        ("base", {}, "needs base="),
        ("base", {"base": 1}, "1.01"),
        ("base", {"base": float("nan")}, "nan"),
        ("base", {"base": "10000"}, "'10000'"),
        ("interpolated", {"factor": 0}, "0.01"),
        ("ntk", {"factor": float("inf")}, "inf"),
        ("ntk", {"factor": 2, "original": 8}, "has no original="),
        ("yarn", {"factor": 2, "original": 0}, "at least 1"),
        ("alibi", {"heads": ()}, "heads"),
        ("alibi", {"layers": 1.5}, "layers"),
    ],
)
def test_what_makes_no_sense_is_named(scheme, given, said):
    with pytest.raises(EditError, match=said):
        al.Positions(scheme, **given)


def test_settings_do_not_stand_by_place():
    with pytest.raises(TypeError):
        al.Positions("shifted", 3)


@given(length=st.integers(1, 40), seed=st.integers(-(2**70), 2**70), more=st.integers(0, 5))
def test_moves_deal_out_the_positions_of_the_text_alone(length, seed, more):
    here = torch.arange(-1, length + more)  # padding before, tokens that were generated after
    for one in (al.Positions("shuffled", seed=seed), al.Positions("reversed")):
        new = permuted(placed(one, length=length), here)
        assert new[0] == -1
        assert new[1 : length + 1].sort().values.tolist() == list(range(length))
        assert new[length + 1 :].tolist() == list(range(length, length + more))
        # One token at a time, as beside a cache.
        alone = [int(permuted(placed(one, length=length), p[None])) for p in here]
        assert alone == new.tolist()


@given(offset=st.integers(-50, 50), length=st.integers(1, 20))
def test_a_shift_and_a_move_act_together_whatever_their_order(offset, length):
    here = torch.arange(length)
    shifted, turned = al.Positions("shifted", offset=offset), al.Positions("reversed")
    one = moved(placed(shifted, turned, length=length), here)
    assert torch.equal(one, moved(placed(turned, shifted, length=length), here))
    assert torch.equal(one, here.flip(0) + offset)
    assert not moved(placed(shifted, al.Positions("none"), length=length), here).any()


def test_shuffles_differ_by_seed_and_not_otherwise():
    here = torch.arange(13)
    new = [permuted(placed(al.Positions("shuffled", seed=s), length=13), here) for s in (0, 1, 0)]
    assert torch.equal(new[0], new[2])
    assert not torch.equal(new[0], new[1])
    assert al.Positions("shuffled") == al.Positions("shuffled", seed=0)


def test_yarn_goes_by_the_training_length_that_was_found():
    yarn = Placed(edit("yarn"), frozenset(), bool, max, original=64)
    assert stretches((yarn, *placed(al.Positions("none")))) == (edit("yarn", original=64),)


def test_what_was_found_says_what_can_be_taken():
    rotary = Positioning("decoder", ("rotary",), bases=(10000.0,), fraction=0.25)
    assert "base 10,000" in rotary.sentence
    assert "25% of each head" in rotary.sentence
    assert rotary.takes == tuple(s for s in SCHEMES if s != "sinusoidal")
    table = Positioning("encoder", ("table",), learned=True, longest=512)
    assert table.takes == ("none", "shifted", "shuffled", "reversed", "alibi", "sinusoidal")
    assert Positioning("decoder").takes == ("alibi",)
    two = Positioning("decoder", ("rotary",), bases=(1e4, 1e6))
    assert (rotary.base, two.base) == (10000.0, None)

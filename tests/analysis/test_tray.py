"""A set of heads beside its parts and random sets: each number is that of a run of its own."""

import pytest

import attnlab as al
from attnlab.analysis.baseline import random_sets
from attnlab.analysis.grow import grown
from attnlab.analysis.metrics import KL, CosineDistance, Loss
from attnlab.analysis.tray import together
from attnlab.errors import InputError
from tests.families import lab, text

IDS = text(11, seed=3)


def alone(name, heads, metric, make=al.ZeroHead):
    variants = [tuple(make(*head) for head in heads)]
    return float(grown(lab(name), IDS, variants, metric).values[0][0])


@pytest.mark.parametrize("make", [al.ZeroHead, al.MeanHead])
def test_every_number_is_that_of_its_heads_alone(make):
    heads = [(1, 2), (0, 1)]
    found = together(lab("llama"), IDS, make, heads, KL(), count=4)
    assert found.effect == pytest.approx(alone("llama", heads, KL(), make), abs=1e-6)
    for head, value in zip(sorted(heads), found.singles, strict=True):
        assert value == pytest.approx(alone("llama", [head], KL(), make), abs=1e-6)
    for chosen, value in zip(random_sets(lab("llama"), 2, 4), found.random, strict=True):
        assert value == pytest.approx(alone("llama", chosen, KL(), make), abs=1e-6)
    assert found.sum == sum(found.singles) != found.effect
    assert found.spread[0] <= found.spread[1] <= found.spread[2]
    assert found.beats == sum(value < found.effect for value in found.random)


def test_signed_effects_are_compared_by_their_size():
    found = together(lab("llama"), IDS, al.ZeroHead, [(0, 0)], Loss(), count=6)
    assert found.singles == (pytest.approx(found.effect, abs=1e-6),)
    assert found.beats == sum(abs(value) < abs(found.effect) for value in found.random)


def test_an_encoder_s_vector_turns():
    found = together(lab("bert"), IDS, al.ZeroHead, [(0, 0), (1, 1)], CosineDistance(), count=3)
    assert found.effect == pytest.approx(
        alone("bert", [(0, 0), (1, 1)], CosineDistance()), abs=1e-6
    )
    assert 0 < found.effect <= 2


def test_without_random_sets_none_are_run():
    found = together(lab("llama"), IDS, al.ZeroHead, [(0, 0)], KL(), count=0)
    assert found.random == () and found.beats == 0 and found.effect > 0


def test_a_head_that_is_not_there_is_a_sentence():
    with pytest.raises(al.errors.EditError, match="head 99"):
        together(lab("llama"), IDS, al.ZeroHead, [(0, 99)], KL())
    many = [(layer, head) for layer in range(20) for head in range(20)]
    with pytest.raises(InputError, match="heads in decoder"):
        together(lab("llama"), IDS, al.ZeroHead, many, KL())


def parts(layer, head):
    return al.ZeroFeedForward(layer) if head is None else al.ZeroHead(layer, head)


def test_feed_forwards_belong_to_a_set_as_heads_do():
    units = [(0, 1), (1, None)]
    found = together(lab("llama"), IDS, parts, [(0, 1)], KL(), layers=[1], count=5)
    assert found.effect == pytest.approx(alone("llama", units, KL(), parts), abs=1e-6)
    for unit, value in zip(units, found.singles, strict=True):
        assert value == pytest.approx(alone("llama", [unit], KL(), parts), abs=1e-6)
    layers = lab("llama").layers()
    heads = [head for (head,) in random_sets(lab("llama"), 1, 5)]
    assert len(found.random) == len(heads)
    either = [
        [alone("llama", [head, (layer, None)], KL(), parts) for layer in layers] for head in heads
    ]
    for value, some in zip(found.random, either, strict=True):
        assert min(abs(value - one) for one in some) < 1e-6  # as many of both


def test_a_feed_forward_alone_is_beside_the_others():
    layers = lab("llama").layers()
    found = together(lab("llama"), IDS, parts, [], KL(), layers=[1])
    assert found.singles == (pytest.approx(found.effect, abs=1e-6),)
    every = sorted(alone("llama", [(layer, None)], KL(), parts) for layer in layers)
    assert sorted(found.random) == pytest.approx(every, abs=1e-6)


def test_a_set_of_nothing_and_feed_forwards_that_are_not_there_are_sentences():
    with pytest.raises(InputError, match="nothing to take away"):
        together(lab("llama"), IDS, parts, [], KL())
    with pytest.raises(InputError, match="feed-forwards in decoder, not 30"):
        together(lab("llama"), IDS, parts, [], KL(), layers=range(30))

"""Random heads as the yardstick: each value is that of the same edits run alone."""

import pytest

import attnlab as al
from attnlab.analysis.baseline import baseline, random_sets
from attnlab.analysis.effects import compare, shift
from attnlab.errors import InputError
from tests.families import lab, text

IDS = text(11, seed=3)


@pytest.mark.parametrize("make", [al.ZeroHead, al.MeanHead])
@pytest.mark.parametrize("size, position", [(1, -1), (3, 5)])
def test_every_value_is_that_of_its_heads_alone(make, size, position):
    found = baseline(lab("llama"), IDS, make=make, size=size, count=5, position=position)
    assert len(found.sets) == len(found.values) == 5
    assert sorted(found.values)[2] == found.median
    for heads, value in zip(found.sets, found.values, strict=True):
        edits = [make(*head, "decoder") for head in heads]
        alone = compare(lab("llama"), IDS, edits, position=position)
        assert value == pytest.approx(alone.kl, rel=1e-5)
        assert value > 1e-7


def test_batches_of_a_long_text_give_the_same(monkeypatch):
    whole = baseline(lab("llama"), IDS, count=7)
    monkeypatch.setattr("attnlab.analysis.baseline.BATCH_TOKENS", 25)
    shares = []
    parts = baseline(lab("llama"), IDS, count=7, progress=shares.append)
    assert parts.sets == whole.sets
    assert parts.values == pytest.approx(whole.values, rel=1e-5)
    assert shares == sorted(shares) and shares[-1] == 1 and len(shares) == 4


def test_an_encoders_output_and_an_encoder_decoders_target():
    moved = baseline(lab("bert"), IDS, count=3, position=None)
    for (head,), value in zip(moved.sets, moved.values, strict=True):
        alone = shift(lab("bert"), IDS, al.ZeroHead(*head, "encoder"))
        assert value == pytest.approx(alone.mean, abs=1e-6)
    goal = text(5, seed=9)
    crossed = baseline(lab("t5"), IDS, count=3, role="cross", target=goal)
    for (head,), value in zip(crossed.sets, crossed.values, strict=True):
        alone = compare(lab("t5"), IDS, al.ZeroHead(*head, "cross"), target=goal)
        assert value == pytest.approx(alone.kl, rel=1e-5)


def test_sets_are_distinct_repeatable_and_real():
    ours = lab("t5")
    singles = random_sets(ours, 1, 99)
    assert sorted(singles) == sorted({((i, j),) for i in range(3) for j in range(6)})
    sets = random_sets(ours, 4, 6, seed=2, role="encoder")
    assert sets == random_sets(ours, 4, 6, seed=2, role="encoder")
    assert sets != random_sets(ours, 4, 6, seed=3, role="encoder")
    assert all(len(set(heads)) == 4 for heads in sets)
    with pytest.raises(InputError, match="has 18 heads in decoder, not 19"):
        random_sets(ours, 19, 1)


def test_a_model_that_predicts_nothing_says_so():
    body = al.load(lab("llama").model.model)
    with pytest.raises(InputError, match="no language-model head"):
        baseline(body, IDS, count=1)

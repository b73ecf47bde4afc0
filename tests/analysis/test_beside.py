"""A part beside others of its kind: each number is that of a run of its own."""

import pytest

import attnlab as al
from attnlab.analysis.beside import beside, other_feed_forwards, other_heads, typical
from attnlab.analysis.effects import compare
from tests.families import lab, text

IDS = text(11, seed=3)


def share(name, edits, word, position):
    logits = lab(name).run(IDS, edits=edits, logits=(position,)).logits_at(position)
    return float(logits.double().softmax(-1)[word])


@pytest.mark.parametrize("position", [-1, 5])
def test_a_head_and_its_random_fellows_are_what_each_does_alone(position):
    others = other_heads(lab("llama"), (1, 2), count=4)
    edit = al.ZeroHead(1, 2)
    found = beside(lab("llama"), IDS, edit, others, position=position, word=7)
    assert found.kl == pytest.approx(compare(lab("llama"), IDS, edit, position).kl, abs=1e-6)
    assert found.word == (
        pytest.approx(share("llama", (), 7, position), rel=1e-4),
        pytest.approx(share("llama", edit, 7, position), rel=1e-4),
    )
    for other, kl, word in zip(others, found.others, found.words, strict=True):
        assert kl == pytest.approx(compare(lab("llama"), IDS, other, position).kl, abs=1e-6)
        assert word == pytest.approx(share("llama", other, 7, position), rel=1e-4)
    assert found.beats == sum(kl < found.kl for kl in found.others)


def test_others_are_others_and_the_same_each_time():
    heads = other_heads(lab("llama"), (0, 0), count=1000)
    assert al.ZeroHead(0, 0, "decoder") not in heads and len(set(heads)) == len(heads)
    sites = [site for site in lab("llama").sites if site.role == "decoder"]
    assert len(heads) == sum(site.heads for site in sites) - 1
    assert other_heads(lab("llama"), (0, 0), count=3) == heads[:3]
    assert other_heads(lab("llama"), (0, 0), count=3, seed=1) != heads[:3]
    layers = [edit.layer for edit in other_feed_forwards(lab("llama"), 1)]
    assert sorted([*layers, 1]) == [site.layer for site in sites]


def test_feed_forwards_of_an_encoder_decoder():
    others = other_feed_forwards(lab("t5"), 0, "decoder")
    options = {"word": 3, "target": text(5, seed=1)}
    found = beside(lab("t5"), IDS, al.ZeroFeedForward(0), others, **options)
    assert found.kl > 0 and len(found.others) == len(others) >= 1


def test_without_others_there_is_the_part_alone():
    found = beside(lab("llama"), IDS, al.ZeroHead(0, 0), (), word=7)
    assert found.others == () == found.words and found.kl > 0


def test_what_is_typical():
    assert typical([3.0]) == (3.0, 3.0)
    assert typical([*range(-5, 5)]) == (2.5, 5.0)
    with pytest.raises(ValueError, match="no values"):
        typical([])

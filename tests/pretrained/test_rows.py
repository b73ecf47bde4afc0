"""Single rows of every matrix, and a batch whose texts have edits of their own."""

import pytest
import torch

import attnlab as al
from attnlab.errors import CaptureError, InputError
from tests.families import build, lab, text


@pytest.fixture(scope="module")
def long_llama():
    """Long texts: three tiles, the last one cut short."""
    return al.load(build("llama", max_position_embeddings=1024))


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights"])
def test_rows_of_a_long_text_equal_those_of_the_whole(long_llama, stage):
    ids, rows = text(301), (0, 127, 128, 300)
    full = long_llama.run(ids, capture=stage, logits=None)
    few = long_llama.run(ids, capture=al.Capture(stage, queries=(300, 128, 0, 127)), logits=None)
    for layer in long_llama.layers():
        kept, whole = (getattr(trace, stage)[layer] for trace in (few, full))
        assert torch.equal(kept, whole[:, list(rows)])
    assert few.values[(stage, "decoder")][0].queries == rows


@pytest.mark.parametrize("name", ["bert", "t5", "gpt_oss"])
def test_rows_of_encoders_cross_attention_and_sinks(name):
    ours, ids, goal = lab(name), text(12), text(7, seed=4)
    options = {"target": goal} if name == "t5" else {}
    full = ours.run(ids, **options)
    for role in {site.role for site in ours.sites}:
        asked = al.Capture("weights", roles=role, heads=(1, 2), queries=5)
        few = ours.run(ids, capture=asked, **options)
        for layer in ours.layers(role):
            whole = full.role(role).weights[layer][[1, 2]]
            assert torch.equal(few.role(role).weights[layer], whole[:, [5]])


def test_two_captures_of_rows_join_and_a_whole_one_wins():
    ours, ids = lab("llama"), text(9)
    one, other = (al.Capture("weights", queries=row) for row in (2, 6))
    assert ours.run(ids, capture=[one, other]).weights[1].shape == (6, 2, 9)
    assert ours.run(ids, capture=[one, "weights"]).weights[1].shape == (6, 9, 9)


def test_rows_that_are_not_there_are_refused():
    ours = lab("llama")
    with pytest.raises(CaptureError, match="no query 9; the decoder has 9 queries here"):
        ours.run(text(9), capture=al.Capture("weights", queries=9))
    with pytest.raises(CaptureError, match="no query 5; the decoder has 4 queries"):
        ours.run_many([text(9), text(4)], capture=al.Capture("weights", queries=5))
    with pytest.raises(CaptureError, match="there is no -1"):
        al.Capture("weights", queries=-1)
    with pytest.raises(CaptureError, match="queries= keeps rows of"):
        al.Capture("z", queries=1)
    with pytest.raises(CaptureError, match="keys= is for thumbnails"):
        al.Capture("weights", keys=1)
    two = [al.Capture("weights", thumbnails=8, queries=row) for row in (1, 2)]
    with pytest.raises(CaptureError, match="weights of decoder layer 0 are reduced in 2 ways"):
        ours.run(text(9), capture=two)
    with pytest.raises(CaptureError, match="no key 12; the encoder has 9 keys here"):
        lab("t5").run(
            text(9), capture=al.Capture("weights", roles="encoder", thumbnails=8, keys=(1, 12))
        )
    with pytest.raises(CaptureError, match="queries= are for run"):
        ours.generate(text(4), capture=al.Capture("weights", queries=1))


@pytest.mark.parametrize("make", [al.ZeroHead, al.MeanHead])
def test_each_text_of_a_batch_has_edits_of_its_own(make):
    ours, texts = lab("llama"), [text(9), text(5, seed=1), text(9)]
    each = [(), (make(1, 2),), (make(0, 1), make(2, 3))]
    shared = (al.Temperature(2.0),)
    found = ours.run_many(texts, edits=shared, each=each)
    for ids, own, trace in zip(texts, each, found, strict=True):
        alone = ours.run(ids, edits=(*shared, *own))
        assert torch.allclose(trace.logits, alone.logits, atol=1e-6)
        assert [edit["kind"] for edit in trace.how["edits"]] == [e.kind for e in (*shared, *own)]
    with pytest.raises(InputError, match="3 texts take as many of each=, not 2"):
        ours.run_many(texts, each=each[:2])

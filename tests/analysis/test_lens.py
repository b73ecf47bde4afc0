"""The logit lens against each model's own norm and head, and against its logits at the end."""

import pytest
import torch

import attnlab as al
from attnlab.analysis import lens as reading
from attnlab.analysis.effects import kl_divergence
from attnlab.analysis.lens import StopAfter, lens, logit_lens
from attnlab.errors import Cancelled, EditRefused, InputError
from tests.families import lab, model, text

IDS = text(11, seed=5)
PLACES = (0, 4, 10)
FAMILIES = ["llama", "gpt2", "gpt_neox", "gemma2", "bert", "opt", "olmo", "cohere", "granite"]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_last_layer_gives_the_models_own_logits(name):
    found = logit_lens(lab(name), IDS, PLACES)
    right = lab(name).run(IDS, capture=()).logits[list(PLACES)]
    assert torch.allclose(found[-1], right, atol=1e-5)
    assert (found[0] - right).abs().max() > 1e-3


def test_each_layer_is_read_by_the_models_own_norm_and_head():
    found, body = logit_lens(lab("llama"), IDS, PLACES), model("llama")
    stream = lab("llama").run(IDS, capture="resid_post").resid_post
    for layer in range(len(found)):
        with torch.no_grad():
            right = body.lm_head(body.model.norm(stream[layer]))[list(PLACES)]
        assert torch.allclose(found[layer], right, atol=1e-5)


@pytest.mark.parametrize("name", ["llama", "gpt_neox", "olmo", "cohere", "bloom", "t5"])
def test_one_run_gives_what_a_run_for_each_layer_gives(name, monkeypatch):
    goal = {"target": text(6, seed=2)} if name == "t5" else {}
    runs = []
    real = lab(name).run_many
    monkeypatch.setattr(lab(name), "run_many", lambda *a, **o: runs.append(o) or real(*a, **o))
    fast = logit_lens(lab(name), IDS, None, **goal)
    assert not runs  # the norm and the head were found
    monkeypatch.setattr(reading, "ending_of", lambda *_: None)
    slow = logit_lens(lab(name), IDS, None, **goal)
    assert runs and fast.shape[1] == (7 if goal else 11)
    assert torch.allclose(fast, slow, atol=1e-5)


def test_our_transformer_is_read_alike():
    ours = al.rebuild(lab("llama"))
    torch.testing.assert_close(
        logit_lens(ours, IDS, None), logit_lens(lab("llama"), IDS, None), atol=1e-4, rtol=0
    )


def test_an_encoder_decoder_is_read_in_its_decoder():
    goal = text(6, seed=2)
    found = logit_lens(lab("t5"), IDS, (5,), target=goal)
    right = lab("t5").run(IDS, target=goal, capture=()).logits[5]
    assert torch.allclose(found[-1, 0], right, atol=1e-5)


@pytest.mark.parametrize("name", ["gpt2", "gemma2"])
def test_what_each_layer_would_say_is_that_of_its_logits(name, monkeypatch):
    monkeypatch.setattr(reading, "_TOGETHER", 4)
    monkeypatch.setattr(reading, "_ROWS", 9)
    found, logits = lens(lab(name), IDS), logit_lens(lab(name), IDS, None)
    assert (found.layers, found.positions) == ((0, 1, 2), tuple(range(11)))
    shares = logits.double().softmax(-1)
    assert (torch.tensor(found.top) == shares.argmax(-1)).all()
    assert torch.allclose(torch.tensor(found.top_share), shares.amax(-1))
    for layer in range(3):
        for place in range(11):
            answer = int(logits[-1, place].argmax())
            assert found.answer[place] == answer
            assert found.share[layer, place] == pytest.approx(float(shares[layer, place, answer]))
            assert found.rank[layer, place] == int(
                (shares[layer, place] > shares[layer, place, answer]).sum()
            )
        right = kl_divergence(logits[-1], logits[layer])
        assert torch.allclose(torch.tensor(found.kl[layer]), right, atol=1e-6)
    assert found.kl[-1].max() <= 1e-6 and found.kl[0].max() > 1e-3
    assert {found.tokens[int(i)].id for i in found.answer} == set(found.answer.tolist())


def test_the_layer_that_knew_is_the_first_of_those_that_agree_to_the_end():
    found = lens(lab("gpt2"), IDS)
    for place in range(11):
        agrees = [bool(rank == 0) for rank in found.rank[:, place]]
        right = next(i for i in range(3) if all(agrees[i:]))
        assert found.knew(place) == right
    worst = int(logit_lens(lab("gpt2"), IDS)[-1, 0].argmin())
    other = lens(lab("gpt2"), IDS, (-1,), answer=worst)
    assert other.answer.tolist() == [worst] and other.rank[-1, 0] == 96
    assert other.knew() is None


def test_what_cannot_be_read_is_refused():
    with pytest.raises(InputError, match="no language-model head"):
        logit_lens(al.load(model("llama").model), IDS)
    with pytest.raises(EditRefused, match="has blocks 0 to 2, so none is 9"):
        lab("llama").run(IDS, edits=[StopAfter(9)])
    with pytest.raises(EditRefused, match="no residual stream that could be read"):
        logit_lens(lab("mamba"), IDS)
    with pytest.raises(InputError, match="no token 97; the model predicts 0 to 96"):
        lens(lab("llama"), IDS, answer=97)
    with pytest.raises(InputError, match="positions"):
        lens(lab("llama"), IDS, ())
    stop = al.Cancel()
    stop.set()
    with pytest.raises(Cancelled):
        lens(lab("llama"), IDS, cancel=stop)


def test_the_packaged_decoder_finds_its_answer_in_the_last_layer(smollm2):
    found = lens(smollm2, "The capital of France is", (-1,))
    assert found.tokens[int(found.answer[0])].text == " Paris"
    assert found.share[-1, 0] == pytest.approx(0.773, abs=0.001)
    assert found.knew() == 29 and found.rank[28, 0] == 2 and found.rank[22, 0] > 1000

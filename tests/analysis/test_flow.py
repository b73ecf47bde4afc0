"""Norm-weighted attention and rollout, against their definitions written out."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.normweighted import norm_weighted
from attnlab.analysis.rollout import roll_out, rollout
from attnlab.errors import InputError, StageNotAvailable
from tests.families import lab, raw_inputs, text

IDS, GOAL = text(11, seed=5), text(6, seed=2)


@pytest.mark.parametrize("name", ["llama", "gpt2", "bert", "gemma2"])
def test_each_length_is_that_of_weight_times_value_through_w_o(name):
    found = norm_weighted(lab(name), IDS, layers=1)
    trace = lab(name).run(IDS, capture=("weights", "v", "z"))
    (site,) = (s for s in lab(name).sites if s.layer == 1)
    module, v = lab(name).module(site.out_proj), trace.v[1]
    whole = torch.zeros(11, 11, 60 if name in ("gpt2", "bert") else 48)
    for head in range(6):
        z = torch.zeros(11, 11, 6, 10)
        z[:, :, head] = trace.weights[1, head][..., None] * v[head * len(v) // 6]
        with torch.no_grad():
            moved = module(z.flatten(2)) - module(torch.zeros(1, 1, 60))
        assert torch.allclose(found.heads[1][head], moved.norm(dim=-1), atol=1e-5)
        whole += moved
    assert torch.allclose(found.together[1], whole.norm(dim=-1), atol=1e-5)
    assert list(found.heads) == [1] and found.handed[1].shape == (6, 11)
    # The parts add up to what the head's z becomes.
    with torch.no_grad():
        right = module(trace.z[1].transpose(0, 1).flatten(1)[None])[0] - module(
            torch.zeros(1, 1, 60)
        )
    assert torch.allclose(whole.sum(1), right[0] if right.dim() > 2 else right, atol=1e-5)


def test_cross_attention_takes_from_the_source():
    found = norm_weighted(lab("t5"), IDS, target=GOAL, role="cross")
    assert found.heads[0].shape == (6, 7, 11) and found.together[2].shape == (7, 11)
    right = found.weights[2] * found.handed[2][:, None]
    assert torch.allclose(found.heads[2], right, atol=1e-6)


def test_our_transformer_moves_the_same_lengths():
    ours, theirs = (norm_weighted(one, IDS) for one in (al.rebuild(lab("llama")), lab("llama")))
    for layer in range(3):
        assert torch.allclose(ours.heads[layer], theirs.heads[layer], atol=1e-4)


def test_a_head_that_is_gone_takes_nothing_and_what_is_not_shown_is_said():
    sharp = norm_weighted(lab("llama"), IDS, layers=2, edits=al.ZeroHead(1, 2))
    assert not torch.allclose(sharp.heads[2], norm_weighted(lab("llama"), IDS, layers=2).heads[2])
    with pytest.raises(StageNotAvailable, match="does not expose 'v'"):
        norm_weighted(lab("bloom"), IDS)
    with pytest.raises(StageNotAvailable, match="What follows the heads of decoder layer 1"):
        norm_weighted(lab("qwen3_5"), IDS)


def test_rollout_is_the_product_of_half_attention_and_half_stream():
    weights = lab("bert").run(IDS).weights.stack()
    found, right = rollout(list(weights)), torch.eye(11)
    for layer in range(3):
        mixed = torch.zeros(11, 11)
        for head in range(6):
            mixed += weights[layer, head] / 6
        right = torch.einsum("ij,jk->ik", 0.5 * mixed + 0.5 * torch.eye(11), right)
        assert torch.allclose(found[layer], right.double(), atol=1e-6)
        assert torch.allclose(found[layer].sum(-1), torch.ones(11).double(), atol=1e-5)


def test_rollout_of_one_head_without_a_stream_by_hand():
    one = torch.tensor([[[1.0, 0, 0], [0.25, 0.75, 0], [0, 0.5, 0.5]]])
    assert torch.allclose(rollout([one, one], 0)[1][2], torch.tensor([0.125, 0.625, 0.25]).double())
    assert rollout([one], 1)[0].equal(torch.eye(3).double())
    blind = torch.zeros(1, 3, 3)
    assert rollout([blind])[0].equal(torch.eye(3).double())


@pytest.mark.parametrize("name", ["llama", "bloom", "jamba"])
def test_a_causal_model_takes_nothing_from_the_future(name):
    found = roll_out(lab(name), IDS)
    assert not found.own.triu(1).any() and found.source is None
    assert found.layers == lab(name).layers() and len(found.own) == len(found.layers)
    assert torch.allclose(found.own.sum(-1), torch.ones(1).double(), atol=1e-5)


def test_what_a_sink_takes_comes_from_no_word():
    found = roll_out(lab("gpt_oss"), IDS)
    assert (found.own.sum(-1) < 0.999).all()


def test_an_encoder_decoder_rolls_out_to_both_texts():
    found = roll_out(lab("t5"), IDS, target=GOAL)
    trace = lab("t5").run(IDS, target=GOAL)
    assert found.own.shape == (3, 7, 7) and found.source.shape == (3, 7, 11)
    both = found.own.sum(-1) + found.source.sum(-1)
    assert torch.allclose(both, torch.ones(3, 7).double(), atol=1e-5)
    encoder = rollout(list(trace.role("encoder").weights.stack()))[-1]
    first = 0.5 * trace.role("cross").weights[0].double().mean(0) @ encoder
    assert torch.allclose(found.source[0], first, atol=1e-6)


def test_what_cannot_be_rolled_out_is_refused():
    with pytest.raises(InputError, match="share from 0 to 1, not 2"):
        roll_out(lab("llama"), IDS, residual=2)
    with pytest.raises(InputError, match="no layer"):
        rollout([])
    with pytest.raises(StageNotAvailable):
        roll_out(lab("mamba"), IDS)
    with pytest.raises(StageNotAvailable, match=r"encoder of LEDFor.* shows no attention"):
        roll_out(lab("led"), IDS, target=GOAL)


def test_a_model_that_reads_sound_rolls_out_to_its_frames():
    inputs = {name: value[:1] for name, value in raw_inputs("whisper").items()}
    found = roll_out(lab("whisper"), inputs)
    assert found.own.shape[1:] == (6, 6) and found.source.shape[1] == 6
    both = found.own.sum(-1) + found.source.sum(-1)
    assert torch.allclose(both, torch.ones_like(both), atol=1e-5)

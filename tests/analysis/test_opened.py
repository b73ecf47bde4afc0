"""One head opened: each stage is the Trace's own, and products, parts and W_O add up."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import attnlab as al
from attnlab.analysis import opened as core
from attnlab.errors import CaptureError
from attnlab.pretrained.rebuild import rebuild
from attnlab.trace import ZeroHead
from tests import families

# One of each kind: grouped with RoPE, learned positions, an encoder, a bias on the scores, soft
# caps and windows, learned sinks.
FAMILIES = ("llama", "gpt2", "bert", "gemma2", "gpt_oss")
LAYER, QUERY = 1, 6


def opened(lab, head: int, role: str | None = None, layer: int = LAYER, query: int = QUERY):
    role = role or lab.main_role
    site = next(s for s in lab.sites if (s.role, s.layer) == (role, layer))
    captures = core.captures(site, head, query, lab.stages)
    trace = lab.run(families.text(), capture=captures, logits=None, **_target(lab))
    return core.opened(trace, site, head, query), site


def whole(lab, *stages):
    """The run as anybody would make it: every head, every row."""
    return lab.run(families.text(), capture=stages, logits=None, **_target(lab))


def _target(lab) -> dict:
    return {"target": families.text(9, seed=8)} if lab.is_encoder_decoder else {}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_stage_is_the_traces(name):
    lab = families.lab(name)
    for head in (0, lab.sites[0].heads - 1):
        found, site = opened(lab, head)
        trace, kv = whole(lab, *core.STAGES[2:]), found.kv_head
        for stage in ("scores", "scaled", "masked", "weights", "q", "z"):
            right = getattr(trace, stage)[LAYER, head][QUERY].numpy()
            np.testing.assert_array_equal(getattr(found, stage), right, stage)
        for stage in ("k", "v"):
            right = getattr(trace, stage)[LAYER, kv].numpy()
            np.testing.assert_array_equal(getattr(found, stage), right, stage)
        assert head in found.sharing and len(found.sharing) == site.heads // site.kv_heads


@pytest.mark.parametrize("name", FAMILIES)
def test_products_add_up_to_the_score_and_parts_to_z(name):
    found, site = opened(families.lab(name), 0)
    for key in range(len(found.weights)):
        assert found.products(key).sum() == pytest.approx(found.scores[key], abs=1e-5)
    everything = found.parts(range(len(found.weights))).sum(0)
    assert everything == pytest.approx(found.z, abs=1e-5)
    assert found.capped == (name == "gemma2")
    if not found.capped:
        assert found.scaled == pytest.approx(site.scale * found.scores, abs=1e-5)


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_rounding_to_half_precision_is_no_soft_cap(name):
    lab = al.load(families.build(name).to(torch.bfloat16))
    for site in lab.sites:
        for head in range(site.heads):
            found, _ = opened(lab, head, layer=site.layer)
            assert not np.array_equal(found.scaled, site.scale * found.scores)
            assert not found.capped


@pytest.mark.parametrize("role", ["encoder", "decoder", "cross"])
def test_an_encoder_decoder_in_each_role(role):
    lab = families.lab("t5")
    found, site = opened(lab, 1, role)
    trace = whole(lab, "weights", "masked", "scaled").role(role)
    np.testing.assert_array_equal(found.weights, trace.weights[LAYER, 1][QUERY].numpy())
    # Own positions have a bias that grows with the distance, and the source's have none.
    assert (found.bias is None) == (role == "cross")
    if found.bias is not None:
        seen = ~found.hidden
        assert found.bias[seen] == pytest.approx((found.masked - found.scaled)[seen])
    assert found.hidden.any() == (role == "decoder")
    assert site.scale == 1


def test_what_is_hidden_and_what_is_left():
    found, _ = opened(families.lab("llama"), 0)
    assert found.hidden.tolist() == [at > QUERY for at in range(13)]
    assert found.left == pytest.approx(0, abs=1e-6)
    assert found.bias is None and not found.capped
    with_sink, _ = opened(families.lab("gpt_oss"), 0)
    assert with_sink.left > 1e-3
    assert opened(families.lab("gemma2"), 0)[0].capped


@pytest.mark.parametrize("name", ["llama", "gpt2", "bert"])
def test_the_shares_of_all_heads_through_w_o_are_what_attention_adds(name):
    lab = families.lab(name)
    site = next(s for s in lab.sites if s.layer == LAYER)
    output = lab.model.get_submodule(site.out_proj)
    trace = whole(lab, "attn_out", "z")
    z = trace.z[LAYER]
    with torch.no_grad():
        nothing = output(torch.zeros(1, 1, z.shape[0] * z.shape[2]))[0, 0].numpy()
    added = [core.with_output(opened(lab, h)[0], output).added for h in range(site.heads)]
    assert sum(added) + nothing == pytest.approx(trace.attn_out[LAYER][QUERY].numpy(), abs=1e-5)
    without = lab.run(families.text(), capture="attn_out", edits=[ZeroHead(LAYER, 1)])
    moved = trace.attn_out[LAYER][QUERY] - without.attn_out[LAYER][QUERY]
    assert added[1] == pytest.approx(moved.numpy(), abs=1e-5)
    assert core.with_output(opened(lab, 0)[0], None).added is None


def turned(turns: core.Turns, vector: np.ndarray, position: int) -> np.ndarray:
    """A vector turned as at a position, from the definition; dimensions in no pair stay."""
    out = vector.astype(np.float64)
    for (a, b), angle in zip(turns.pairs, turns.angles[position].astype(float), strict=True):
        out[a] = turns.factor * (vector[a] * np.cos(angle) - vector[b] * np.sin(angle))
        out[b] = turns.factor * (vector[b] * np.cos(angle) + vector[a] * np.sin(angle))
    return out


def test_what_is_named_and_the_others_add_up_to_the_whole():
    """The others are summed from the others, so that nothing here holds by construction."""
    found, _ = opened(families.lab("llama"), 0)
    for key in (0, 3, QUERY):
        terms, others = found.named(key, 3)
        assert sum(term[3] for term in terms) + others == pytest.approx(found.scores[key], abs=1e-5)
        for place, q, k, product in terms:
            assert product == pytest.approx(q * k, abs=1e-6) and q == found.q[place]
    parts, others, count = found.blended([0, 3])
    assert parts.sum(0) + others == pytest.approx(found.z, abs=1e-5)
    assert count == QUERY + 1 - 2
    assert found.share_of_others([0, 3]) == pytest.approx(
        1 - found.weights[0] - found.weights[3], abs=1e-6
    )


def test_a_model_that_shows_weights_only():
    found, site = opened(families.lab("llama"), 0)
    tap = core.captures(site, 0, QUERY, {"weights", "masked", "z"})
    assert [capture.stage for capture in tap] == ["masked", "weights", "z"]
    bare = replace(found, scores=None, scaled=None, q=None, k=None, v=None)
    assert bare.bias is None and not bare.capped


def test_only_one_head_and_one_row_are_kept():
    lab = families.lab("llama")
    site = next(s for s in lab.sites if s.layer == LAYER)
    trace = lab.run(families.text(), capture=core.captures(site, 2, QUERY, lab.stages))
    for (stage, _), layers in trace.values.items():
        assert list(layers) == [LAYER] and layers[LAYER].tensor.shape[0] == 1, stage
        if stage in ("scores", "weights"):
            assert layers[LAYER].tensor.shape[1] == 1
    with pytest.raises(CaptureError, match="no 99"):
        core.captures(site, 99, QUERY, lab.stages)
    with pytest.raises(CaptureError, match="cannot be seen"):
        core.captures(site, 0, QUERY, {"z"})


def test_the_keys_that_are_listed_and_the_one_that_opens():
    found, _ = opened(families.lab("llama"), 0)
    weights = np.array([0.7, 0.02, 0.2, 0.03, 0, 0, 0.05, 0, 0, 0, 0, 0, 0], np.float32)
    found = replace(found, weights=weights)
    assert core.unasked_key(found) == 2
    assert core.strongest(found, 3) == [0, 2, 6]
    assert core.strongest(found, 3, [4]) == [0, 2, 4]
    assert core.largest(np.array([1, -3, 2, 3]), 2) == [1, 3]
    first = replace(found, query=0, weights=np.eye(13, dtype=np.float32)[0])
    assert core.unasked_key(first) == 0


@pytest.mark.parametrize("name", ["llama", "gpt_neox", "mistral", "qwen2"])
def test_in_our_transformer_the_rotation_is_a_step_of_its_own(name):
    lab = families.lab(name)
    ours = rebuild(lab)
    for head in (0, ours.sites[0].heads - 1):
        found, site = opened(ours, head)
        trace = whole(ours, *core.STAGES)
        q, k = trace.q_unrotated[LAYER, head], trace.k_unrotated[LAYER, found.kv_head]
        np.testing.assert_array_equal(found.q_before, q[QUERY].numpy())
        np.testing.assert_array_equal(found.k_before, k.numpy())
        module = ours.rotation(site.role)
        angles = core.array(module.angles(torch.arange(len(found.k))))
        turns = core.Turns(tuple(module.pairs), angles, module.magnitude)
        assert turned(turns, found.q_before, QUERY) == pytest.approx(found.q, abs=1e-5)
        for key in (0, 3, 12):
            assert turned(turns, found.k_before[key], key) == pytest.approx(found.k[key], abs=1e-5)
            assert found.products(key).sum() == pytest.approx(found.scores[key], abs=1e-5)
        plain, _ = opened(lab, head)
        assert plain.q_before is None
        assert found.weights == pytest.approx(plain.weights, abs=1e-5)
        output = ours.module(site.out_proj)
        there = lab.module(next(s for s in lab.sites if s.layer == LAYER).out_proj)
        assert core.with_output(found, output).added == pytest.approx(
            core.with_output(plain, there).added, abs=1e-5
        )


@pytest.mark.parametrize("name", ["gpt2", "bert"])
def test_our_transformer_turns_nothing_where_positions_are_added(name):
    ours = rebuild(families.lab(name))
    found, site = opened(ours, 1)
    assert found.q_before is None and found.k_before is None
    assert ours.rotation(site.role) is None

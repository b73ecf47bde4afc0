"""Positions swapped in pretrained models: the numbers are those of untouched models.

The right answers come from transformers' eager attention: models built with another configuration,
given other position ids, or with their table or bias overwritten.
"""

import copy

import pytest
import torch

import attnlab as al
from attnlab.attention.positions import NtkAware, Sinusoidal
from attnlab.errors import EditRefused
from attnlab.pretrained.order.values import bias_of, table_of
from tests.families import build, lab, model
from tests.pretrained.placing import GOAL, LONG, P, eager, off, run, seq2seq

ROTARY = "llama qwen2 gpt_neox phi gemma cohere gpt_oss starcoder2 deepseek_v3 gemma3 esm falcon"
STRETCHED = [name for name in ROTARY.split() if name != "esm"]
MOVED_BY_NOBODY = {"gpt_neox": "base"}
"""A single pair of coordinates turns in the tiny model, at one radian whatever the base."""


def parameters(name, change):
    """The rope parameters of a family, changed: one for each type of layer where it has several."""
    own = copy.deepcopy(model(name).config.rope_parameters)
    nested = [kind for kind, value in own.items() if isinstance(value, dict)]
    for kind in nested:
        own[kind] = change(own[kind])
    return own if nested else change(own)


def kept(own):
    return {k: own[k] for k in ("rope_theta", "partial_rotary_factor") if k in own}


SWAPS = {
    "base": (P("base", base=700.0), lambda own: own | {"rope_theta": 700.0}),
    "interpolated": (
        P("interpolated", factor=3),
        lambda own: kept(own) | {"rope_type": "linear", "factor": 3.0},
    ),
    "yarn": (
        P("yarn", factor=4, original=8),
        lambda own: (
            kept(own) | {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8}
        ),
    ),
}


@pytest.mark.parametrize("name", STRETCHED)
@pytest.mark.parametrize("scheme", SWAPS)
def test_another_rotation_is_that_of_a_model_built_with_it(name, scheme):
    edit, change = SWAPS[scheme]
    fresh = build(name, rope_parameters=parameters(name, change))
    found = run(name, LONG, edit).logits
    assert off(found, eager(fresh)) <= 1e-5
    assert (off(found, eager(model(name))) > 1e-4) == (MOVED_BY_NOBODY.get(name) != scheme)


@pytest.mark.parametrize("name", ["llama", "phi", "gemma3"])
def test_ntk_is_a_larger_base(name):
    size = round(lab(name).positions["decoder"].fraction * 10)

    def change(own):
        return own | {"rope_theta": NtkAware(5).base(own["rope_theta"], size)}

    fresh = build(name, rope_parameters=parameters(name, change))
    assert off(run(name, LONG, P("ntk", factor=5)).logits, eager(fresh)) <= 1e-5


@pytest.mark.parametrize("name", ROTARY.split())
def test_rotary_models_know_distances_alone(name):
    plain = run(name).logits
    assert off(run(name, LONG, P("shifted", offset=7)).logits, plain) <= 2.2e-5
    assert off(run(name, LONG, P("shifted", offset=-7)).logits, plain) <= 2.2e-5
    for edit in (P("none"), P("shuffled"), P("reversed"), P("alibi")):
        assert off(run(name, LONG, edit).logits, plain) > 1e-3


@pytest.mark.parametrize("name", ["gpt2", "opt", "llama", "gpt_neox", "codegen"])
@pytest.mark.parametrize("edit", [P("shifted", offset=4), P("reversed"), P("shuffled", seed=6)])
def test_moved_positions_are_position_ids_that_are_given(name, edit):
    places = torch.arange(len(LONG))
    if edit.scheme == "shifted":
        places = places + 4
    elif edit.scheme == "reversed":
        places = places.flip(0)
    else:
        places = torch.randperm(len(LONG), generator=torch.Generator().manual_seed(6))
    right = eager(model(name), position_ids=places[None])
    assert off(run(name, LONG, edit).logits, right) <= 1e-5


TABLES = {
    "gpt2": "transformer.wpe",
    "bert": "bert.embeddings.position_embeddings",
    "roberta": "roberta.embeddings.position_embeddings",
    "xglm": "model.embed_positions",
    "bart": "model.decoder.embed_positions",
    "albert": "albert.embeddings.position_embeddings",
    "gpt_neo": "transformer.wpe",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_left_out_and_replaced(name):
    other = copy.deepcopy(model(name))
    module = other.get_submodule(TABLES[name])
    weight = module.weights if hasattr(module, "weights") else module.weight.data
    found = lab(name).positions[lab(name).main_role]
    first = found.table[2]
    assert (found.kinds, found.longest) == (("table",), len(weight) - first)
    assert torch.equal(table_of(lab(name)), weight[first:])
    goal = {}
    if seq2seq(name):
        start = run(name).tokens[0].id
        goal = {"decoder_input_ids": torch.tensor([[start, *GOAL]])}
    weight.zero_()
    assert off(run(name, LONG, P("none")).logits, eager(other, **goal)) <= 1e-5
    sinusoids = Sinusoidal().build(width=weight.shape[1], heads=1, key_size=1, bidirectional=False)
    weight[first:] = sinusoids.encoding(torch.arange(len(weight) - first)[None])[0]
    assert off(run(name, LONG, P("sinusoidal")).logits, eager(other, **goal)) <= 1e-5


def test_a_bias_taken_away():
    for name in ("t5", "umt5"):
        other = copy.deepcopy(model(name))
        start = run(name).tokens[0].id
        goal = {"decoder_input_ids": torch.tensor([[start, *GOAL]])}
        for path, weight in other.decoder.named_parameters():
            if "relative_attention_bias" in path:
                weight.data.zero_()
        changed = run(name, LONG, P("none")).logits
        assert off(changed, eager(other, **goal)) <= 1e-5
        assert off(run(name, LONG, P("shifted", offset=99)).logits, run(name).logits) == 0
        for path, weight in other.encoder.named_parameters():
            if "relative_attention_bias" in path:
                weight.data.zero_()
        both = run(name, LONG, P("none"), P("none", role="encoder")).logits
        assert off(both, eager(other, **goal)) <= 1e-5
        assert off(both, changed) > 1e-4
    bias = bias_of(lab("t5"), 9, "encoder")
    assert bias.shape == (6, 9, 9)
    assert off(bias[:, 0, 1], bias[:, 4, 5]) < 1e-5  # distances alone


@pytest.mark.parametrize("name", ["bloom", "mpt"])
def test_alibi_that_a_model_brings_along(name, monkeypatch):
    other = copy.deepcopy(model(name))
    build_name = "build_alibi_tensor" if name == "bloom" else "build_mpt_alibi_tensor"
    own = getattr(other.transformer, build_name)
    monkeypatch.setattr(other.transformer, build_name, lambda *a, **k: 0 * own(*a, **k))
    found = run(name, LONG, P("none")).logits
    assert off(found, eager(other)) <= 1e-5
    # What was taken away, put back by our own formula: the same up to a number for each row.
    back = run(name, LONG, P("none"), P("alibi")).logits
    assert off(back, run(name).logits) <= 2.2e-5
    assert off(found, run(name).logits) > 1e-2
    with pytest.raises(EditRefused, match="counts keys"):
        run(name, LONG, P("reversed"))


@pytest.mark.parametrize("first", ["ntk", "interpolated", "yarn"])
def test_a_base_and_a_stretching_join_in_either_order(first):
    """Of several stretchings the last holds. Ours has a scheme for it, theirs a configuration."""
    more = {"original": 8} if first == "yarn" else {}
    one, base = P(first, factor=4, **more), P("base", base=500)
    both = (lab("llama"), al.rebuild(lab("llama")))
    found = [
        [runner.run(LONG, edits=edits, capture=()).logits for runner in both]
        for edits in ((one, base), (base, one), (P("ntk", factor=2), one, base), (one,))
    ]
    for theirs, ours in found:
        assert off(theirs, ours) <= 1e-5
    assert off(found[0][0], found[1][0]) == off(found[0][0], found[2][0]) == 0
    assert off(found[0][0], found[3][0]) > 1e-3


def test_one_layer_alone():
    other = copy.deepcopy(model("llama"))
    own = other.model.layers[1].forward

    def forward(*args, position_embeddings, **kwargs):
        cos, sin = position_embeddings
        still = (torch.ones_like(cos), torch.zeros_like(sin))
        return own(*args, position_embeddings=still, **kwargs)

    other.model.layers[1].forward = forward
    assert off(run("llama", LONG, P("none", layers=1)).logits, eager(other)) <= 1e-5
    every = [P("none", layers=layer) for layer in range(3)]
    everywhere = run("llama", LONG, P("none")).logits
    assert torch.equal(run("llama", LONG, *every).logits, everywhere)


@pytest.mark.parametrize("name", ["llama_dynamic", "phi3_longrope"])
def test_a_rotation_that_stretches_itself_is_as_before(name):
    """Such modules write into themselves, the longer the text; a shift makes it look longer."""
    plain = run(name).logits
    for edit in (P("shifted", offset=40), P("base", base=100.0), P("yarn", factor=2, original=8)):
        one, two = (run(name, LONG, edit).logits for _ in range(2))
        assert torch.equal(one, two)
        assert off(one, plain) > 1e-4
        assert torch.equal(run(name).logits, plain)

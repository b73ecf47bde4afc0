"""Which parameters belong to which step of a block: told by what changes with them."""

import pytest
from torch import nn

import attnlab as al
from attnlab.analysis import matrices
from attnlab.analysis.parameters import parameters
from attnlab.analysis.sizes import attention_steps, feed_forward_steps, preset
from tests import families


def told(name, role="decoder", layer=1, lab=None):
    """The parameters of a block by step, and by class."""
    lab = lab or families.lab(name)
    model, head = lab.structure()
    counted = parameters(model, lab.sites, lab.blocks, head)
    target = families.text(5, 4) if lab.is_encoder_decoder else None
    asked = (families.text(7), role, layer)
    steps = matrices.of_attention(lab, model, counted.layers, *asked, target=target)
    return steps, counted.of(role, layer).counts


# Width 60 (48 where the head size is free), 6 heads of 10, 2 key/value heads in llama; a bias is
# one more row. GPT-2 and GPT-NeoX hold W_Q, W_K and W_V in one matrix, each in its own order.
@pytest.mark.parametrize(
    ("name", "role", "q", "k", "v", "out"),
    [
        ("llama", "decoder", 48 * 60, 48 * 20, 48 * 20, 60 * 48),
        ("gpt2", "decoder", 61 * 60, 61 * 60, 61 * 60, 61 * 60),
        ("gpt_neox", "decoder", 61 * 60, 61 * 60, 61 * 60, 61 * 60),
        ("bert", "encoder", 61 * 60, 61 * 60, 61 * 60, 61 * 60),
        ("albert", "encoder", 61 * 60, 61 * 60, 61 * 60, 61 * 60),  # one module, three layers
    ],
)
def test_queries_keys_values_and_the_way_out(name, role, q, k, v, out):
    assert told(name, role)[0] == {"q": q, "k": k, "v": v, "out": out}


@pytest.mark.parametrize("name", ["llama", "gpt2", "t5"])
def test_our_transformer_has_as_many(name):
    """Its weights keep no gradient; its own attention says which is which."""
    assert told(name, lab=al.rebuild(families.lab(name))) == told(name)


def test_cross_attention_has_its_own():
    steps, _ = told("t5")
    assert steps == {prefix + step: 48 * 60 for prefix in ("", "cross.") for step in "qkv"} | {
        "out": 48 * 60,
        "cross.out": 48 * 60,
    }
    assert set(told("t5", "encoder")[0]) == {"q", "k", "v", "out"}


@pytest.mark.parametrize("name", ["gpt2", "llama", "gemma2", "olmo2", "phi3", "opt", "t5"])
def test_they_add_up_to_the_attention(name):
    steps, counts = told(name)
    own = [count for step, count in steps.items() if not step.startswith("cross.")]
    assert sum(own) == counts["attention"]
    assert sum(steps.values()) - sum(own) == counts.get("cross", 0)


def test_what_feeds_two_of_them_is_told_of_none():
    """DeepSeek's keys and values are read out of one small vector."""
    lab = families.lab("deepseek_v3")
    assert any("kv_a" in path for path, _ in lab.model.named_modules())
    assert told("deepseek_v3")[0] == {}


def test_queries_that_are_not_seen_tell_nothing():
    assert told("bloom")[0] == {}  # read at its softmax


def test_weights_that_keep_no_gradient_tell_nothing():
    lab = al.load(families.build("llama").requires_grad_(False))
    assert told("llama", lab=lab)[0] == {}


def test_the_two_ways_of_a_feed_forward():
    def held(module):
        return tuple(
            (path, weight)
            for path, part in module.named_modules()
            for weight in part.parameters(recurse=False)
        )

    plain = nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Linear(10, 6, bias=False))
    assert matrices.of_feed_forward(plain, held(plain), 6, 10) == {"wider": 70, "back": 60}
    gated = nn.ModuleList([nn.Linear(6, 20, bias=False), nn.Linear(10, 6, bias=False)])
    assert matrices.of_feed_forward(gated, held(gated), 6, 10) == {"wider": 120, "back": 60}
    square = nn.Sequential(nn.Linear(6, 6), nn.Linear(6, 6))
    assert matrices.of_feed_forward(square, held(square), 6, 6) == {}


def test_a_preset_adds_up_too():
    for name in ("gpt2-small", "llama-2-7b", "original"):
        one = preset(name)
        assert sum(attention_steps(one.decoder).values()) == one.block["attention"]
        assert sum(feed_forward_steps(one.decoder).values()) == one.block["feed_forward"]
        crossed = [count for step, count in one.steps.items() if step.startswith("cross.")]
        assert sum(crossed) == one.block["cross"]
    assert preset("llama-2-7b").steps["k"] == 4_096 * 4_096
    assert preset("gpt2-small").steps["wider"] == 769 * 3_072

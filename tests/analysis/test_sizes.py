"""Closed forms of sizes: the published numbers, and what our own transformer really holds."""

import dataclasses

import pytest
import torch

from attnlab.analysis import sizes
from attnlab.analysis.parameters import parameters
from attnlab.analysis.sizes import PRESETS, preset
from attnlab.attention.positions import Alibi, Learned, RelativeBuckets, Rope, Sinusoidal
from attnlab.errors import InputError
from attnlab.trace.layer import layers_of
from attnlab.transformer import Config, Decoder, Encoder, EncoderDecoder

GIB = 2**30


def held(stack) -> int:
    return sum(weight.numel() for weight in stack.parameters())


def places(model):
    """The sites and blocks of our transformer, as a probe would find them."""
    layers = layers_of(model)
    sites = [site for layer in layers for site in (layer.site, layer.cross) if site is not None]
    return sites, [layer.block for layer in layers]


def test_gpt2_small():
    """numbers.md, Sizes; the total is that of the published weights."""
    gpt2 = preset("gpt2-small")
    assert gpt2.block["attention"] == 2_362_368
    assert gpt2.block["feed_forward"] == 4_722_432
    assert gpt2.block["feed_forward"] / sum(gpt2.block.values()) == pytest.approx(2 / 3, abs=1e-3)
    assert gpt2.total == 124_439_808


def test_llama_2_7b():
    """numbers.md, Sizes."""
    llama = preset("llama-2-7b")
    assert llama.decoder.head_sizes().key_size == 128
    assert llama.decoder.head_sizes().key_size ** 0.5 == pytest.approx(11.31, abs=0.005)
    assert llama.block["attention"] == 67_108_864
    assert llama.block["feed_forward"] == 135_266_304
    assert llama.total == 6_738_415_616


def test_the_cache_of_llama_2_7b():
    """numbers.md, Sizes: 2 bytes a number."""
    each = preset("llama-2-7b").cache
    assert each == 524_288
    assert each * 4_096 == 2 * GIB
    assert each * 131_072 == 64 * GIB


def test_the_cache_of_a_grouped_query_model():
    """numbers.md, Sizes: 32 layers, 8 key/value heads of 128, 2 bytes a number."""
    assert 2 * sizes.cache_numbers(32, 8, 128, 128) * 131_072 == 16 * GIB


def test_the_original_model():
    """Head size 64 (numbers.md); the paper says 65 million parameters with about 37,000 tokens."""
    original = preset("original")
    assert original.decoder.head_sizes().key_size == 64
    assert original.block["attention"] == original.block["cross"] == 4 * 512 * 512
    assert original.total == pytest.approx(65e6, rel=0.04)


@pytest.mark.parametrize("one", [p for p in PRESETS if p.encoder is None], ids=lambda p: p.name)
def test_presets_are_what_our_transformer_would_hold(one):
    """Built without memory: every matrix of Llama 2 7B, none of its numbers."""
    with torch.device("meta"):
        decoder = Decoder(one.decoder)
    assert held(decoder) == one.total
    assert {weight.device.type for weight in decoder.parameters()} == {"meta"}


def test_the_original_preset_is_what_our_encoder_decoder_would_hold():
    original = preset("original")
    with torch.device("meta"):
        model = EncoderDecoder(original.encoder, original.decoder)
    assert held(model) == original.total
    found = parameters(model, *places(model), model.decoder.head.unembed)
    assert {name: count for name, count in found.counts.items() if count} == {
        name: count for name, count in original.counts.items() if count
    }
    assert found.tied


SMALL = Config(vocabulary=97, width=60, layers=3, heads=6, hidden=37)
CHANGES = [
    {},
    {"kv_heads": 2, "key_size": 7, "value_size": 11},
    {"kv_heads": 1, "qkv_bias": False},
    {"out_bias": False, "feed_forward_bias": False, "norm": "rms"},
    {"gated": True, "activation": "silu", "parallel": True},
    {"gated": True, "feed_forward_bias": False},
    {"norm_place": "post", "embedding_norm": True, "final_norm": False, "segments": 2},
    {"positions": Learned(64), "tied": True},
    {"positions": Learned(64, offset=2), "transform": "gelu", "tied": True},
    {"positions": RelativeBuckets(32, 128), "transform": "gelu"},
    {"positions": Rope(), "head": False},
    {"positions": Alibi()},
    {"positions": Sinusoidal()},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("Stack", [Decoder, Encoder])
def test_the_closed_forms_are_what_our_transformer_holds(Stack, change):
    """In all, and by class as a count of the real parameters sorts them."""
    config = dataclasses.replace(SMALL, **change)
    stack = Stack(config)
    expected = sizes.sizes(config)
    assert expected.total == held(stack)
    head = None if stack.head is None else stack.head.unembed
    found = parameters(stack, *places(stack), head)
    assert {name: count for name, count in found.counts.items() if count} == {
        name: count for name, count in expected.counts.items() if count
    }
    block = found.layers[-1].counts
    assert dict(block) == {name: count for name, count in expected.block.items() if count}
    assert found.tied == (config.tied and config.head)


@pytest.mark.parametrize(
    ("heads", "grouped"),
    [(9, 3), (12, 3), (32, 8), (8, 2), (16, 4), (7, None), (2, None), (1, None)],
)
def test_a_grouped_query_model_of_as_many_heads(heads, grouped):
    assert sizes.grouped_kv_heads(heads) == grouped


def test_where_the_cache_outweighs_the_weights():
    llama = preset("llama-2-7b")
    weights = llama.total * llama.number_bytes
    first = sizes.outweighs(weights, llama.cache)
    assert llama.cache * (first - 1) <= weights < llama.cache * first
    assert first == 25_706
    with pytest.raises(InputError, match="at least a byte"):
        sizes.outweighs(weights, 0)


def test_no_preset_of_an_unknown_name():
    assert preset("gpt-5") is None

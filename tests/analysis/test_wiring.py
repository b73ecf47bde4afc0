"""How a block is put together, as it is seen in a run: shapes, norms, order of its parts."""

import dataclasses

import pytest
import torch
from torch import nn

from attnlab.analysis import anatomy
from attnlab.analysis.sizes import preset
from attnlab.analysis.wiring import centres, one_pass
from attnlab.errors import Cancelled, InputError
from attnlab.trace import Cancel
from tests import families


def seen(name, role="decoder", layer=1, n=7):
    lab = families.lab(name)
    target = families.text(5, 4) if lab.is_encoder_decoder else None
    return one_pass(lab, lab.structure()[0], families.text(n), role, layer, target=target)


def test_the_shapes_of_grouped_query_attention():
    """7 tokens, 48 wide, 6 query heads of 10 over 2 key/value heads, 97 words."""
    found = seen("llama")
    assert (found.tokens, found.width) == (7, 48)
    assert found.shapes == {
        "q": (6, 7, 10),
        "k": (2, 7, 10),
        "v": (2, 7, 10),
        "scores": (6, 7, 7),
        "weights": (6, 7, 7),
        "z": (6, 7, 10),
        "resid_pre": (7, 48),
        "attn_out": (7, 48),
        "mlp_out": (7, 48),
        "resid_post": (7, 48),
        "final": (7, 48),
        "logits": (1, 97),
    }


def test_a_decoder_block_that_looks_at_a_source():
    """5 tokens and the start token are written, 7 are read."""
    found = seen("t5")
    assert found.tokens == 6
    assert found.shapes["weights"] == (6, 6, 6)
    assert found.shapes["cross.q"] == (6, 6, 10)
    assert found.shapes["cross.k"] == (6, 7, 10)
    assert found.shapes["cross.weights"] == (6, 6, 7)
    encoder = seen("t5", "encoder")
    assert (encoder.tokens, encoder.shapes["weights"]) == (7, (6, 7, 7))
    assert not any(stage.startswith("cross") for stage in encoder.shapes)
    assert "logits" not in encoder.shapes


@pytest.mark.parametrize(
    ("name", "place", "norm", "parallel"),
    [
        ("gpt2", "before", "LayerNorm", False),
        ("llama", "before", "RMSNorm", False),
        ("gpt_neox", "before", "LayerNorm", True),
        ("gpt_neox_sequential", "before", "LayerNorm", False),
        ("cohere", "before", "LayerNorm", True),
        ("gemma2", "inside", "RMSNorm", False),
        ("olmo2", "inside", "RMSNorm", False),
        ("openai_gpt", "after", "LayerNorm", False),
        ("roberta_decoder", "after", "LayerNorm", False),
        ("olmo", "", "", False),  # its norms have no parameters, so none is found
        ("falcon", "", "LayerNorm", True),  # adds in place: its sum cannot be followed
    ],
)
def test_where_norms_stand_and_whether_parts_wait(name, place, norm, parallel):
    found = seen(name)
    assert (found.norm_place, found.norm, found.parallel) == (place, norm, parallel)


def test_an_encoder_is_post_norm():
    found = seen("bert", "encoder")
    assert (found.norm_place, found.norm, found.parallel) == ("after", "LayerNorm", False)


@pytest.mark.parametrize(
    ("norm", "takes_the_mean"), [(nn.LayerNorm(8), True), (nn.RMSNorm(8), False)]
)
def test_a_norm_is_told_by_what_it_does(norm, takes_the_mean):
    with torch.no_grad():
        norm.weight.copy_(torch.linspace(0.5, 2, 8))
    assert centres(norm, 8) is takes_the_mean
    assert centres(norm, 9) is None


def test_a_cancelled_pass_stops():
    cancel = Cancel()
    cancel.set()
    lab = families.lab("llama")
    with pytest.raises(Cancelled):
        one_pass(lab, lab.model, families.text(7), "decoder", 1, cancel=cancel)


def of_lab(lab, text, role="decoder", layer=1, target=None):
    return anatomy.of_model(lab, *lab.structure(), text, role, layer, target=target)


def test_the_anatomy_of_the_packaged_decoder(smollm2):
    text = "The animal didn't cross the street because it was too tired."
    found = of_lab(smollm2, text, layer=4)
    assert (found.tokens, found.width, found.hidden, found.gated) == (13, 576, 1_536, True)
    assert found.shapes["q"] == (9, 13, 64)
    assert found.shapes["k"] == (3, 13, 64)
    assert (found.norm, found.norm_place, found.parallel) == ("RMSNorm", "before", False)
    assert (found.blocks, found.tied, found.measured) == (30, True, True)
    assert found.total == 134_515_008
    assert found.steps == {
        **{"q": 576 * 576, "k": 576 * 192, "v": 576 * 192, "out": 576 * 576},
        **{"wider": 2 * 576 * 1_536, "back": 576 * 1_536},
    }
    assert found.bytes == 4 * found.total
    assert found.heads.cache() == 30 * 3 * (64 + 64) * 4
    assert found.heads.cache(9) == 3 * found.heads.cache()


def test_without_a_text_nothing_is_run(smollm2):
    found = of_lab(smollm2, None, layer=4)
    assert not found.shapes
    assert found.heads.kv_heads == 3
    assert found.total == 134_515_008


def test_a_preset_and_our_transformer_of_its_sizes_have_the_same_shapes():
    """GPT-2's layout, made small: what a preset computes is what a run of it shows."""
    one = preset("gpt2-small")
    small = dataclasses.replace(one.decoder, vocabulary=97, width=60, heads=6, hidden=240, layers=3)
    computed = anatomy.of_preset(dataclasses.replace(one, decoder=small), 7)
    lab = families.lab("gpt2")
    run = of_lab(lab, families.text(7))
    assert dict(run.shapes) == dict(computed.shapes)
    assert (run.hidden, run.gated) == (computed.hidden, computed.gated)
    assert dict(run.block) == dict(computed.block)
    assert dict(run.steps) == dict(computed.steps)
    assert (run.norm, run.norm_place, run.parallel) == ("LayerNorm", "before", False)


def test_a_preset_needs_a_token():
    with pytest.raises(InputError, match="at least 1 token"):
        anatomy.of_preset(preset("original"), 0)

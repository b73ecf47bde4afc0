"""RoPE's scalings against transformers' formulas, and what each does to fast and slow pairs."""

import math

import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from attnlab.attention.positions import Llama3, NtkAware, PositionInterpolation, Rope, Yarn

D = 64
L = 2048
PLAIN = Rope().frequencies(D, torch.float64)


def transformers_says(kind, base=10000.0, fraction=1.0, length=None, **parameters):
    """Frequencies and the factor on cosines and sines."""
    config = LlamaConfig(
        hidden_size=D,
        num_attention_heads=1,
        max_position_embeddings=parameters.pop("longest", L),
        rope_parameters={
            "rope_type": kind,
            "rope_theta": base,
            "partial_rotary_factor": fraction,
            **parameters,
        },
    )
    return ROPE_INIT_FUNCTIONS[kind](config, seq_len=length)


def check(scheme, found):
    frequencies, magnitude = found
    assert torch.allclose(scheme.frequencies(D), frequencies, rtol=2e-7, atol=0)
    assert scheme.scaling.magnitude == pytest.approx(magnitude, abs=1e-12)


@pytest.mark.parametrize("base, fraction", [(10000.0, 1.0), (500_000.0, 0.5)])
@pytest.mark.parametrize("factor", [1.0, 2.0, 8.0])
def test_interpolation_equals_linear(base, fraction, factor):
    scheme = Rope(base, fraction, scaling=PositionInterpolation(factor))
    check(scheme, transformers_says("linear", base, fraction, factor=factor))


@pytest.mark.parametrize("base, fraction", [(10000.0, 1.0), (500_000.0, 0.5)])
@pytest.mark.parametrize("factor, length", [(1.0, L), (2.0, L), (2.0, 5000), (4.0, 100_000)])
def test_ntk_equals_dynamic_at_each_length(base, fraction, factor, length):
    scheme = Rope(base, fraction, scaling=NtkAware(factor * length / L - (factor - 1)))
    check(scheme, transformers_says("dynamic", base, fraction, length=length, factor=factor))


@pytest.mark.parametrize("base, fraction", [(10000.0, 1.0), (1_000_000.0, 0.5)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"beta_fast": 16.0, "beta_slow": 2.0},
        {"attention_factor": 1.0},
        {"truncate": False},
        {"beta_fast": 4.0, "beta_slow": 4.0},
    ],
)
@pytest.mark.parametrize("factor", [1.0, 4.0, 32.0])
def test_yarn_equals_yarn(base, fraction, options, factor):
    scheme = Rope(base, fraction, scaling=Yarn(factor, original=L, **options))
    given = {"factor": factor, "original_max_position_embeddings": L, **options}
    check(scheme, transformers_says("yarn", base, fraction, longest=int(L * factor), **given))


@pytest.mark.parametrize("base", [10000.0, 500_000.0])
@pytest.mark.parametrize("low, high", [(1.0, 4.0), (2.0, 32.0)])
def test_llama_3_equals_llama_3(base, low, high):
    scheme = Rope(base, scaling=Llama3(8.0, original=L, low=low, high=high))
    given = {
        "factor": 8.0,
        "low_freq_factor": low,
        "high_freq_factor": high,
        "original_max_position_embeddings": L,
    }
    check(scheme, transformers_says("llama3", base, longest=8 * L, **given))


def slowed(scaling):
    """By what factor each pair was slowed down."""
    return PLAIN / Rope(scaling=scaling).frequencies(D, torch.float64)


def test_what_each_does_to_fast_and_slow_pairs():
    assert torch.allclose(slowed(PositionInterpolation(4)), torch.full_like(PLAIN, 4))
    ntk, yarn, llama = (
        slowed(s) for s in (NtkAware(4), Yarn(4, original=L), Llama3(4, original=L))
    )
    for found in (ntk, yarn, llama):
        assert float(found[0]) == pytest.approx(1)
        assert float(found[-1]) == pytest.approx(4)
        assert (found.diff() > -1e-12).all()
    turns = L * PLAIN / (2 * math.pi)
    # YaRN's ends are moved outwards to whole pairs, so the next pair beyond each is untouched.
    assert torch.allclose(yarn[turns > 32][:-1], torch.ones(1, dtype=torch.float64))
    assert torch.allclose(yarn[turns < 1][1:], torch.full((1,), 4.0, dtype=torch.float64))


def test_interpolation_makes_a_long_text_look_like_a_short_one():
    sizes = {"width": D, "heads": 1, "key_size": D, "bidirectional": False}
    scaled = Rope(scaling=PositionInterpolation(4)).build(**sizes)
    plain = Rope().build(**sizes)
    long, short = torch.tensor([[4 * 500]]), torch.tensor([[500]])
    assert torch.allclose(scaled.angles(long), plain.angles(short))


def test_one_pair_cannot_be_both_fastest_and_slowest():
    with pytest.raises(ValueError, match="two pairs of coordinates or more"):
        Rope(scaling=NtkAware(2)).frequencies(2)

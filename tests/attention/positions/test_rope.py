"""Rotary positions: by complex numbers, by what they promise, and against transformers' own."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import GPTJConfig, GPTNeoXConfig, LlamaConfig
from transformers.models.gpt_neox import modeling_gpt_neox as neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama

from attnlab.attention.positions import Rope
from tests.attention import kinds
from tests.attention.test_attend import F64, normal

HEADS, N, D = 3, 7, 16
POSITIONS = torch.tensor([[0, 1, 2, 3, 50, 51, 2047]])


def build(scheme, key_size=D):
    return scheme.build(width=HEADS * key_size, heads=HEADS, key_size=key_size, bidirectional=False)


def test_a_pair_is_a_complex_number_times_e_to_the_i_angle():
    for scheme in (Rope(), Rope(interleaved=True)):
        x = normal(1, HEADS, N, D)
        first, second = (list(side) for side in zip(*scheme.pairs(D), strict=True))
        angles = POSITIONS[0, :, None] * 10000.0 ** -(torch.arange(0, D, 2, dtype=F64) / D)
        right = torch.complex(x[..., first], x[..., second]) * torch.exp(1j * angles)
        turned = build(scheme).rotate(x, POSITIONS)
        assert torch.allclose(turned[..., first], right.real, atol=1e-12)
        assert torch.allclose(turned[..., second], right.imag, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    scheme=st.sampled_from(list(kinds.TURNING.values())),
    m=st.integers(0, 3000),
    n=st.integers(0, 3000),
    shift=st.integers(0, 3000),
    seed=st.integers(0, 10**6),
)
def test_a_score_depends_on_the_distance_alone(scheme, m, n, shift, seed):
    q, k = (normal(1, 1, 1, kinds.D, seed=seed + i) for i in range(2))
    module = build(scheme, kinds.D)

    def score(at_q, at_k):
        turned = [module.rotate(x, torch.tensor([[p]])) for x, p in ((q, at_q), (k, at_k))]
        return float((turned[0] * turned[1]).sum())

    assert score(m, n) == pytest.approx(score(m + shift, n + shift), abs=1e-9)


@pytest.mark.parametrize("scheme", kinds.TURNING.values(), ids=kinds.TURNING)
def test_turning_keeps_lengths_and_leaves_position_zero_and_the_rest_alone(scheme):
    module, x = build(scheme, kinds.D), normal(2, HEADS, N, kinds.D)
    turned = module.rotate(x, POSITIONS)
    size = scheme.rotated(kinds.D)
    grown = x[..., :size].norm(dim=-1) * module.magnitude
    assert torch.allclose(turned[..., :size].norm(dim=-1), grown)
    assert torch.equal(turned[..., size:], x[..., size:])
    assert torch.allclose(turned[:, :, 0, :size], x[:, :, 0, :size] * module.magnitude)


def test_the_two_layouts_differ_by_a_reordering():
    x = normal(1, HEADS, N, D)
    order = [i for pair in Rope().pairs(D) for i in pair]
    halves = build(Rope()).rotate(x, POSITIONS)
    neighbours = build(Rope(interleaved=True)).rotate(x[..., order], POSITIONS)
    assert torch.allclose(halves[..., order], neighbours, atol=1e-14)


def test_each_text_of_a_batch_may_count_for_itself():
    x = normal(2, HEADS, 3, D)
    positions = torch.tensor([[0, 1, 2], [5, 6, 7]])
    turned = build(Rope()).rotate(x, positions)
    for row in range(2):
        alone = build(Rope()).rotate(x[row : row + 1], positions[row : row + 1])
        assert torch.equal(turned[row : row + 1], alone)


def test_the_angles_that_a_page_draws():
    module = build(Rope(fraction=0.5))
    assert module.pairs == ((0, 4), (1, 5), (2, 6), (3, 7))
    assert module.angles(torch.arange(3)).tolist() == [
        [pytest.approx(p * 10.0**-i) for i in range(4)] for p in range(3)
    ]
    assert module.angles(POSITIONS).shape == (1, N, 4)


def test_coordinates_that_do_not_pair_up_are_refused():
    with pytest.raises(ValueError, match=r"5 coordinates \(1.0 of 5\) do not pair up"):
        build(Rope(), key_size=5)
    with pytest.raises(ValueError, match=r"3 coordinates \(0.3 of 10\)"):
        Rope(fraction=0.3).pairs(10)


# --- against transformers, in the precision that models run in ------------------------------------


def pair(dtype):
    return normal(1, HEADS, N, D, dtype=dtype), normal(1, HEADS, N, D, seed=1, dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_half_split_equals_llamas(dtype):
    config = LlamaConfig(
        hidden_size=HEADS * D,
        num_attention_heads=HEADS,
        rope_parameters={"rope_type": "default", "rope_theta": 500_000.0},
    )
    q, k = pair(dtype)
    cos, sin = llama.LlamaRotaryEmbedding(config)(q, POSITIONS)
    right = llama.apply_rotary_pos_emb(q, k, cos, sin)
    module = build(Rope(base=500_000.0))
    assert all(
        torch.equal(module.rotate(x, POSITIONS), y) for x, y in zip((q, k), right, strict=True)
    )


@pytest.mark.parametrize("fraction", [0.25, 0.5, 1.0])
def test_a_part_of_the_head_equals_gpt_neoxs(fraction):
    config = GPTNeoXConfig(
        hidden_size=HEADS * D,
        num_attention_heads=HEADS,
        rope_parameters={
            "rope_type": "default",
            "rope_theta": 10000.0,
            "partial_rotary_factor": fraction,
        },
    )
    q, k = pair(torch.float32)
    cos, sin = neox.GPTNeoXRotaryEmbedding(config)(q, POSITIONS)
    right = neox.apply_rotary_pos_emb(q, k, cos, sin)
    module = build(Rope(fraction=fraction))
    assert all(
        torch.equal(module.rotate(x, POSITIONS), y) for x, y in zip((q, k), right, strict=True)
    )


@pytest.mark.parametrize("rotary", [4, 8, D])
def test_neighbouring_pairs_equal_gpt_js(rotary):
    config = GPTJConfig(n_embd=HEADS * D, n_head=HEADS, rotary_dim=rotary)
    q, _ = pair(torch.float32)
    sin, cos = gptj.GPTJRotaryEmbedding(config)(q, POSITIONS)
    # GPT-J keeps [B, n, H, D].
    turned = gptj.apply_rotary_pos_emb(q.transpose(1, 2)[..., :rotary], sin, cos)
    right = torch.cat([turned.transpose(1, 2), q[..., rotary:]], -1)
    module = build(Rope(fraction=rotary / D, interleaved=True))
    assert torch.allclose(module.rotate(q, POSITIONS), right, atol=1e-6)

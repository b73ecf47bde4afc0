"""Positions that are added to the embeddings: sinusoidal and learned."""

import pytest
import torch
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

from attnlab.attention.positions import Learned, Sinusoidal
from attnlab.errors import TextTooLong
from tests.attention.test_attend import F64, normal

M, N = 10, 7


def build(scheme, width=M):
    return scheme.build(width=width, heads=2, key_size=4, bidirectional=False)


def encoding(positions, width=M):
    zeros = torch.zeros(1, len(positions), width, dtype=F64)
    return build(Sinusoidal(), width).embed(zeros, torch.tensor(positions)[None])[0]


def test_sinusoids_are_the_formula():
    p = encoding([0, 1, 100])
    assert p[0].tolist() == [0, 1] * (M // 2)
    for pos, row in ((1, p[1]), (100, p[2])):
        for i in range(0, M, 2):
            angle = torch.tensor(pos * 10000.0 ** (-i / M), dtype=F64)
            assert float(row[i]) == pytest.approx(float(angle.sin()), abs=1e-12)
            assert float(row[i + 1]) == pytest.approx(float(angle.cos()), abs=1e-12)


def test_sinusoids_equal_marians_up_to_the_order_of_columns():
    table = MarianSinusoidalPositionalEmbedding(512, M).create_weight()
    halves = encoding(list(range(512)))[:, [*range(0, M, 2), *range(1, M, 2)]]
    assert torch.allclose(halves.float(), table, atol=1e-6)


@pytest.mark.parametrize("k", [1, 3, 250])
def test_moving_on_by_k_is_one_rotation_wherever_it_starts(k):
    rotation = torch.zeros(M, M, dtype=F64)
    for i in range(0, M, 2):
        angle = torch.tensor(k * 10000.0 ** (-i / M), dtype=F64)
        sin, cos = angle.sin(), angle.cos()
        rotation[i : i + 2, i : i + 2] = torch.tensor([[cos, sin], [-sin, cos]])
    starts = [0, 1, 17, 1000]
    moved = encoding([p + k for p in starts])
    assert torch.allclose(encoding(starts) @ rotation.T, moved, atol=1e-10)
    assert torch.allclose(rotation @ rotation.T, torch.eye(M, dtype=F64), atol=1e-12)


def test_in_half_precision_far_positions_stay_apart():
    x = torch.zeros(1, 2, M, dtype=torch.bfloat16)
    p = build(Sinusoidal()).embed(x, torch.tensor([[2048, 2049]]))
    assert p.dtype == torch.bfloat16
    right = encoding([2048, 2049])
    assert (p[0].double() - right).abs().max() < 4e-3


def test_sine_and_cosine_come_in_pairs():
    with pytest.raises(ValueError, match="an even width, not 5"):
        build(Sinusoidal(), width=5)


@pytest.mark.parametrize("offset", [0, 2])
def test_learned_positions_are_rows_of_a_table(offset):
    module = build(Learned(longest=9, offset=offset)).double()
    assert module.table.weight.shape == (9 + offset, M)
    x, positions = normal(2, 3, M), torch.tensor([[0, 4, 8]])
    right = x + module.table.weight[positions + offset]
    assert torch.equal(module.embed(x, positions), right)


def test_a_text_longer_than_was_learned_is_refused():
    module = build(Learned(longest=9, offset=2))
    with pytest.raises(TextTooLong, match="needs 10 positions, and this model learned 9"):
        module.embed(torch.zeros(1, 10, M), torch.arange(10)[None])

"""Positions that are added to the scores: ALiBi and T5's buckets, against transformers' own."""

import pytest
import torch
from transformers import T5Config
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention

from attnlab.attention import explain
from attnlab.attention.masks import Causal
from attnlab.attention.positions import Alibi, RelativeBuckets
from attnlab.attention.positions.relative import bucket
from tests.attention import kinds
from tests.attention.test_attend import normal

N = 11


def build(scheme, heads, bidirectional=False):
    return scheme.build(width=12, heads=heads, key_size=4, bidirectional=bidirectional)


def line(n, first=0):
    return torch.arange(first, first + n)[None]


def test_alibi_takes_off_the_slope_for_each_token_of_distance():
    bias = build(Alibi(), heads=8).bias(line(N), line(N))
    assert bias.shape == (1, 8, N, N)
    for h, i, j in ((0, 5, 5), (0, 5, 3), (0, 3, 5), (7, 10, 0)):
        assert float(bias[0, h, i, j]) == -(2.0 ** -(h + 1)) * abs(i - j)


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 9, 12, 16, 25, 32])
def test_alibi_equals_blooms_and_mpts(heads):
    """Theirs hold slope · j, which differs from −slope · (i − j) by a constant in each row."""
    ours = build(Alibi(), heads).bias(line(N), line(N))[0]
    bloom = build_alibi_tensor(torch.ones(1, N), heads, torch.float32).view(heads, 1, N)
    mpt = build_mpt_alibi_tensor(heads, N).view(heads, 1, N)
    past = torch.ones(N, N, dtype=torch.bool).tril()
    for theirs in (bloom, mpt):
        relative = theirs - theirs.mT
        assert torch.allclose(ours[:, past], relative[:, past], atol=1e-6)
    q, k = normal(1, heads, N, 4), normal(1, heads, N, 4, seed=1)
    mask = Causal().mask(range(N), range(N))
    weights = [explain(q, k, k, mask, bias=b).weights for b in (ours[None], bloom[None])]
    assert torch.allclose(*weights, atol=1e-6)


def test_alibi_is_never_rounded_to_half_precision():
    module = build(Alibi(), heads=3)
    assert module.bias(line(N), line(N), torch.float64).dtype == torch.float64
    far = module.bias(line(1, 257), line(2), torch.bfloat16)
    assert far.dtype == torch.float32
    assert float(far[0, 0, 0, 0] - far[0, 0, 0, 1]) == -0.0625


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("buckets, farthest", [(32, 128), (8, 20), (64, 1000)])
def test_buckets_equal_t5s(bidirectional, buckets, farthest):
    ahead = torch.arange(-2 * farthest, 2 * farthest + 1)
    ours = bucket(ahead, buckets, farthest, bidirectional)
    theirs = T5Attention._relative_position_bucket(ahead, bidirectional, buckets, farthest)
    assert torch.equal(ours, theirs)
    assert (int(ours.min()), int(ours.max())) == (0, buckets - 1)


@pytest.mark.parametrize("decoder", [True, False])
def test_the_bias_equals_t5s(decoder):
    config = T5Config(d_model=12, num_heads=3, d_kv=4, is_decoder=decoder)
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    module = build(RelativeBuckets(), 3, bidirectional=not decoder)
    module.table.weight = theirs.relative_attention_bias.weight
    right = theirs.compute_bias(300, 300)
    assert torch.equal(module.bias(line(300), line(300)), right)
    # One new token over a cache of 299.
    assert torch.equal(module.bias(line(1, 299), line(300)), right[:, :, -1:])


def test_near_distances_have_a_bucket_each_and_far_ones_share():
    back = bucket(-torch.arange(200), 32, 128, bidirectional=False)
    assert back[:16].tolist() == list(range(16))
    assert (back.diff() >= 0).all()
    assert back[128:].unique().tolist() == [31]
    sizes = back.bincount()
    assert (sizes[16:31].diff() >= -1).all() and sizes[30] > sizes[16]


@pytest.mark.parametrize("scheme", kinds.BIASING.values(), ids=kinds.BIASING)
def test_a_bias_depends_on_the_distance_alone(scheme):
    module = build(scheme, heads=3, bidirectional=True)
    near, far = module.bias(line(N), line(N)), module.bias(line(N, 900), line(N, 900))
    assert torch.equal(near, far)
    two = module.bias(torch.cat([line(N), line(N, 3)]), line(N))
    assert two.shape == (2, 3, N, N)
    assert torch.equal(two[:1], near)
    assert torch.equal(two[1:, :, :-3], near[:, :, 3:])

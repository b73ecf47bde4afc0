"""The attention function against its definition and against torch's own."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import attend, causal_mask, explain
from tests.attention import reference

F64 = torch.float64
ANY_CASE = settings(max_examples=60, deadline=None)


def normal(*shape, seed=0, dtype=F64, size=1.0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64).to(
        dtype
    ) * torch.tensor(size, dtype=dtype)


@st.composite
def cases(draw):
    """Queries, keys, values and options, of any small shape, and a tile size."""
    small = st.integers(1, 3)
    batch, kv, group = draw(small), draw(small), draw(small)
    queries, keys, d, e = (draw(st.integers(1, 6)) for _ in range(4))
    seed, size = draw(st.integers(0, 10**6)), draw(st.sampled_from([0.1, 1.0, 7.0]))
    heads = kv * group
    q = normal(batch, heads, queries, d, seed=seed, size=size)
    k = normal(batch, kv, keys, d, seed=seed + 1)
    v = normal(batch, kv, keys, e, seed=seed + 2)
    axes = [draw(st.sampled_from([1, n])) for n in (batch, heads, queries)]
    random = torch.Generator().manual_seed(seed + 3)
    visible = torch.rand((*axes, keys), generator=random) < draw(st.sampled_from([0.3, 0.8]))
    options = {
        "scale": draw(st.sampled_from([None, 1.0, 0.31])),
        "softcap": draw(st.sampled_from([None, 2.5])),
        "sinks": draw(st.sampled_from([None, normal(heads, seed=seed + 4)])),
        "bias": draw(st.sampled_from([None, normal(1, heads, queries, keys, seed=seed + 5)])),
    }
    return q, k, v, draw(st.sampled_from([None, visible])), options, draw(st.integers(1, 7))


@ANY_CASE
@given(case=cases())
def test_equals_the_definition(case):
    q, k, v, visible, options, tile = case
    kept = []

    def keep(stage, tensor, where):
        if stage == "weights":
            kept.append((where, tensor.clone()))
        return tensor

    z = attend(q, k, v, visible, at=keep, tile=tile, **options)
    weights, right = reference.attention(q, k, v, visible, **options)
    assert torch.allclose(z, torch.tensor(right), atol=1e-12)
    for where, part in kept:
        rows, keys = where.query_index, where.key_index
        expected = weights[:, :, rows.start : rows.stop, keys.start : keys.stop]
        assert torch.allclose(part, torch.tensor(expected), atol=1e-12)


@ANY_CASE
@given(case=cases())
def test_equals_torchs_scaled_dot_product_attention(case):
    q, k, v, visible, options, tile = case
    bias, scale = options["bias"], options["scale"]
    if visible is not None:
        visible = visible | ~visible.any(-1, keepdim=True)  # torch gives NaN on empty rows
        hidden = torch.zeros(visible.shape, dtype=F64).masked_fill(~visible, -math.inf)
        bias = hidden if bias is None else bias + hidden
    sdpa = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=bias, scale=scale, enable_gqa=True
    )
    ours = attend(q, k, v, visible, bias=options["bias"], scale=scale, tile=tile)
    assert torch.allclose(ours, sdpa, atol=1e-12)


def test_consecutive_query_heads_share_a_key_value_head():
    q = normal(1, 8, 5, 4)
    k, v = normal(1, 2, 5, 4, seed=1), normal(1, 2, 5, 3, seed=2)
    repeated = [x.repeat_interleave(4, 1) for x in (k, v)]
    assert torch.allclose(attend(q, k, v), attend(q, *repeated), atol=1e-14)
    with pytest.raises(ValueError, match="8 query heads cannot share 3 key/value heads"):
        attend(q, normal(1, 3, 5, 4), normal(1, 3, 5, 3))


def test_keys_of_one_row_serve_a_whole_batch():
    q = normal(5, 4, 3, 2)
    k, v = normal(1, 2, 7, 2, seed=1), normal(1, 2, 7, 3, seed=2)
    whole = attend(q, k, v)
    for row in range(5):
        assert torch.equal(whole[row], attend(q[row : row + 1], k, v)[0])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("tile", [3, 256])
def test_in_half_precision_the_softmax_is_taken_in_float32(dtype, tile):
    q, k = normal(2, 4, 11, 8, dtype=dtype, size=4), normal(2, 2, 11, 8, seed=1, dtype=dtype)
    v = normal(2, 2, 11, 5, seed=2, dtype=dtype)
    seen = {}

    def look(stage, tensor, where):
        seen.setdefault(stage, []).append(tensor.clone())
        return tensor

    z = attend(q, k, v, causal_mask(11, 11), at=look, tile=tile)
    assert z.dtype == dtype
    assert all(part.dtype == torch.float32 for part in seen["weights"])
    # Rounded only once: every row of float32 weights sums to 1 to float32's precision.
    sums = torch.cat([part.sum(-1) for part in seen["weights"]], -1)
    assert torch.allclose(sums, torch.ones_like(sums), atol=1e-6)
    _, right = reference.attention(
        q.double(), k.double(), v.double(), torch.ones(11, 11).tril().bool()
    )
    step = torch.finfo(dtype).eps
    # Scores reach about 40, so rounding one of them moves a weight by up to 20 steps.
    assert (z.double() - torch.tensor(right)).abs().max() < 40 * step


def test_large_scores_in_half_precision_do_not_overflow():
    q = torch.full((1, 1, 2, 4), 100.0, dtype=torch.float16)
    z = attend(q, q, q, causal_mask(2, 2))
    assert torch.equal(z, q)


def test_attention_has_gradients_and_they_are_right():
    q, k, v = normal(1, 2, 3, 2), normal(1, 1, 3, 2, seed=1), normal(1, 1, 3, 1, seed=2)
    bias, sinks = normal(1, 2, 3, 3, seed=3), normal(2, seed=4)
    leaves = [x.requires_grad_() for x in (q, k, v, bias, sinks)]

    def run(q, k, v, bias, sinks):
        options = {"bias": bias, "sinks": sinks, "softcap": 3.0}
        return attend(q, k, v, causal_mask(3, 3), tile=2, **options)

    assert torch.autograd.gradcheck(run, leaves)


@pytest.mark.parametrize("tile", [2, 128])
@pytest.mark.parametrize("leaf", ["q", "k", "v", "bias", "sinks", "mask"])
def test_any_one_argument_may_be_the_only_one_with_a_gradient(leaf, tile):
    """Frozen queries and keys, and a bias or values that are learned."""
    given = {"q": normal(1, 2, 3, 2), "k": normal(1, 1, 3, 2, seed=1), "v": normal(1, 1, 3, 1)}
    given |= {"mask": causal_mask(3, 3)}
    if leaf in ("bias", "mask"):
        given[leaf] = normal(1, 2, 3, 3, seed=3)
    if leaf == "sinks":
        given[leaf] = normal(2, seed=4)
    fixed = {name: value for name, value in given.items() if name != leaf}

    def run(x):
        return attend(**fixed, **{leaf: x}, tile=tile)

    assert torch.autograd.gradcheck(run, given[leaf].requires_grad_())


def test_explain_gives_every_stage_whole_whatever_the_length():
    q, k, v = normal(1, 2, 300, 4), normal(1, 2, 300, 4, seed=1), normal(1, 2, 300, 4, seed=2)
    found = explain(q, k, v, causal_mask(300, 300))
    assert torch.allclose(found.scores, q @ k.mT)
    assert torch.allclose(found.scaled, found.scores / 2)
    future = torch.ones(300, 300, dtype=torch.bool).triu(1)
    assert torch.isneginf(found.masked[..., future]).all()
    assert torch.equal(found.masked[..., ~future], found.scaled[..., ~future])
    assert not found.weights[..., future].any()
    assert torch.allclose(found.z, attend(q, k, v, causal_mask(300, 300)), atol=1e-12)

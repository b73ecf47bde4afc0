"""Masks in every form; hidden keys stay hidden, and rows that see nothing stay empty."""

import math

import pytest
import torch

from attnlab.attention import Mask, attend, causal_mask, explain
from tests.attention import reference
from tests.attention.test_attend import normal

B, H, K, Q, S, D = 2, 4, 2, 5, 7, 3
VISIBLE = torch.rand(B, 1, Q, S, generator=torch.Generator().manual_seed(8)) < 0.5
VISIBLE[0, 0, 2] = False  # sees nothing
VISIBLE[1, 0, 0] = True


def qkv(dtype=torch.float64):
    shapes = ((B, H, Q, D), (B, K, S, D), (B, K, S, D))
    return [normal(*shape, seed=seed, dtype=dtype) for seed, shape in enumerate(shapes)]


def additive(visible, fill, dtype=torch.float64):
    return torch.zeros(visible.shape, dtype=dtype).masked_fill(~visible, fill)


FORMS = {
    "a Mask": Mask(VISIBLE),
    "boolean": VISIBLE,
    "additive, lowest number": additive(VISIBLE, torch.finfo(torch.float64).min),
    "additive, minus infinity": additive(VISIBLE, -math.inf),
    "additive, float32": additive(VISIBLE, torch.finfo(torch.float32).min, torch.float32),
    "additive, float16": additive(VISIBLE, torch.finfo(torch.float16).min, torch.float16),
    "one row for each head": VISIBLE.expand(B, H, Q, S).clone(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tile", [2, 256])
def test_every_form_hides_the_same_keys(form, tile):
    q, k, v = qkv()
    weights, right = reference.attention(q, k, v, VISIBLE)
    z = attend(q, k, v, FORMS[form], tile=tile)
    assert torch.allclose(z, torch.tensor(right), atol=1e-12)
    found = explain(q, k, v, FORMS[form]).weights
    assert torch.allclose(found, torch.tensor(weights), atol=1e-12)
    assert not found[~VISIBLE.expand_as(found)].any()


@pytest.mark.parametrize("axes", [2, 3, 4])
def test_a_mask_may_leave_out_leading_axes(axes):
    q, k, v = qkv()
    mask = VISIBLE[0, 0].reshape(*[1] * (axes - 2), Q, S)
    assert torch.equal(attend(q, k, v, mask), attend(q, k, v, VISIBLE[:1]))


def test_a_mask_over_keys_alone_hides_padding():
    q, k, v = qkv()
    padding = torch.tensor([[True] * 5 + [False] * 2, [True] * S])[:, None, None]
    z = attend(q, k, v, padding, tile=2)
    assert torch.allclose(z[:1], attend(q[:1], k[:1, :, :5], v[:1, :, :5]), atol=1e-12)
    assert torch.allclose(z[1:], attend(q[1:], k[1:], v[1:]), atol=1e-12)


def test_no_mask_and_all_visible_are_the_same():
    q, k, v = qkv()
    for mask in (Mask(), torch.ones(Q, S, dtype=torch.bool), torch.zeros(Q, S)):
        assert torch.equal(attend(q, k, v, mask), attend(q, k, v))


def test_a_bias_inside_an_additive_mask_is_kept():
    q, k, v = qkv()
    bias = normal(B, 1, Q, S, seed=9)
    mixed = bias + additive(VISIBLE, torch.finfo(torch.float64).min)
    weights, _ = reference.attention(q, k, v, VISIBLE, bias=bias)
    assert torch.allclose(explain(q, k, v, mixed).weights, torch.tensor(weights), atol=1e-12)
    # Numbers that are merely negative are biases: Swin's −100 weighs, it does not hide.
    soft = explain(q, k, v, additive(VISIBLE, -5.0)).weights
    assert (soft > 0).all()


def test_the_causal_flag_counts_from_the_end_when_there_are_more_keys_than_queries():
    q, k, v = qkv()
    seen = causal_mask(Q, S).visible[0, 0]
    assert seen.int().tolist() == [[1] * (3 + i) + [0] * (4 - i) for i in range(Q)]
    assert torch.equal(attend(q, k, v, causal=True), attend(q, k, v, seen))
    # One query, as in generation, is the last one and sees everything.
    assert torch.equal(attend(q[:, :, -1:], k, v, causal=True), attend(q[:, :, -1:], k, v))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("tile", [1, 2, 256])
def test_a_row_that_sees_nothing_is_empty(dtype, tile):
    q, k, v = (x.requires_grad_() for x in qkv(dtype))
    for mask in (VISIBLE, additive(VISIBLE, torch.finfo(dtype).min, dtype)):
        for options in ({}, {"sinks": normal(H, dtype=dtype)}, {"softcap": 2.0}):
            found = explain(q, k, v, mask, **options)
            assert not found.weights[0, :, 2].any()
            z = attend(q, k, v, mask, tile=tile, **options)
            assert not z[0, :, 2].any()
            gradients = torch.autograd.grad(z.sum(), (q, k, v))
            assert all(torch.isfinite(x).all() for x in (z, found.weights, *gradients))
            assert not gradients[0][0, :, 2].any()


def test_a_row_that_sees_nothing_is_found_once_for_a_mask():
    mask = Mask(VISIBLE)
    assert mask.dead.nonzero().tolist() == [[0, 0, 2, 0]]
    assert mask.dead is mask.dead
    assert Mask(torch.ones(1, 1, 2, 2, dtype=torch.bool)).dead is None
    assert Mask().dead is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("fill", ["lowest", "infinite", "boolean"])
def test_no_score_brings_a_hidden_key_back(dtype, fill):
    """Visible scores of −1e30 and a hidden score of +1e30: outweighing would lose."""
    q = torch.full((1, 1, 1, 1), 1e15, dtype=dtype)
    k = torch.tensor([-1e15, -1e15, 1e15], dtype=dtype).view(1, 1, 3, 1)
    v = torch.tensor([1.0, 3.0, 1000.0], dtype=dtype).view(1, 1, 3, 1)
    visible = torch.tensor([[True, True, False]])
    lowest = torch.finfo(dtype).min
    mask = {
        "boolean": visible,
        "lowest": additive(visible, lowest, dtype),
        "infinite": additive(visible, -math.inf, dtype),
    }[fill]
    found = explain(q, k, v, mask)
    assert found.weights.flatten().tolist() == [0.5, 0.5, 0.0]
    assert attend(q, k, v, mask).item() == 2.0


@pytest.mark.parametrize("window, seen, ragged", [(9, (0, 6), (4, 6)), (2, (2, 6), (2, 6))])
def test_a_span_is_the_keys_that_a_tile_can_see(window, seen, ragged):
    mask = Mask(torch.ones(9, 9, dtype=torch.bool).tril().triu(1 - window)[None, None])
    found = mask.span(3, 6, 9)
    assert (found.seen, found.ragged) == (range(*seen), range(*ragged))
    assert (mask.span(0, 1, 9).seen, len(mask.span(0, 1, 9).ragged)) == (range(1), 0)
    assert (Mask().span(3, 6, 9).seen, len(Mask().span(3, 6, 9).ragged)) == (range(9), 0)

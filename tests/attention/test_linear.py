"""Linear attention: three ways to add the same numbers, and a state of a fixed size."""

import inspect
import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import LinearAttention, linear_attention
from attnlab.attention.linear import FORMS

EXACT = {"rtol": 1e-12, "atol": 1e-12}


def drawn(B=2, H=6, K=3, n=11, D=5, E=7, seed=0):
    """q, k, v in float64."""
    draw = torch.Generator().manual_seed(seed)
    shapes = ((B, H, n, D), (B, K, n, D), (B, K, n, E))
    return tuple(torch.randn(s, generator=draw, dtype=torch.float64) for s in shapes)


def by_definition(q, k, v):
    """Equation 4 of the paper with its φ, a pair at a time."""

    def phi(x):
        return torch.where(x > 0, x + 1, x.exp())

    group = q.shape[1] // k.shape[1]
    z = torch.zeros(*q.shape[:3], v.shape[-1], dtype=q.dtype)
    for b, h, i in itertools.product(*map(range, q.shape[:3])):
        head = h // group
        weights = torch.stack([phi(q[b, h, i]) @ phi(k[b, head, j]) for j in range(i + 1)])
        z[b, h, i] = (weights[:, None] * v[b, head, : i + 1]).sum(0) / weights.sum()
    return z


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_definition(form):
    q, k, v = drawn()
    z, state = linear_attention(q, k, v, form=form, chunk=4)
    torch.testing.assert_close(z, by_definition(q, k, v), **EXACT)
    assert state.values.shape == (2, 3, 5, 7) and state.keys.shape == (2, 3, 5)
    assert state.numbers == 2 * 3 * 5 * 8


@settings(max_examples=30)
@given(
    st.integers(1, 3),
    st.sampled_from([(1, 1), (4, 2), (6, 3), (5, 5)]),
    st.integers(1, 23),
    st.integers(1, 7),
    st.integers(1, 7),
    st.integers(1, 9),
    st.data(),
)
def test_forms_agree_over_shapes_chunks_and_cuts(B, heads, n, D, E, chunk, data):
    q, k, v = drawn(B, *heads, n, D, E, seed=n)
    want, last = linear_attention(q, k, v, form="parallel")
    cut = data.draw(st.integers(0, n))
    found, state = [], None
    for part in (slice(0, cut), slice(cut, n)):
        if part.start < part.stop:
            form = data.draw(st.sampled_from(FORMS))
            tensors = (x[:, :, part] for x in (q, k, v))
            z, state = linear_attention(*tensors, state, form=form, chunk=chunk)
            found.append(z)
    torch.testing.assert_close(torch.cat(found, 2), want, **EXACT)
    torch.testing.assert_close(state.values, last.values, **EXACT)
    torch.testing.assert_close(state.keys, last.keys, **EXACT)


@pytest.mark.parametrize("form", ["recurrent", "chunked"])
def test_gradients_of_every_form_are_the_same(form):
    def grads(form):
        tensors = [x.requires_grad_() for x in drawn()]
        z, _ = linear_attention(*tensors, form=form, chunk=4)
        return torch.autograd.grad(z.square().sum(), tensors)

    for found, want in zip(grads(form), grads("parallel"), strict=True):
        torch.testing.assert_close(found, want, rtol=1e-10, atol=1e-10)


def test_what_has_no_weight_gathers_nothing():
    """φ underflows to 0 where its argument is very negative."""
    q, k, v = drawn(B=1, H=1, K=1, n=3)
    for form in FORMS:
        z, _ = linear_attention(torch.full_like(q, -1e4), k, v, form=form)
        assert (z == 0).all()


def test_the_module_goes_on_from_its_state():
    torch.manual_seed(0)
    module = LinearAttention(30, 5).double()
    x = torch.randn(2, 13, 30, dtype=torch.float64)
    want, _ = module(x, form="parallel")
    first, state = module(x[:, :7])
    steps = []
    for t in range(7, 13):
        y, state = module(x[:, t : t + 1], state, form="recurrent")
        steps.append(y)
    torch.testing.assert_close(torch.cat([first, *steps], 1), want, **EXACT)
    assert sum(weight.numel() for weight in module.parameters()) == 4 * 30 * 31


def test_nonsense_is_refused_in_a_sentence():
    q, k, v = drawn()
    with pytest.raises(ValueError, match=r"form is one of .*, not 'fast'"):
        linear_attention(q, k, v, form="fast")
    with pytest.raises(ValueError, match="chunk is at least 1, not 0"):
        linear_attention(q, k, v, chunk=0)
    with pytest.raises(ValueError, match=r"q, k and v are of \[7, 9, 11\] tokens"):
        inspect.unwrap(linear_attention)(q[:, :, :7], k[:, :, :9], v)  # types unchecked
    with pytest.raises(ValueError, match="with nothing in it"):
        linear_attention(q[:, :, :0], k[:, :, :0], v[:, :, :0])
    with pytest.raises(ValueError, match="5 query heads cannot share 3 key/value heads"):
        linear_attention(q[:, :5], k, v)
    with pytest.raises(ValueError, match="cannot be cut into 4 heads"):
        LinearAttention(30, 4)
    with pytest.raises(ValueError, match="x has the shape"):
        LinearAttention(30, 5)(torch.zeros(1, 0, 30))

"""The selective state space: two forms of one recurrence, and transformers' Mamba."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import SelectiveStateSpace, ShortConvolution, parallel_scan, selective_scan
from attnlab.attention.parallel_scan import rounds
from attnlab.attention.rms import RMSNorm

EXACT = {"rtol": 1e-12, "atol": 1e-12}
FORMS = ("sequential", "parallel")


def scanned(B=2, n=7, channels=3, N=5, seed=0):
    """x, Δ, A, B, C and a first state, in float64 and with gradients."""
    draw = torch.Generator().manual_seed(seed)
    shapes = ((B, n, channels), (B, n, channels), (channels, N), (B, n, N), (B, n, N),
              (B, channels, N))  # fmt: skip
    x, delta, A, *rest = (torch.randn(s, generator=draw, dtype=torch.float64) for s in shapes)
    return [t.requires_grad_() for t in (x, delta.exp(), -A.exp(), *rest)]


def by_definition(x, delta, A, into, out, h):
    """Section 2's recurrence with Mamba's discretisation, a number at a time."""
    h, y = h.clone(), torch.zeros_like(x)
    for b, t, i in itertools.product(*map(range, x.shape)):
        for number in range(A.shape[1]):
            fade = torch.exp(delta[b, t, i] * A[i, number])
            h[b, i, number] = (
                fade * h[b, i, number] + delta[b, t, i] * x[b, t, i] * into[b, t, number]
            )
            y[b, t, i] += h[b, i, number] * out[b, t, number]
    return y, h


@pytest.mark.parametrize("form", FORMS)
def test_both_forms_are_the_definition(form):
    with torch.no_grad():
        tensors = scanned()
        want = by_definition(*tensors)
        for found, wanted in zip(selective_scan(*tensors, form=form), want, strict=True):
            torch.testing.assert_close(found, wanted, **EXACT)


@settings(max_examples=30)
@given(
    st.integers(1, 3), st.integers(1, 19), st.integers(1, 5), st.integers(1, 5), st.integers(0, 9)
)
def test_forms_agree_over_shapes_values_and_gradients(B, n, channels, N, seed):
    tensors = scanned(B, n, channels, N, seed)
    found = {}
    for form in FORMS:
        y, h = selective_scan(*tensors, form=form)
        grads = torch.autograd.grad(y.square().sum() + h.sin().sum(), tensors)
        found[form] = [y, h, *grads]
    for one, other in zip(*found.values(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_gradients_are_those_of_small_differences(form):
    tensors = scanned(B=1, n=3, channels=2, N=2)
    assert torch.autograd.gradcheck(lambda *t: selective_scan(*t, form=form), tensors)


def test_second_derivatives_are_the_parallel_forms():
    tensors = scanned(B=1, n=3, channels=2, N=2)
    assert torch.autograd.gradgradcheck(lambda *t: selective_scan(*t), tensors)
    loss = selective_scan(*tensors, form="sequential")[0].square().sum()
    (grad,) = torch.autograd.grad(loss, tensors[0], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        grad.sum().backward()


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13])
def test_a_parallel_scan_is_its_loop(n):
    a, b, h = (torch.randn(2, *s, 5, dtype=torch.float64) for s in ((n,), (n,), ()))
    found = parallel_scan(a, b, h)
    for t in range(n):
        h = a[:, t] * h + b[:, t]
        torch.testing.assert_close(found[:, t], h, **EXACT)
    assert 2 ** rounds(n) >= n > 2 ** (rounds(n) - 1) or (n, rounds(n)) == (1, 0)


def test_a_short_convolution_sees_the_past_alone():
    module = ShortConvolution(5, 3).double()
    x = torch.randn(2, 11, 5, dtype=torch.float64)
    want, last = module(x)
    padded = torch.cat([torch.zeros(2, 2, 5, dtype=x.dtype), x], 1)
    by_hand = sum(module.weight[:, 0, i] * padded[:, i : i + 11] for i in range(3))
    torch.testing.assert_close(want, by_hand + module.bias, **EXACT)
    first, state = module(x[:, :1])
    rest, state = module(x[:, 1:], state)
    torch.testing.assert_close(torch.cat([first, rest], 1), want, **EXACT)
    assert torch.equal(state, last) and torch.equal(last, x[:, -2:])
    one = ShortConvolution(5, 1)
    assert one(torch.zeros(1, 4, 5))[1].shape == (1, 0, 5)


@pytest.mark.parametrize("form", FORMS)
def test_the_module_goes_on_from_its_state(form):
    torch.manual_seed(0)
    module = SelectiveStateSpace(24, inner=18, state_size=5, rank=3).double()
    x = torch.randn(2, 13, 24, dtype=torch.float64)
    want, last = module(x)
    first, state = module(x[:, :6], form=form)
    steps = []
    for t in range(6, 13):
        y, state = module(x[:, t : t + 1], state, form=form)
        steps.append(y)
    torch.testing.assert_close(torch.cat([first, *steps], 1), want, **EXACT)
    torch.testing.assert_close(state.channels, last.channels, **EXACT)
    assert state.numbers == 2 * 18 * (3 + 5)


@pytest.fixture(scope="module")
def mamba():
    """transformers' Mamba with random weights, far enough from 0 to matter."""
    from transformers import MambaConfig, MambaForCausalLM

    torch.manual_seed(0)
    config = MambaConfig(vocab_size=97, hidden_size=24, state_size=5, num_hidden_layers=3)
    model = MambaForCausalLM(config).eval()
    for weight in model.parameters():
        weight.data.add_(torch.randn_like(weight) * 0.2)
    return model


@pytest.mark.parametrize("form", FORMS)
def test_it_is_transformers_mamba(mamba, form):
    """Our block with its weights, layer by layer, up to the logits."""
    ids = torch.randint(97, (2, 17), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        wanted = mamba(ids, output_hidden_states=True)
        x = mamba.backbone.embeddings(ids)
        for number, layer in enumerate(mamba.backbone.layers):
            mixer = SelectiveStateSpace(24, state_size=5)
            mixer.load_state_dict(layer.mixer.state_dict())
            x = x + mixer(_norm(layer.norm)(x), form=form)[0]
            assert (x - wanted.hidden_states[number]).abs().max() <= 1e-5
        logits = mamba.lm_head(_norm(mamba.backbone.norm_f)(x))
    assert (logits - wanted.logits).abs().max() <= 1e-5 < wanted.logits.abs().max()


def _norm(theirs):
    ours = RMSNorm(24, theirs.variance_epsilon)
    ours.load_state_dict(theirs.state_dict())
    return ours


def test_a_new_block_begins_with_steps_between_its_limits():
    torch.manual_seed(0)
    block = SelectiveStateSpace(32)
    assert (block.A_log.exp()[0] - torch.arange(1, 17)).abs().max() < 1e-4
    steps = torch.nn.functional.softplus(block.dt_proj.bias)
    assert 0.00099 < steps.min() < steps.max() < 0.101
    slow = SelectiveStateSpace(32, state_size=3, steps=(0.2, 0.9), fade=0.01)
    assert (slow.A_log.exp()[5] - torch.tensor([0.01, 0.02, 0.03])).abs().max() < 1e-6
    steps = torch.nn.functional.softplus(slow.dt_proj.bias)
    assert 0.199 < steps.min() < steps.max() < 0.901


def test_nonsense_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"form is one of .*, not 'fast'"):
        selective_scan(*scanned(), form="fast")
    for form in FORMS:
        with pytest.raises(ValueError, match="with nothing in it"):
            selective_scan(*scanned(n=0), form=form)
    with pytest.raises(ValueError, match="state_size is at least 1, not 0"):
        SelectiveStateSpace(8, state_size=0)
    with pytest.raises(ValueError, match=r"fade is a number above 0, not 0\.0"):
        SelectiveStateSpace(8, fade=0.0)
    with pytest.raises(ValueError, match="x has the shape"):
        SelectiveStateSpace(8)(torch.zeros(2, 3, 7))
    with pytest.raises(ValueError, match="size is at least 1"):
        ShortConvolution(8, 0)

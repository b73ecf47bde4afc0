"""Tiled attention equals the plain one, its gradients too, whatever the tiles; memory is linear."""

import pytest
import torch
from hypothesis import given, settings
from torch.utils._python_dispatch import TorchDispatchMode

from attnlab.attention import attend, causal_mask, masks, tiled
from attnlab.attention.positions import Alibi, RelativeBuckets
from tests.attention.tiling import F64, cases, normal

N = 23


def with_gradients(function, leaves, fixed):
    """z, and the gradient of a sum of it with respect to each leaf."""
    leaves = {name: x.detach().requires_grad_() for name, x in leaves.items()}
    z = function(**leaves, **fixed)
    loss = (z * normal(*z.shape, seed=9, dtype=z.dtype)).sum()
    return [z, *torch.autograd.grad(loss, leaves.values(), materialize_grads=True)]


def apart(q, k, v, mask, options, tile):
    """The largest difference from ``attend``, in z and in any gradient, over the largest value."""
    leaves = {"q": q, "k": k, "v": v}
    leaves |= {name: options[name] for name in ("bias", "sinks") if options[name] is not None}
    fixed = {name: options[name] for name in ("scale", "softcap")}
    queries, keys = q.shape[2], k.shape[2]
    dense = mask
    if isinstance(mask, masks.Predicate):
        dense = mask.mask(range(keys - queries, keys), range(keys))
    ours, right = {"tile": tile, "mask": mask}, {"mask": dense}
    if isinstance(mask, torch.Tensor) and mask.is_floating_point():  # a mask that is learned
        leaves["mask"] = mask
        del ours["mask"], right["mask"]
    pairs = zip(
        with_gradients(tiled, leaves, fixed | ours),
        with_gradients(attend, leaves, fixed | right),
        strict=True,
    )
    return max(((a - b).abs().max() / b.abs().max().clamp(min=1)).item() for a, b in pairs)


@settings(max_examples=60)
@given(case=cases())
def test_equals_the_plain_function_gradients_too(case):
    assert apart(*case) <= 1e-12


@settings(max_examples=20)
@given(case=cases(torch.float32))
def test_in_single_precision_too(case):
    assert apart(*case) <= 1e-6


@pytest.mark.parametrize("size", [1.0, 40.0], ids=["no maximum needed", "running maximum"])
@pytest.mark.parametrize("tile", [(32, 16), None])
def test_longer_runs_in_single_precision(size, tile):
    """Some tiles full, some skipped, some ragged; large scores vanish beside larger ones."""
    q, k = (normal(1, 6, 301, 8, seed=i, dtype=torch.float32) for i in (0, 1))
    v = normal(1, 6, 301, 5, seed=2, dtype=torch.float32)
    mask = masks.SinksWindow(3, 100)
    ours = tiled(q * size, k, v, mask, tile=tile)
    right = attend(q.double() * size, k.double(), v.double(), mask.mask(range(301), range(301)))
    assert (ours - right).abs().max() < 1e-6 * max(1, size)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_in_half_precision_it_computes_in_float32(dtype):
    q, k, v = (normal(2, 4, N, 8, seed=i, dtype=dtype) for i in range(3))
    exact = attend(*(x.double() for x in (q, k, v)), causal_mask(N, N))
    z = tiled(q, k, v, causal=True, tile=(4, 8))
    assert z.dtype == dtype
    assert (z.double() - exact).abs().max() <= torch.finfo(dtype).eps * exact.abs().max()


def test_a_query_that_sees_nothing_gets_zeros_and_no_gradient():
    q, k, v = (normal(1, 2, N, 4, seed=i).requires_grad_() for i in range(3))
    mask = ~masks.Causal()  # the last query has no future
    for options in ({}, {"bias": normal(1, 1, 1, N)}):
        z = tiled(q, k, v, mask, tile=(5, 4), **options)
        found = torch.autograd.grad(z.square().sum(), (q, k, v))
        assert not z[:, :, -1].any() and not found[0][:, :, -1].any()
        assert all(x.isfinite().all() for x in (z, *found))


def test_hidden_keys_have_no_weight_at_all():
    """However large what they hold."""
    q, k, v = (normal(1, 2, N, 4, seed=i) for i in range(3))
    for size in (1.0, 90.0):
        other_k, other_v = k.clone(), v.clone()
        other_k[:, :, 11:] *= 50
        other_v[:, :, 11:] = 1e300
        found = [
            tiled(q * size, *kv, causal=True, tile=(8, 8)) for kv in ((k, v), (other_k, other_v))
        ]
        assert torch.allclose(*(z[:, :, :11] for z in found), rtol=0, atol=1e-13)


class Largest(TorchDispatchMode):
    """The most numbers that any tensor held, and how many products were made."""

    numbers = products = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        for one in found if isinstance(found, tuple | list) else (found,):
            if isinstance(one, torch.Tensor):
                self.numbers = max(self.numbers, one.numel())
        self.products += "bmm" in str(function)
        return found


def watched(n, mask, **options):
    """What a forward and a backward pass of n tokens, heads of 2 numbers, needs."""
    q, k, v = (normal(1, 1, n, 2, seed=i, dtype=torch.float32) for i in range(3))
    with Largest() as seen:
        tiled(q.requires_grad_(), k, v, mask, tile=(16, 16), **options).sum().backward()
    return seen


@pytest.mark.parametrize(
    "mask",
    [
        None,
        masks.Causal(),
        masks.Window(40),
        masks.SinksWindow(2, 40),
        masks.Document((0,) * 100 + (1,) * 44) & masks.Causal(),
    ],
    ids=lambda mask: type(mask).__name__,
)
def test_no_tensor_grows_with_the_square_of_the_length(mask):
    bias = Alibi().build(width=2, heads=1, key_size=2, bidirectional=False).bias
    for options in ({}, {"bias": bias}):
        assert watched(144, mask, **options).numbers == 144 * 2


def test_a_window_costs_in_proportion_to_the_length():
    made = [watched(n, masks.Window(40)).products for n in (96, 192, 288)]
    assert made[2] - made[1] == made[1] - made[0]
    assert watched(288, masks.Causal()).products > 2 * made[2]


def test_a_bias_may_be_a_function_of_positions():
    q, k, v = (normal(2, 4, N, 6, seed=i) for i in range(3))
    alibi = Alibi().build(width=24, heads=4, key_size=6, bidirectional=False)
    positions = torch.arange(N)[None]
    right = attend(q, k, v, causal_mask(N, N), bias=alibi.bias(positions, positions, F64))
    ours = tiled(q, k, v, causal=True, bias=alibi.bias, tile=(4, 8))
    assert torch.allclose(ours, right, atol=1e-12, rtol=0)


def test_positions_may_begin_elsewhere():
    """A few queries over a cache: the last one sits at the last key unless told otherwise."""
    q, k, v = (normal(1, 2, N, 4, seed=i) for i in range(3))
    whole = tiled(q, k, v, masks.Window(5))
    assert torch.allclose(tiled(q[:, :, 9:], k, v, masks.Window(5)), whole[:, :, 9:], atol=1e-14)
    part = tiled(q[:, :, 9:12], k, v, masks.Window(5), start=9)
    assert torch.allclose(part, whole[:, :, 9:12], atol=1e-14)


def test_of_more_queries_than_keys_the_first_see_nothing_as_in_the_plain_function():
    q, k, v = normal(1, 2, 9, 3), normal(1, 2, 4, 3, seed=1), normal(1, 2, 4, 5, seed=2)
    right = attend(q, k, v, causal=True)
    assert torch.allclose(tiled(q, k, v, causal=True, tile=(2, 3)), right, atol=1e-12)
    assert not right[:, :, :5].any() and right[:, :, 5:].all()


def test_what_makes_no_sense_is_refused_in_a_sentence():
    q, k = normal(1, 8, 5, 4), normal(1, 3, 5, 4)
    with pytest.raises(ValueError, match="8 query heads cannot share 3 key/value heads"):
        tiled(q, k, k)
    with pytest.raises(ValueError, match="tile_of_keys is at least 1, not 0"):
        tiled(q, q, q, tile=(4, 0))
    for empty in ((q[:, :, :0], q), (q, q[:, :, :0]), (q[..., :0], q[..., :0]), (q[:0], q[:0])):
        with pytest.raises(ValueError, match="with nothing in it"):
            tiled(*empty, empty[1])
    learned = RelativeBuckets().build(width=32, heads=8, key_size=4, bidirectional=True)
    with pytest.raises(ValueError, match="a bias that is a function gets no gradient"):
        tiled(q, q, q, bias=learned.bias)

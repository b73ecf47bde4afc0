"""Attention, masks and positions on the CPU and on a GPU where there is one; float32, bfloat16.

Right values come from float64 on the CPU, from the same rounded inputs.
"""

import pytest
import torch

from attnlab.attention import attend, explain
from attnlab.attention.masks import Causal, Window
from tests.attention import reference
from tests.attention.kinds import MASKS, SCHEMES, D, N
from tests.attention.test_attend import F64, normal

B, H, K, E = 2, 6, 3, 5


def qkv(place):
    shapes = ((B, H, N, D), (B, K, N, D), (B, K, N, E))
    made = [normal(*shape, seed=seed, dtype=place.dtype) for seed, shape in enumerate(shapes)]
    return [x.to(place.device) for x in made]


def wide(*tensors):
    return [x.detach().cpu().double() for x in tensors]


def options_for(place):
    """Ways to call ``attend``, with tensors of this place."""
    bias = normal(1, H, N, N, seed=7, dtype=place.dtype).to(place.device)
    sinks = normal(H, seed=8, dtype=place.dtype).to(place.device)
    return {}, {"softcap": 3.0}, {"bias": bias}, {"sinks": sinks, "scale": 0.5}


@pytest.mark.parametrize("mask", [None, *MASKS])
def test_equals_the_definition(place, mask):
    q, k, v = qkv(place)
    made = None if mask is None else MASKS[mask].mask(range(N), range(N), place.device)
    visible = None if made is None else made.visible.cpu()
    # A score is rounded a few times at a size of up to 8, and a weight moves with it.
    within = 16 * place.eps
    for options in options_for(place):
        exact = {
            name: wide(x)[0] if isinstance(x, torch.Tensor) else x for name, x in options.items()
        }
        weights, z = (
            torch.tensor(x) for x in reference.attention(*wide(q, k, v), visible, **exact)
        )
        found = explain(q, k, v, made, **options)
        assert found.z.dtype == place.dtype and found.z.device.type == place.device.type
        assert (found.weights.cpu().double() - weights).abs().max() < within
        for ours in (found.z, attend(q, k, v, made, tile=4, **options)):
            assert (ours.cpu().double() - z).abs().max() < within


@pytest.mark.parametrize("mask", [None, "causal", "prefix", "window"])
def test_equals_torchs_own_in_the_same_place(place, mask):
    q, k, v = qkv(place)
    made = None if mask is None else MASKS[mask].mask(range(N), range(N), place.device)
    sdpa = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=None if made is None else made.visible, enable_gqa=True
    )
    ours = attend(q, k, v, made)
    assert (ours.float() - sdpa.float()).abs().max() < 8 * place.eps


def build(scheme, place):
    """On the CPU in float64, and with the same weights in this place."""
    sizes = {"width": H * D, "heads": H, "key_size": D, "bidirectional": False}
    exact, ours = scheme.build(**sizes), scheme.build(**sizes)
    exact.to(place.dtype).double()  # so that both hold the same rounded numbers
    ours.load_state_dict(exact.state_dict())
    return exact, ours.to(place.device, place.dtype)


def far(scheme):
    """Positions 2,000 and on, or the last that there are."""
    start = getattr(scheme, "longest", 2000 + N) - N
    return torch.arange(start, start + N)[None]


@torch.no_grad()
def test_positions_equal_those_in_float64_on_the_cpu(place):
    x = normal(1, N, H * D, dtype=place.dtype).to(place.device)
    q = normal(1, H, N, D, dtype=place.dtype).to(place.device)
    # An angle of 2,000 radians is known to about 1e-4 in float32, which is what models use.
    within = max(5e-4, 4 * place.eps)
    for scheme in SCHEMES.values():
        exact, ours = build(scheme, place)
        positions = far(scheme)
        there = positions.to(place.device)
        for found, right in (
            (ours.embed(x, there), exact.embed(*wide(x), positions)),
            (ours.rotate(q, there), exact.rotate(*wide(q), positions)),
            (ours.bias(there, there, place.dtype), exact.bias(positions, positions, F64)),
        ):
            if right is None:
                assert found is None
                continue
            assert found.dtype in (place.dtype, torch.float32)
            assert found.device.type == place.device.type
            size = max(1.0, float(right.abs().max()))
            assert (found.cpu().double() - right).abs().max() < within * size


@torch.no_grad()
def test_a_step_over_a_cache_equals_the_whole(place):
    q, k, v = qkv(place)
    positions, mask = torch.arange(N, device=place.device)[None], Causal() & Window(6)
    for scheme in SCHEMES.values():
        _, module = build(scheme, place)
        turned, keys = module.rotate(q, positions), module.rotate(k, positions)

        def rows(queries, module=module, turned=turned, keys=keys):
            first = slice(queries.start, queries.stop)
            bias = module.bias(positions[:, first], positions)
            made = mask.mask(queries, range(N), place.device)
            return attend(turned[:, :, first], keys, v, made, bias=bias)

        whole, last = rows(range(N)), rows(range(N - 1, N))
        assert (last.float() - whole[:, :, -1:].float()).abs().max() < 4 * place.eps


def test_gradients_are_those_of_float64(place):
    q, k, v = (x.requires_grad_() for x in qkv(place))
    mask = Window(2) & ~Window(1)
    attend(q, k, v, mask.mask(range(N), range(N), place.device), tile=5).square().sum().backward()
    exact = [x.requires_grad_() for x in wide(q, k, v)]
    attend(*exact, mask.mask(range(N), range(N))).square().sum().backward()
    for ours, right in zip((q, k, v), exact, strict=True):
        assert (ours.grad.cpu().double() - right.grad).abs().max() < 40 * place.eps

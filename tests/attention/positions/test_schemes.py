"""What holds for every scheme: a plain value, that does nothing in the places it leaves alone, and
gives a token over a cache what it gives in the whole text."""

import dataclasses
import json

import pytest
import torch

from attnlab.attention import attend
from attnlab.attention import positions as kinds
from attnlab.attention.masks import Prefix
from tests.attention.kinds import BIASING, EMBEDDING, FED, MASKS, SCHEMES, TURNING, D, N
from tests.attention.test_attend import F64, normal

H = 2
M = H * D


def build(scheme):
    torch.manual_seed(3)
    return SCHEMES[scheme].build(width=M, heads=H, key_size=D, bidirectional=False).double()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_is_a_value_made_of_plain_numbers(scheme):
    scheme = SCHEMES[scheme]
    assert hash(scheme) == hash(dataclasses.replace(scheme))
    assert eval(repr(scheme), vars(kinds)) == scheme
    assert json.loads(json.dumps(dataclasses.asdict(scheme))) == dataclasses.asdict(scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_order_enters_in_one_place_only(scheme):
    module, positions = build(scheme), torch.arange(3, 3 + N)[None]
    x, q = normal(1, N, M), normal(1, H, N, D)
    assert (module.embed(x, positions) is x) is (scheme not in EMBEDDING)
    assert (module.rotate(q, positions) is q) is (scheme not in TURNING)
    assert (module.rotation(positions, F64) is None) is (scheme not in TURNING)
    assert module.rotates is (scheme in TURNING)
    assert (module.bias(positions, positions, F64) is None) is (scheme not in BIASING)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_keeps_nothing_but_weights(scheme):
    """So a model can be built without memory, given its weights, and moved to any precision."""
    module = build(scheme)
    assert not list(module.buffers())
    assert {name for name, _ in module.named_parameters()} <= {"table.weight"}
    with torch.device("meta"):
        hollow = SCHEMES[scheme].build(width=M, heads=H, key_size=D, bidirectional=False)
    hollow.load_state_dict(module.state_dict(), assign=True)
    positions = torch.arange(N)[None]
    for x, y in zip(everywhere(hollow, positions), everywhere(module, positions), strict=True):
        assert torch.equal(x, y)


def everywhere(module, positions):
    found = (
        module.embed(normal(1, N, M), positions),
        module.rotate(normal(1, H, N, D), positions),
        module.bias(positions, positions, F64),
    )
    return [x for x in found if x is not None]


def one_layer(module, x, mask, positions, queries):
    """Attention of these queries over every key, after positions wherever they enter."""
    x = module.embed(x, positions)
    q, k, v = (
        (x @ normal(M, M, seed=seed)).view(len(x), -1, H, D).transpose(1, 2) for seed in (1, 2, 3)
    )
    q, k = module.rotate(q, positions), module.rotate(k, positions)
    rows = slice(queries.start, queries.stop)
    bias = module.bias(positions[:, rows], positions, F64)
    keys = range(x.shape[1])
    return attend(q[:, :, rows], k, v, mask.mask(queries, keys), bias=bias)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_token_at_a_time_equals_the_whole_under_every_mask(scheme):
    module, x, positions = build(scheme), normal(2, N, M), torch.arange(N)[None]
    for mask in MASKS.values():
        whole = one_layer(module, x, mask, positions, range(N))
        for i in range(N):
            # What comes later is not there yet; a prefix is read whole before the first step.
            known = max(i + 1, FED if isinstance(mask, Prefix) else 0)
            step = one_layer(module, x[:, :known], mask, positions[:, :known], range(i, i + 1))
            assert torch.allclose(step, whole[:, :, i : i + 1], atol=1e-12)

"""Our transformer on the CPU and on a GPU where there is one, in float32 and bfloat16.

Right values come from float64 on the CPU, from the same rounded weights.
"""

import pytest
import torch

from attnlab.attention import Cache
from attnlab.attention.positions import Rope
from tests.transformer import BLOCKS, FED, MASKS, SCHEMES, B, N, S, both, decoder, furthest, ids


def on(place, make, **changes):
    """A model as the place has it, and the same numbers in float64 on the CPU."""
    model = make(**changes).to(place.dtype)
    exact = make(**changes)
    exact.load_state_dict(model.state_dict())
    return model.to(place.device), exact


def close(found, right, place, steps=1):
    """Within a few roundings of each of the blocks, for numbers of the order of the largest."""
    allowed = 64 * place.eps * max(1.0, float(right.abs().max()))
    return furthest(found.double().cpu(), right) <= allowed


@pytest.mark.parametrize("block", BLOCKS)
def test_every_kind_of_block(place, block):
    model, exact = on(place, decoder, **BLOCKS[block])
    assert close(model.logits(model(ids().to(place.device))), exact.logits(exact(ids())), place)


@pytest.mark.parametrize("mask", MASKS)
def test_every_mask_in_steps(place, mask):
    model, exact = on(place, decoder, mask=MASKS[mask], positions=Rope())
    cache, text = Cache(), ids().to(place.device)
    parts = [model(part, cache=cache) for part in text.split([FED] + [1] * (N - FED), 1)]
    assert close(torch.cat(parts, 1), exact(ids()), place)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_in_an_encoder_decoder_with_padding(place, scheme):
    model, exact = on(place, both, positions=SCHEMES[scheme])
    real = torch.arange(S) < torch.tensor([[S], [S - 5]])
    texts = (ids(length=S), ids())
    found = model(*(x.to(place.device) for x in texts), source_real=real.to(place.device))
    assert found.dtype == place.dtype and found.shape[0] == B
    assert close(found, exact(*texts, source_real=real), place)

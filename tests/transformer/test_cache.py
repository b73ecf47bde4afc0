"""A step with a key/value cache equals the same token in the whole text."""

import pytest
import torch

from attnlab.attention import Cache
from attnlab.attention.positions import RelativeBuckets, Rope
from tests.transformer import (
    BLOCKS,
    FED,
    MASKS,
    SCHEMES,
    B,
    D,
    E,
    K,
    L,
    M,
    N,
    S,
    both,
    decoder,
    furthest,
    ids,
)


def in_steps(read, text, lengths):
    """The hidden states of a text, ``lengths`` tokens at a time."""
    cache, done = Cache(), []
    for part in text.split(lengths, 1):
        done.append(read(part, cache))
        assert done[-1].shape == (B, part.shape[1], M)
    assert cache.length == N
    return torch.cat(done, 1), cache


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_and_mask(scheme, mask):
    pattern = MASKS[mask][:2] if isinstance(MASKS[mask], tuple) else MASKS[mask]
    model = decoder(positions=SCHEMES[scheme], mask=pattern, layers=2)
    lengths = [FED] + [1] * (N - FED)
    found, _ = in_steps(lambda part, cache: model(part, cache=cache), ids(), lengths)
    assert furthest(found, model(ids())) <= 1e-12


@pytest.mark.parametrize("mask", MASKS)
def test_several_tokens_at_a_time(mask):
    model, lengths = decoder(positions=Rope(), mask=MASKS[mask]), [FED, 3, N - FED - 3]
    found, _ = in_steps(lambda part, cache: model(part, cache=cache), ids(), lengths)
    assert furthest(found, model(ids())) <= 1e-12


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("kv_heads", [1, K, None])
def test_every_kind_of_block(block, kv_heads):
    model = decoder(**BLOCKS[block] | {"kv_heads": kv_heads})
    found, cache = in_steps(lambda part, cache: model(part, cache=cache), ids(), [1] * N)
    assert furthest(found, model(ids())) <= 1e-12
    assert cache.numbers == B * N * L * (kv_heads or 6) * (D + E)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_encoder_decoder_reads_its_source_once(scheme):
    model, source = both(positions=SCHEMES[scheme]), ids(length=S)
    real = torch.arange(S) < torch.tensor([[S], [S - 5]])
    whole = model(source, ids(), source_real=real)
    encoded, made = model.encoder(source, real=real), []
    for block in model.decoder.blocks:
        block.cross.w_k.register_forward_hook(lambda *_: made.append(1))

    def read(part, cache):
        return model.decoder(part, source=encoded, source_real=real, cache=cache)

    found, cache = in_steps(read, ids(), [1] * N)
    assert furthest(found, whole) <= 1e-12
    assert len(made) == L
    assert cache.numbers == B * (N + S) * L * K * (D + E)


@pytest.mark.parametrize("positions", [Rope(), RelativeBuckets(8, 11)])
def test_padding_on_the_left_stays_hidden(positions):
    """Texts of two lengths go on together: what is padding once is padding ever after."""
    model, pad = decoder(positions=positions), 2
    real = torch.arange(N) >= torch.tensor([[0], [pad]])
    where = (torch.arange(N) - torch.tensor([[0], [pad]])).clamp(min=0)

    def read(part, cache):
        here = slice(cache.length, cache.length + part.shape[1])
        return model(part, real=real[:, : here.stop], positions=where[:, here], cache=cache)

    found, _ = in_steps(read, ids(), [FED] + [1] * (N - FED))
    assert furthest(found[:1], model(ids()[:1])) <= 1e-12
    assert furthest(found[1:, pad:], model(ids()[1:, pad:])) <= 1e-12


def test_one_beginning_goes_on_in_two_ways():
    model, cache = decoder(positions=Rope()), Cache()
    model(ids()[:, :FED], cache=cache)
    for seed in (7, 8):
        rest, other = ids(length=3, seed=seed), cache.copy()
        found = model(rest, cache=other)
        assert furthest(found, model(torch.cat([ids()[:, :FED], rest], 1))[:, FED:]) <= 1e-12
        assert (cache.length, other.length) == (FED, FED + 3)


def test_lengths_that_do_not_fit_are_refused():
    model, cache = decoder(), Cache()
    model(ids()[:, :FED], cache=cache)
    with pytest.raises(ValueError, match="the cache is of 2 texts, so it takes no 1"):
        model(ids()[:1, FED:], cache=cache)
    with pytest.raises(ValueError, match=r"real has the shape \[2, 4\], not \[2, 13\]"):
        model(ids(), real=torch.tensor([[True] * 3 + [False]] * B))


def test_an_empty_cache():
    assert Cache().length == Cache().numbers == 0

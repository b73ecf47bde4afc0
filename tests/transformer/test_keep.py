"""A cache that drops tokens: a window is the mask of a window, and with sinks every token stands
where the cache has it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import Cache, KeepLast
from attnlab.attention.masks import Causal, SinksWindow, Window
from attnlab.attention.positions import Rope
from tests.attention.kinds import BIASING, EMBEDDING, TURNING
from tests.transformer import BLOCKS, MASKS, SCHEMES, B, D, E, K, L, N, both, decoder, furthest, ids

W, SINKS = 4, 2
RELATIVE = {"none": SCHEMES["none"]} | TURNING | BIASING


def in_steps(model, text, keep, lengths=None, **options):
    cache = Cache(keep)
    parts = text.split(lengths or [1] * text.shape[1], 1)
    return torch.cat([model(part, cache=cache, **options) for part in parts], 1), cache


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_sliding_cache_is_the_mask_of_a_window(scheme):
    sliding, windowed = (decoder(positions=SCHEMES[scheme], mask=m) for m in (None, Window(W)))
    found, cache = in_steps(sliding, ids(), KeepLast(W))
    assert furthest(found, windowed(ids())) <= 1e-12
    assert cache.length == N
    assert cache.numbers == B * W * L * K * (D + E)


@pytest.mark.parametrize("lengths", [[N], [6, 5, 2], [1, 11, 1]])
def test_a_sliding_cache_reads_several_tokens_at_once(lengths):
    sliding, windowed = (decoder(positions=Rope(), mask=m) for m in (None, Window(W)))
    found, _ = in_steps(sliding, ids(), KeepLast(W), lengths)
    assert furthest(found, windowed(ids())) <= 1e-12


@pytest.mark.parametrize("mask", MASKS)
def test_the_model_s_own_mask_stays(mask):
    pattern = MASKS[mask] if isinstance(MASKS[mask], tuple) else (MASKS[mask],) * L
    sliding = decoder(positions=Rope(), mask=pattern)
    both_masks = decoder(positions=Rope(), mask=tuple(p & Window(W) for p in pattern))
    lengths = [5] + [1] * (N - 5)
    found, _ = in_steps(sliding, ids(), KeepLast(W), lengths)
    assert furthest(found, both_masks(ids())) <= 1e-12


@pytest.mark.parametrize("scheme", RELATIVE)
def test_a_rolling_cache_runs_the_kept_tokens_numbered_anew(scheme):
    """In one layer keys hang on nothing but their tokens, so the last token sees what it would see
    in a text of the kept ones alone."""
    model, keep = decoder(positions=RELATIVE[scheme], layers=1), KeepLast(W, SINKS)
    found, cache = in_steps(model, ids(), keep)
    for last in range(N):
        kept = [place for part in keep.held(last, 1) for place in part]
        assert len(kept) == min(last + 1, W + SINKS)
        assert furthest(found[:, last], model(ids()[:, kept])[:, -1]) <= 1e-12
    assert cache.numbers == B * (W + SINKS) * K * (D + E)


@pytest.mark.parametrize("scheme", ["none", "rope", "rope, partial", "ALiBi", "relative"])
def test_in_every_layer_the_sinks_are_no_farther_than_the_cache_is_long(scheme):
    """The whole text at once, where the distance to a sink stops growing: layer by layer, with the
    places of each query's own cache."""
    model = decoder(positions=RELATIVE[scheme], mask=SinksWindow(SINKS, W))
    found, _ = in_steps(decoder(positions=RELATIVE[scheme]), ids(), KeepLast(W, SINKS))
    assert furthest(found, _naive(model, ids())) <= 1e-12


def _naive(model, text):
    """Each query by itself: all keys and values of the text, turned where its cache has them."""
    x = model.embed(text)
    keep = KeepLast(W, SINKS)
    for block in model.blocks:
        attention, rows = block.attention, []
        normed = block.attention_norm(x)
        k, v = attention.keys_values(normed)
        q = attention.w_q(normed).unflatten(-1, (attention.heads, -1)).transpose(1, 2)
        for last in range(text.shape[1]):
            kept = [place for part in keep.held(last, 1) for place in part]
            places = torch.arange(len(kept))[None]
            here = places[:, -1:]
            turned = model.positions.rotate(k[:, :, kept], places)
            asked = model.positions.rotate(q[:, :, last : last + 1], here)
            turned, values = (t.repeat_interleave(2, 1) for t in (turned, v[:, :, kept]))
            scores = asked @ turned.transpose(-1, -2) * attention.scale
            bias = model.positions.bias(here, places, x.dtype)
            weights = torch.softmax(scores if bias is None else scores + bias, -1)
            rows.append(weights @ values)
        z = torch.cat(rows, 2).transpose(1, 2).flatten(2)
        x = x + attention.w_o(z)
        x = x + block.feed_forward(block.feed_forward_norm(x))
    return model.final_norm(x)


@pytest.mark.parametrize("block", ["Pythia", "Llama", "T5"])
def test_until_it_is_full_a_rolling_cache_changes_nothing(block):
    model = decoder(**BLOCKS[block])
    found, cache = in_steps(model, ids(), KeepLast(N - 3, 3), [7, 1, 5])
    assert furthest(found, model(ids())) <= 1e-12
    assert cache.crop(8) and cache.length == 8
    assert furthest(model(ids()[:, 8:], cache=cache), found[:, 8:]) <= 1e-12


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 7), st.integers(0, 4), st.integers(1, 17), st.integers(0, 3))
def test_what_is_held_is_what_the_pattern_shows(window, sinks, length, more):
    keep = KeepLast(window, sinks)
    positions = keep.positions(length, more + 1).tolist()
    total = length + more + 1
    seen = keep.pattern.table(range(length, total), range(total)).any(2)[0, 0]
    assert positions == seen.nonzero().flatten().tolist()


def test_rows_that_were_dropped_do_not_come_back():
    model = decoder(positions=Rope())
    _, cache = in_steps(model, ids(), KeepLast(W, SINKS))
    before = cache.copy()
    assert not cache.crop(7)
    assert cache.length == N
    assert furthest(model(ids()[:, :1], cache=cache), model(ids()[:, :1], cache=before)) == 0


@pytest.mark.parametrize("scheme", EMBEDDING)
def test_positions_that_were_added_cannot_be_numbered_anew(scheme):
    with pytest.raises(ValueError, match="has added their positions to the embeddings"):
        in_steps(decoder(positions=EMBEDDING[scheme]), ids(), KeepLast(W, SINKS))


def test_an_encoder_decoder_keeps_its_source():
    model, source = both(positions=Rope()), ids(length=9)
    encoded = model.encoder(source)
    found, cache = in_steps(model.decoder, ids(), KeepLast(W), source=encoded)
    windowed = both(positions=Rope(), mask=Causal() & Window(W))
    assert furthest(found, windowed.decoder(ids(), source=encoded)) <= 1e-12
    assert cache.numbers == B * L * K * (D + E) * (W + 9)

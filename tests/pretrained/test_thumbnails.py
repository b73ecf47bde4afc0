"""Maps reduced while a run is under way equal the reduced full maps, in one tile or in many."""

import pytest
import torch

import attnlab as al
from attnlab.attention import TILE
from attnlab.errors import CaptureError
from tests.families import build, lab, text


def by_hand(maps, size):
    """The largest weight of each cell, cell by cell."""
    queries, keys = maps.shape[-2:]
    cell = -(-max(queries, keys) // size)
    return torch.stack(
        [
            torch.stack(
                [
                    maps[..., i : i + cell, j : j + cell].amax((-2, -1))
                    for j in range(0, keys, cell)
                ],
                -1,
            )
            for i in range(0, queries, cell)
        ],
        -2,
    )


@pytest.fixture(scope="module")
def long_llama():
    """Long texts: three tiles, the last one cut short."""
    return al.load(build("llama", max_position_embeddings=1024))


@pytest.mark.parametrize("length, size", [(617, 64), (617, 50), (613, 7), (TILE, 64), (13, 64)])
def test_of_long_causal_texts(long_llama, length, size):
    ids = text(length)
    full = long_llama.run(ids, logits=None)
    small = long_llama.run(ids, capture=al.Capture("weights", thumbnails=size), logits=None)
    assert torch.equal(small.weights.thumbnails, by_hand(full.weights.stack(), size))
    assert not small.values


@pytest.mark.parametrize("size", [64, 7])
def test_of_the_positions_that_are_kept(long_llama, size):
    ids = text(401)
    rows = [i for i in range(401) if i % 5 and not 130 < i < 260]
    columns = [j for j in range(401) if j % 3 or j > 300]
    full = long_llama.run(ids, logits=None).weights.stack()
    capture = al.Capture("weights", thumbnails=size, queries=rows, keys=columns)
    small = long_llama.run(ids, capture=capture, logits=None).weights
    kept = full[:, :, rows][..., columns]
    assert torch.equal(small.thumbnails, by_hand(kept, size))
    assert torch.equal(small.on_first, kept[..., 0])


def test_of_windows_and_of_one_layer():
    windowed = al.load(build("mistral", max_position_embeddings=1024, sliding_window=37))
    ids = text(601)
    full = windowed.run(ids, logits=None)
    capture = [
        al.Capture("weights", layers=1, thumbnails=33),
        al.Capture("weights", layers=2, heads=4),
    ]
    small = windowed.run(ids, capture=capture, logits=None)
    assert not full.weights[1].tril(-37).any()
    assert torch.equal(small.weights.thumbnails, by_hand(full.weights[1], 33)[None])
    assert torch.equal(small.weights[2, 4], full.weights[2, 4])


def test_of_every_role_of_an_encoder_decoder():
    source, target = text(307, seed=1), text(600, seed=2)
    full = lab("t5").run(source, target=target, logits=None)
    capture = al.Capture("weights", thumbnails=64)
    small = lab("t5").run(source, target=target, capture=capture, logits=None)
    for role in ("encoder", "decoder", "cross"):
        right = by_hand(full.role(role).weights.stack(), 64)
        assert torch.equal(small.role(role).weights.thumbnails, right)


def test_of_several_texts_are_those_of_each_alone():
    texts = [text(41, seed=1), text(64, seed=2), text(3, seed=3)]
    capture = al.Capture("weights", thumbnails=16)
    for trace, ids in zip(lab("gpt2").run_many(texts, capture=capture), texts, strict=True):
        alone = lab("gpt2").run(ids)
        assert len(trace.tokens) == len(ids)
        right = by_hand(alone.weights.stack(), 16)
        assert torch.allclose(trace.weights.thumbnails, right, atol=1e-6)
        first = alone.weights.stack()[..., 0]
        assert torch.allclose(trace.weights.on_first, first, atol=1e-6)


def test_a_generation_keeps_whole_maps():
    with pytest.raises(CaptureError, match="queries= are for run"):
        lab("gpt2").generate(text(5), capture=al.Capture("weights", thumbnails=8))


@pytest.mark.parametrize("name", ["bert", "bloom", "gpt_oss", "gemma3"])
def test_in_every_tier(name):
    ids = text(61, seed=4)
    full = lab(name).run(ids, edits=al.Temperature(0.5)).weights.stack()
    capture = al.Capture("weights", thumbnails=9)
    small = lab(name).run(ids, edits=al.Temperature(0.5), capture=capture).weights
    assert torch.equal(small.thumbnails, by_hand(full, 9))
    assert torch.equal(small.on_first, full[..., 0])

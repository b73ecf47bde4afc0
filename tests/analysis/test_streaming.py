"""Losses read piece by piece beside a cache are those of the whole text, or of what is kept."""

import pytest
import torch

import attnlab as al
from attnlab.analysis import streaming
from attnlab.errors import Cancelled, InputError
from tests.families import lab, text

IDS = text(23, seed=4)
WINDOW, ROLLING = al.KeepLast(6), al.KeepLast(4, sinks=2)


def ours():
    return al.rebuild(lab("llama"))


@pytest.mark.parametrize("chunk", [1, 4, 50])
@pytest.mark.parametrize("name", ["llama", "gpt2", "mamba", "jamba", "lfm2", "minimax"])
def test_a_full_cache_gives_the_losses_of_the_text(name, chunk):
    right = lab(name).run(IDS, capture=(), logits="loss").losses
    found = streaming.read(lab(name), IDS, chunk=chunk)
    assert torch.allclose(found, right, atol=1e-4)


@pytest.mark.parametrize("chunk", [1, 5])
def test_a_window_gives_the_losses_of_its_mask(chunk):
    masked = [al.Mask("window", window=6)]
    right = lab("llama").run(IDS, capture=(), logits="loss", edits=masked).losses
    for runner in (lab("llama"), ours()):
        found = streaming.read(runner, IDS, cache=WINDOW, chunk=chunk)
        assert torch.allclose(found, right, atol=1e-4)


def test_a_rolling_cache_gives_the_same_in_both():
    found, right = (streaming.read(r, IDS, cache=ROLLING) for r in (lab("llama"), ours()))
    assert torch.allclose(found, right, atol=1e-4)
    # In a chunk sinks are farther away, once the cache is full: not before.
    chunked = streaming.read(ours(), IDS, cache=ROLLING, chunk=3)
    assert torch.allclose(chunked[:6], right[:6], atol=1e-5)
    assert not torch.allclose(chunked[6:], right[6:], atol=1e-2)


def test_renumbered_tokens_may_be_more_than_the_model_was_made_for():
    long = text(90, seed=6)
    assert len(streaming.read(ours(), long, cache=ROLLING, chunk=9)) == 89
    with pytest.raises(InputError, match="This is 90 tokens; LlamaForCausalLM takes at most 64"):
        streaming.read(ours(), long, cache=WINDOW)


def test_it_says_how_far_it_is_and_stops():
    seen, parts, cancel = [], [], al.Cancel()

    def partly(losses):
        parts.append(losses)
        if len(parts) == 3:
            cancel.set()

    with pytest.raises(Cancelled):
        streaming.read(
            lab("llama"), IDS, chunk=4, progress=seen.append, partly=partly, cancel=cancel
        )
    assert seen == [4 / 22, 8 / 22, 12 / 22]
    assert [len(losses) for losses in parts] == [4, 8, 12]


def test_edits_stay_on():
    edits = [al.ZeroHead(0, 1)]
    found = streaming.read(lab("llama"), IDS, cache=al.KeepLast(30), chunk=7, edits=edits)
    right = lab("llama").run(IDS, capture=(), logits="loss", edits=edits).losses
    assert torch.allclose(found, right, atol=1e-4)


def test_what_cannot_be_read_is_said():
    with pytest.raises(InputError, match="does not write from left to right"):
        streaming.read(lab("bert"), IDS)
    with pytest.raises(InputError, match="one token has no loss"):
        streaming.read(lab("llama"), IDS[:1])
    with pytest.raises(InputError, match="chunk is at least 1"):
        streaming.read(lab("llama"), IDS, chunk=0)


def test_a_curve_is_smoothed_over_what_came_before():
    losses = torch.tensor([1.0, 3.0, 5.0, 9.0])
    assert streaming.smoothed(losses, 3).tolist() == [1, 2, 3, pytest.approx(17 / 3)]
    assert streaming.smoothed(losses, 9).tolist() == [1, 2, 3, 4.5]
    assert streaming.smoothed(losses, 1).tolist() == losses.tolist()


def test_a_mean_over_nothing_is_refused():
    with pytest.raises(InputError, match="over is at least 1, not 0"):
        streaming.smoothed(torch.ones(3), 0)

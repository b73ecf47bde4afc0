"""Caches that drop tokens, in pretrained models: as the mask of a window, and, with sinks, as our
own transformer has them."""

import pytest
import torch

import attnlab as al
from attnlab.errors import EditRefused, InputError
from tests.families import lab, text

PROMPT, STEPS = text(11, seed=1), 5
WINDOW, ROLLING = al.KeepLast(5), al.KeepLast(4, sinks=2)
TURNS = ["llama", "gpt_neox", "qwen2"]  # halves, part of a head, grouped


def generate(runner, keep, **options):
    return runner.generate(PROMPT, max_new_tokens=STEPS, cache=keep, **options)


def same(found, right, stages=("weights",)):
    assert found.tokens == right.tokens
    assert torch.allclose(found.logits, right.logits, atol=1e-4)
    for stage in stages:
        one, other = (getattr(trace, stage).stack() for trace in (found, right))
        assert torch.allclose(one, other, atol=1e-5), stage


@pytest.mark.parametrize("name", ["llama", "gpt2", "gptj", "opt"])
def test_a_sliding_cache_is_the_mask_of_a_window(name):
    window = al.Mask("window", window=5)
    right = lab(name).generate(PROMPT, max_new_tokens=STEPS, edits=[window])
    same(generate(lab(name), WINDOW), right)


@pytest.mark.parametrize("keep", [WINDOW, ROLLING])
@pytest.mark.parametrize("name", TURNS)
def test_ours_and_theirs_agree(name, keep):
    ours = al.rebuild(lab(name))
    same(generate(lab(name), keep), generate(ours, keep))


@pytest.mark.parametrize("name", ["gptj", "codegen", "cohere"])
def test_neighbouring_coordinates_are_found_to_be_the_pairs(name):
    """Where no model of ours has the weights: turned on, a key is the key further on."""
    turning = lab(name).turning
    assert turning.layout.endswith("neighbours")


def test_columns_stand_where_the_text_has_them():
    trace = generate(al.rebuild(lab("llama")), ROLLING)
    weights = trace.weights[1, 2]
    assert weights.shape == (len(PROMPT) + STEPS - 1,) * 2
    assert torch.allclose(weights.sum(-1), torch.ones(len(weights)), atol=1e-5)
    seen = ROLLING.pattern.table(range(len(weights)), range(len(weights)))[0, 0]
    assert torch.equal(weights > 0, seen)


def test_with_sinks_a_text_outgrows_the_model():
    """Numbered anew, no token stands beyond the last place that the model knows."""
    prompt, theirs, ours = text(60, seed=3), lab("llama"), al.rebuild(lab("llama"))
    found, right = (
        runner.generate(prompt, max_new_tokens=11, cache=ROLLING) for runner in (theirs, ours)
    )
    assert len(found.tokens) == 71 > theirs.longest
    same(found, right)
    assert theirs.steps(prompt, cache=ROLLING).most == 200
    for keep in (WINDOW, al.KeepLast(64, sinks=1)):
        with pytest.raises(InputError, match="71 tokens would be needed"):
            theirs.generate(prompt, max_new_tokens=11, cache=keep)


@pytest.mark.parametrize("ours", [False, True])
def test_steps_count_what_is_held(ours):
    runner = al.rebuild(lab("llama")) if ours else lab("llama")
    going = runner.steps(PROMPT, max_new_tokens=STEPS, cache=ROLLING)
    right = generate(runner, ROLLING)
    list(going.play(3))
    assert {one.positions for one in going.held()} == {ROLLING.capacity}
    going.undo(2)
    list(going.play(STEPS))
    same(going.trace(), right)


def test_what_outgrows_the_cache_is_read_with_one_progress():
    shares = []
    lab("llama").steps(PROMPT, cache=WINDOW).look(progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert sum(share < 1 for share in shares) > len(PROMPT) - WINDOW.capacity


def test_an_edited_head_stays_edited():
    edits = [al.ZeroHead(1, 2), al.Temperature(2.0, layers=0)]
    found = generate(lab("llama"), ROLLING, edits=edits, capture=("weights", "z"))
    right = generate(al.rebuild(lab("llama")), ROLLING, edits=edits, capture=("weights", "z"))
    same(found, right, ("weights", "z"))
    assert not found.z[1, 2].any()


@pytest.mark.parametrize(
    ("name", "keep", "said"),
    [
        ("gpt2", ROLLING, "adds a vector for each position to its embeddings"),
        ("bloom", ROLLING, "so its tokens cannot be numbered anew"),
        ("gemma3", WINDOW, "does not run right with a cache that drops tokens"),
        ("jamba", WINDOW, "does not run right with a cache that drops tokens"),
        ("llama_dynamic", WINDOW, "turns its tokens by the length of the text"),
        ("phi3_longrope", ROLLING, "turns its tokens by the length of the text"),
        ("llama", "sliding", "cache= is an al.KeepLast"),
    ],
)
def test_what_a_model_cannot_do_is_said(name, keep, said):
    with pytest.raises(InputError, match=said):
        generate(lab(name), keep)


def test_edits_that_name_keys_are_refused():
    with pytest.raises(EditRefused, match="names keys by their place in the text"):
        generate(lab("llama"), WINDOW, edits=[al.Mask("window", window=3)])
    with pytest.raises(InputError, match="use_cache=False has none"):
        generate(lab("llama"), WINDOW, use_cache=False)

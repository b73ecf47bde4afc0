"""Masks beside a key/value cache, and in models of which only the softmax is seen."""

import pytest
import torch

import attnlab as al
from attnlab.errors import EditRefused
from tests.families import build, lab, text
from tests.pretrained.masking import IDS, SHORT, WINDOW, N, off, target

CACHED = ["llama", "mistral", "gemma3", "gpt_oss", "bart", "t5", "t5gemma", "deepseek_v3", "bloom"]


def _prompt_table(n):
    random = torch.rand(n, n, generator=torch.Generator().manual_seed(1)) > 0.4
    return al.Mask.painted(random | torch.eye(n).bool())


@pytest.mark.parametrize("name", CACHED)
def test_a_cache_changes_nothing_under_a_mask(name):
    prompt, start = (SHORT, text(3, seed=2))
    n = len(start) + 1 if target(name) else len(prompt)
    masks = [
        WINDOW,
        al.Mask("strided", window=3),
        al.Mask("document", documents=[0] * 2 + [1] * (n - 2)),
    ]
    if lab(name).tier == "dispatch":
        masks += [
            al.Mask("window", window=6, native=False),
            al.Mask("prefix", prefix=3),
            _prompt_table(n),
        ]
    for mask in masks:
        options = {"max_new_tokens": 5, "edits": [mask], **target(name, start)}
        found, right = (
            lab(name).generate(prompt, use_cache=cache, **options) for cache in (True, False)
        )
        assert found.tokens == right.tokens
        assert off(found.logits, right.logits) <= 1e-4
        weights = [t.role("decoder").weights.stack() for t in (found, right)]
        assert off(*weights) <= 1e-5, mask


def test_a_lifted_window_looks_back_over_the_whole_cache():
    trace = lab("mistral").generate(
        SHORT, max_new_tokens=6, edits=[al.Mask("causal", native=False)]
    )
    right = torch.ones(11, 11).bool().tril()
    assert torch.equal(trace.weights[0] > 0, right.expand_as(trace.weights[0]))


@pytest.mark.parametrize(
    "mask",
    [
        al.Mask("bidirectional"),
        al.Mask("prefix", prefix=8),
        al.Mask("causal", shown=((2, 7),)),
        al.Mask("global", window=2, globals=(0,), native=False),
    ],
    ids=str,
)
def test_what_shows_the_future_wants_no_cache(mask):
    with pytest.raises(EditRefused, match="a key/value cache keeps as they were: pass use_cache"):
        lab("llama").generate(SHORT, max_new_tokens=5, edits=[mask])
    trace = lab("llama").generate(SHORT, max_new_tokens=5, edits=[mask], use_cache=False)
    assert len(trace.tokens) == len(SHORT) + 5
    one = lab("llama").generate(SHORT, max_new_tokens=1, edits=[al.Mask("bidirectional")])
    assert len(one.tokens) == len(SHORT) + 1


@pytest.mark.parametrize("name", ["bloom", "gpt_neo", "xglm", "falcon_alibi", "deberta"])
def test_where_only_the_softmax_is_seen_keys_can_be_hidden(name):
    tapped = lab(name)
    plain = tapped.run(IDS, capture=("masked", "weights"))
    mask = al.Mask("causal", hidden=[(5, 2), *((3, k) for k in range(N))])
    found = tapped.run(IDS, edits=[mask], capture=("masked", "weights"))
    for layer in tapped.layers():
        seen = plain.masked[layer].isfinite() & mask.visible(N)
        assert torch.equal(found.masked[layer].isfinite(), seen)
        right = torch.softmax(found.masked[layer], -1).nan_to_num(0)
        assert off(found.weights[layer], right) <= 1e-6
    first = tapped.layers()[0]
    scores = plain.masked[first].masked_fill(~mask.visible(N), -torch.inf)
    assert torch.equal(found.masked[first], scores)
    assert found.logits.isfinite().all()


def test_a_tapped_window_is_a_native_one():
    """GPT-Neo's local layers, and its global ones with a window."""
    options = {"window_size": 4, "num_layers": 4}
    native = al.load(build("gpt_neo", attention_types=[[["local"], 4]], **options))
    free = al.load(build("gpt_neo", attention_types=[[["global"], 4]], **options))
    found = free.run(IDS, edits=[al.Mask("window", window=4)])
    assert off(found.logits, native.run(IDS).logits) <= 1e-6
    assert off(free.run(IDS).logits, found.logits) > 1e-3


@pytest.mark.parametrize(
    "mask",
    [
        al.Mask("bidirectional"),
        al.Mask("prefix", prefix=2),
        al.Mask("causal", shown=((2, 5),)),
        al.Mask("document", documents=[0] * N, native=False),
    ],
    ids=str,
)
def test_where_only_the_softmax_is_seen_nothing_can_be_shown(mask):
    for run in (lab("bloom").run, lab("bloom").generate):
        with pytest.raises(EditRefused, match="keys can be hidden and not shown"):
            run(IDS, edits=[mask])
    inputs = {"input_ids": torch.tensor([IDS]), "attention_mask": torch.ones(1, N).long()}
    with pytest.raises(EditRefused, match="keys can be hidden and not shown"):
        lab("bloom").run(inputs, edits=[mask])

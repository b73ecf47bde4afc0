"""Masks in pretrained models: a window is a native window, and each pattern is what its definition
says, for every role."""

import functools

import numpy as np
import pytest
import torch

import attnlab as al
from attnlab.attention.masks import Window
from attnlab.errors import EditError, EditRefused
from tests.attention.reference import attention
from tests.families import build, lab, text
from tests.pretrained.masking import IDS, SHORT, WINDOW, N, off
from tests.trace.test_mask_edits import DRAWN, drawn

# A window of ours and one of theirs.


@pytest.mark.parametrize("name", ["mistral", "starcoder2", "cohere2", "olmo3", "ministral"])
def test_a_window_is_a_native_window(name):
    """The same weights with and without ``sliding_window``; where layers alternate, only there."""
    native = lab(name)
    free = al.load(build(name, sliding_window=64))
    right = native.run(IDS, capture="weights")
    windowed = [k for k in native.layers() if not right.weights[k].tril(-4).any()]
    assert windowed
    mask = al.Mask("window", window=4, layers=windowed)
    found = free.run(IDS, edits=[mask], capture="weights")
    assert off(found.logits, right.logits) <= 1e-6
    assert off(found.weights.stack(), right.weights.stack()) <= 1e-6
    assert off(free.run(IDS).logits, right.logits) > 1e-3


def test_a_window_over_a_long_text_is_a_native_one_and_skips_what_it_hides():
    options = {"max_position_embeddings": 512}
    native, free = (al.load(build("mistral", sliding_window=w, **options)) for w in (40, None))
    ids = text(301)
    found = free.run(ids, edits=[al.Mask("window", window=40)], capture="weights")
    right = native.run(ids, capture="weights")
    assert torch.equal(found.logits, right.logits)
    assert torch.equal(found.weights.stack(), right.weights.stack())


@pytest.mark.parametrize("name", ["gemma3", "mistral"])
def test_a_native_window_stays_or_is_lifted(name):
    native = lab(name)
    plain = native.run(IDS, capture="weights").weights
    near = torch.ones(N, N).bool().triu(-3)
    for mask, past, future in (
        (al.Mask("causal"), near, False),
        (al.Mask("causal", native=False), torch.ones_like(near), False),
        (al.Mask("bidirectional"), near & near.T, True),
        (al.Mask("bidirectional", native=False), torch.ones_like(near), True),
        (al.Mask("global", window=2, globals=(0,), native=False), None, True),
    ):
        weights = native.run(IDS, edits=[mask], capture="weights").weights
        for layer in native.layers():
            slides = not plain[layer].tril(-4).any()
            right = mask.visible(N) if past is None else past if slides else torch.ones_like(near)
            right = right if future else right.tril()
            assert torch.equal(weights[layer] > 0, right.expand_as(weights[layer])), (mask, layer)


def test_lifting_the_windows_gives_the_model_without_them():
    free = al.load(build("mistral", sliding_window=None))
    lifted = lab("mistral").run(IDS, edits=[al.Mask("causal", native=False)])
    assert torch.equal(lifted.logits, free.run(IDS).logits)
    assert torch.equal(lab("gpt2").run(IDS, edits=[al.Mask("causal")]).logits,
                       lab("gpt2").run(IDS).logits)  # fmt: skip


# Each pattern and its definition.


@pytest.mark.parametrize("pattern", DRAWN)
@pytest.mark.parametrize("tier", ["dispatch", "ours"])
def test_each_pattern_is_attention_by_its_definition(pattern, tier):
    runner = lab("llama") if tier == "dispatch" else _ours()
    mask = DRAWN[pattern][0]
    trace = runner.run(IDS, edits=[mask], capture=("q", "k", "v", "weights", "z"))
    for site in runner.sites:
        q, k, v = (getattr(trace, stage)[site.layer][None].numpy() for stage in ("q", "k", "v"))
        weights, z = attention(q, k, v, drawn(pattern).numpy(), scale=site.scale)
        assert np.abs(trace.weights[site.layer].numpy() - weights[0]).max() <= 1e-6
        assert np.abs(trace.z[site.layer].numpy() - z[0]).max() <= 2e-6
        assert (trace.weights[site.layer].numpy()[:, ~drawn(pattern).numpy()] == 0).all()


@functools.cache
def _ours():
    """Our transformer in float64."""
    return al.rebuild(al.load(build("llama").double()))


def test_a_row_that_sees_nothing_hands_on_nothing():
    mask = al.Mask("causal", hidden=[(3, k) for k in range(4)])
    trace = lab("llama").run(IDS, edits=[mask], capture=("weights", "z"))
    assert not trace.weights[1][:, 3].any() and not trace.z[1][:, 3].any()
    assert trace.logits.isfinite().all()


def test_heads_and_layers_narrow_it():
    plain = lab("llama").run(IDS, capture=("weights", "scaled"))
    mask = al.Mask("bidirectional", layers=1, heads=(0, 4))
    trace = lab("llama").run(IDS, edits=[mask], capture="weights")
    assert torch.equal(trace.weights[0], plain.weights[0])
    seen = [bool(trace.weights[1, head].triu(1).any()) for head in range(6)]
    assert seen == [True, False, False, False, True, False]
    others = [1, 2, 3, 5]
    assert torch.equal(trace.weights[1][others], plain.weights[1][others])


def test_it_goes_with_other_edits_in_order():
    edits = (WINDOW, al.ZeroHead(1, 2), al.Temperature(2.0), al.Mask("causal", hidden=((5, 4),)))
    trace = lab("llama").run(IDS, edits=edits, capture=("weights", "masked", "z"))
    right = WINDOW.visible(N)
    right[5, 4] = False
    for layer in lab("llama").layers():
        assert torch.equal(trace.weights[layer] > 0, right.expand_as(trace.weights[layer]))
        again = torch.softmax(trace.masked[layer], -1)
        assert off(trace.weights[layer], again) <= 1e-6
    assert not trace.z[1, 2].any()
    both = (al.Mask("bidirectional"), WINDOW)
    assert torch.equal(
        lab("llama").run(IDS, edits=both).logits, lab("llama").run(IDS, edits=[WINDOW]).logits
    )


def seen(*masks, ids=IDS):
    return lab("llama").run(ids, edits=masks).weights[1, 0] > 0


def without(table, *cells):
    for query, key in cells:
        table[query, key] = False
    return table


def test_what_a_mask_hides_no_later_one_shows():
    every = torch.ones(N, N).bool()
    empty = every.clone()
    empty[:, 0] = False
    both = al.Mask("bidirectional")
    for masks, right in (
        ((al.Mask("bidirectional", hidden=((5, 2),)), both), without(every.clone(), (5, 2))),
        ((al.Mask("bidirectional", hidden=((2, 5),)), both), without(every.clone(), (2, 5))),
        (
            (al.Mask("bidirectional", hidden=((3, 1),)), al.Mask("prefix", prefix=4)),
            without(al.Mask("prefix", prefix=4).visible(N), (3, 1)),
        ),
        (
            (al.Mask.painted(empty), al.Mask("causal", shown=((3, 5),))),
            al.Mask("causal", shown=((3, 5),)).visible(N) & empty,
        ),
        ((al.Mask("prefix", prefix=3), both), al.Mask("prefix", prefix=3).visible(N)),
        ((al.Mask("causal"), both), every),  # nobody has said of a later token that it is hidden
        ((WINDOW, both), WINDOW.visible(N) | WINDOW.visible(N).T),
    ):
        assert torch.equal(seen(*masks), right), masks


def test_a_mask_of_one_head_opens_the_future_of_no_other():
    masks = (al.Mask("bidirectional", hidden=((5, 2),), heads=0), al.Mask("bidirectional"))
    weights = lab("llama").run(IDS, edits=masks).weights[1]
    assert not weights[0, 5, 2] and bool((weights[1:] > 0).all())


# What each role takes.


def test_cross_attention_takes_a_table_and_cells():
    table = torch.rand(4, N, generator=torch.Generator().manual_seed(4)) < 0.5
    options = {"target": text(3), "capture": "weights"}
    painted = lab("t5").run(IDS, edits=[al.Mask.painted(table, role="cross")], **options)
    weights = painted.role("cross").weights
    for layer in lab("t5").layers("cross"):
        assert torch.equal(weights[layer] > 0, table.expand_as(weights[layer]))
    cell = al.Mask("bidirectional", hidden=((2, 5),), role="cross")
    weights = lab("t5").run(IDS, edits=[cell], **options).role("cross").weights[0]
    assert weights[:, 2, 5].eq(0).all() and weights.gt(0).sum() == 6 * (4 * N - 1)
    with pytest.raises(EditRefused, match="cross-attention looks from one text into another"):
        lab("t5").run(IDS, edits=[al.Mask("window", window=3, role="cross")], target=SHORT)


def test_an_encoder_takes_patterns_as_they_are_drawn():
    weights = lab("bert").run(IDS, edits=[WINDOW]).weights[0]
    assert torch.equal(weights > 0, WINDOW.visible(N).expand_as(weights))
    near = al.Mask("global", window=2, globals=(4,))
    there = al.edit_from_json(near.to_json() | {"role": "encoder"})
    trace = lab("t5").run(IDS, target=SHORT, edits=[there])
    weights = trace.role("encoder").weights[1]
    assert torch.equal(weights > 0, near.visible(N, causal=False).expand_as(weights))


@pytest.mark.parametrize(
    ("name", "mask", "named"),
    [
        ("llama", al.Mask.painted(torch.ones(4, 5)), "for 4 queries and 5 keys; the decoder has 9"),
        ("llama", al.Mask("document", documents=(0, 0, 1)), "documents of 3 tokens; the decoder"),
        ("llama", al.Mask("causal", hidden=((2, 9),)), "no cell \\(2, 9\\); the decoder has 9"),
        ("llama", al.Mask("global", window=2, globals=(1, 9)), "no token 9 to be global"),
        ("llama", al.Mask("causal", layers=7), "names layer 7"),
        ("llama", al.Mask("causal", heads=6), "names head 6"),
        ("llama", al.Mask("causal", role="encoder"), "names the role 'encoder'"),
        ("mamba", al.Mask("causal"), "names the role 'decoder'"),
    ],
)
def test_what_does_not_fit_is_refused(name, mask, named):
    with pytest.raises(EditError, match=named):
        lab(name).run(IDS, edits=[mask])


def test_the_pattern_is_asked_once_a_forward(monkeypatch):
    asked = []
    plain = Window.__call__

    def counted(self, q, k):
        asked.append(self)
        return plain(self, q, k)

    monkeypatch.setattr(Window, "__call__", counted)
    mask = al.Mask("window", window=3)
    asked.clear()
    lab("llama").run(IDS, edits=[mask])
    assert len(asked) == 1

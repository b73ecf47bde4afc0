"""Masks in pretrained models: a window is a native window, each pattern is what its definition
says, padding stays hidden, and a key/value cache changes nothing."""

import functools

import numpy as np
import pytest
import torch

import attnlab as al
from attnlab.attention.masks import Window
from attnlab.errors import EditError, EditRefused
from tests.attention.reference import attention
from tests.families import FAMILIES, build, lab, names, text
from tests.pretrained.test_families import OTHERWISE
from tests.trace.test_mask_edits import DRAWN, drawn

IDS, SHORT = text(9, seed=2), text(6, seed=5)
N = len(IDS)
WINDOW = al.Mask("window", window=3, sinks=1)
READS_NEIGHBOURS = "mobilebert"
"""It reads the embeddings of each token's neighbours too, padding among them, with no attention."""
TEXTS = [
    n for n in names("causal", "masked", "seq2seq") if n not in OTHERWISE and n != READS_NEIGHBOURS
]


def off(a, b):
    return float((a - b).abs().max())


def target(name, ids=SHORT):
    return {"target": ids} if FAMILIES[name].task == "seq2seq" else {}


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


# Batches.


@pytest.mark.parametrize("name", TEXTS)
def test_padding_stays_hidden_in_every_family(name):
    """A text and a shorter one, padded to its length, beside batches in which nothing is padded."""
    writes = FAMILIES[name].task == "seq2seq"
    sizes, goals = (N, len(SHORT)), [text(3), text(5)]
    if writes:
        sizes = (4, 6)
    role = lab(name).main_role
    masks = [
        (al.Mask("bidirectional", native=False), WINDOW, al.Mask.painted(_table(n))) for n in sizes
    ]

    def run(rows):
        given = {"targets": [goals[row] for row, _ in rows]} if writes else {}
        texts = [(IDS, SHORT)[row] for row, _ in rows]
        each = [(masks[row][which],) for row, which in rows]
        return lab(name).run_many(texts, each=each, capture="weights", **given)

    alike = [[(row, which) for which in range(3)] for row in range(2)]
    padded = run(alike[0] + alike[1])
    for found, right in zip(padded, run(alike[0]) + run(alike[1]), strict=True):
        assert off(found.logits, right.logits) <= 2e-5 * max(1, right.logits.abs().max())
        weights = (trace.role(role).weights.stack() for trace in (found, right))
        assert off(*weights) <= 1e-5


def _table(n):
    """Some of the past, and a little of the future."""
    return torch.ones(n, n).tril().triu(-2) + torch.eye(n).roll(2, 1)


def test_each_text_of_a_batch_has_a_mask_of_its_own():
    masks = [(), (WINDOW,), (al.Mask("bidirectional", heads=3),), (al.Mask("prefix", prefix=5),)]
    found = lab("llama").run_many([IDS] * 4, each=masks)
    for trace, edits in zip(found, masks, strict=True):
        assert off(trace.logits, lab("llama").run(IDS, edits=edits).logits) <= 1e-5


@pytest.mark.parametrize("name", ["llama", "bert", "t5"])
def test_a_mask_of_some_heads_beside_one_that_is_the_same_for_all(name):
    """Whichever comes first: the table of a batch has heads of its own, or has none yet."""
    some, alone = al.Mask("causal", heads=0), al.Mask("window", window=2, native=False)
    for each in ([[some], [alone]], [[alone], [some]], [[], [some]], [[alone], []]):
        goals = {"targets": [SHORT, SHORT]} if name == "t5" else {}
        found = lab(name).run_many([SHORT, IDS], each=each, **goals)
        for trace, ids, edits in zip(found, (SHORT, IDS), each, strict=True):
            right = lab(name).run(ids, edits=edits, **target(name)).logits
            assert off(trace.logits, right) <= 1e-5


@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
def test_padding_of_ones_own_is_found(left):
    pad = [0] * (N - len(SHORT))
    rows = torch.tensor([IDS, pad + SHORT if left else SHORT + pad])
    real = torch.ones_like(rows)
    real[1, slice(0, len(pad)) if left else slice(len(SHORT), None)] = 0
    inputs = {"input_ids": rows, "attention_mask": real}
    for native in (True, False):
        mask = al.Mask("bidirectional", native=native)
        weights = lab("llama").run_many(inputs, edits=[mask])[1].weights[1]
        assert not weights[:, :, real[1] == 0].any()
        assert bool((weights[:, real[1] == 1][:, :, real[1] == 1] > 0).all())


@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
@pytest.mark.parametrize("name", ["llama", "bert"])
def test_positions_count_from_the_first_real_token(name, left):
    n, pad = len(SHORT), [0] * 3
    ids = torch.tensor([pad + SHORT if left else SHORT + pad])
    own = slice(3, None) if left else slice(0, n)
    real = torch.zeros_like(ids)
    real[0, own] = 1
    options = {"position_ids": (real.cumsum(1) - 1).clamp(min=0)} if name == "bert" else {}
    inputs = {"input_ids": ids, "attention_mask": real} | options
    for mask in (
        al.Mask("window", window=2, sinks=1),
        al.Mask("prefix", prefix=3),
        al.Mask("document", documents=[0, 0, 1, 1, 1, 2]),
        al.Mask.painted(_table(n)),
        al.Mask("global", window=1, globals=(2,), native=False),
        al.Mask("causal", hidden=((4, 1),)),
    ):
        padded = lab(name).run_many(inputs, edits=[mask])[0].weights.stack()[:, :, own, own]
        assert off(padded, lab(name).run(SHORT, edits=[mask]).weights.stack()) <= 1e-5, mask


@pytest.mark.parametrize("name", ["llama", "bert"])
def test_what_an_earlier_mask_hides_is_no_padding(name):
    """Of one's own inputs padding is told by the model's own mask, not by an edit's."""
    table = torch.ones(N, N).bool()
    table[:, 0] = False
    inputs = {"input_ids": torch.tensor([IDS]), "attention_mask": torch.ones(1, N).long()}
    for later in (al.Mask("document", documents=[0] * 3 + [1] * (N - 3)), WINDOW):
        edits = (al.Mask.painted(table), later)
        found = lab(name).run(inputs, edits=edits).weights.stack()
        assert off(found, lab(name).run(IDS, edits=edits).weights.stack()) <= 1e-6


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

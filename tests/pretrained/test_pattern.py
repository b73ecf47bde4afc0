"""A head's weights replaced: what it hands on is then these weights times its values."""

import numpy as np
import pytest
import torch

import attnlab as al
from attnlab.errors import EditError, EditRefused
from tests.families import FAMILIES, build, lab, model, text
from tests.pretrained import by_hand
from tests.pretrained.other_texts import PROJECTION

IDS, GOAL = text(13, seed=2), text(7, seed=4)
N = len(IDS)
LOWER = torch.ones(N, N).tril()
DRAWN = {
    "uniform": LOWER / LOWER.sum(-1, keepdim=True),
    "first": torch.nn.functional.one_hot(torch.zeros(N).long(), N).float(),
    "previous": torch.nn.functional.one_hot(torch.arange(-1, N - 1).clamp(0), N).float(),
    "self": torch.eye(N),
}
TYPED = torch.rand(N, N, generator=torch.Generator().manual_seed(3)).tril()
"""Rows that sum to anything."""


def run(name, *edits, **options):
    target = {"target": GOAL} if FAMILIES[name].task == "seq2seq" else {}
    return lab(name).run(IDS, **target, edits=edits, **options)


@pytest.mark.parametrize("pattern", [*DRAWN, "rows"])
@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_it_equals_weights_times_values_by_hand(name, pattern):
    weights = TYPED if pattern == "rows" else DRAWN[pattern]
    values = run(name, capture="v").v[1]
    z = weights @ values[4 * len(values) // 6]
    with by_hand.on_head(model(name), PROJECTION[name], 4, 6, lambda _: z):
        right = by_hand.outputs(model(name), {"input_ids": torch.tensor([IDS])})
    found = run(name, al.Pattern(1, 4, TYPED if pattern == "rows" else pattern))
    assert torch.equal(found.weights[1, 4], weights.float())
    assert (found.logits - right).abs().max() <= 1e-5


@pytest.mark.parametrize("name", [*PROJECTION, "t5", "gpt_oss"])
def test_pasted_as_it_was_changes_nothing_and_rows_narrow_it(name):
    plain = run(name)
    mine = plain.weights[1, 3]
    assert torch.equal(run(name, al.Pattern(1, 3, mine), capture=()).logits, plain.logits)
    turned = mine * 0.5
    found = run(name, al.Pattern(1, 3, turned, positions=(2, -1))).weights[1]
    last = len(mine) - 1
    wanted = mine.clone()
    wanted[[2, last]] *= 0.5
    assert torch.equal(found[3], wanted)
    assert torch.equal(found[[0, 1, 2, 4, 5]], plain.weights[1][[0, 1, 2, 4, 5]])


@pytest.mark.parametrize("name", ["bert", "t5", "gemma2", "gpt_oss", "gpt_neo"])
def test_uniform_is_uniform_over_what_may_be_seen(name):
    """Windows, padding, encoders, cross-attention, sinks, and models read at their softmax."""
    for role in {site.role for site in lab(name).sites}:
        for layer in lab(name).layers(role):
            plain = run(name).role(role).weights[layer, 3]
            found = run(name, al.Pattern(layer, 3, role=role)).role(role).weights[layer, 3]
            seen = plain > 0
            assert torch.equal(found, seen / seen.sum(-1, keepdim=True))


def test_in_a_padded_batch_nothing_falls_on_padding():
    texts = [IDS, text(6, seed=3), text(1, seed=5)]
    for name in ("bert", "llama", "gpt_neo"):
        for pattern in ("uniform", "previous", "self", "first"):
            layer = 0 if name == "gpt_neo" else 1
            edit = al.Pattern(layer, 3, pattern)
            together = lab(name).run_many(texts, edits=[edit])
            for ids, trace in zip(texts, together, strict=True):
                alone = lab(name).run(ids, edits=[edit])
                assert torch.equal(trace.weights[layer, 3], alone.weights[layer, 3])
                assert torch.allclose(trace.logits, alone.logits, atol=1e-5)


def test_another_mask_first_is_what_it_keeps_to():
    window = al.Mask("window", window=3)
    found = run("llama", window, al.Pattern(1, 3)).weights[1, 3]
    seen = LOWER.triu(-2)
    assert torch.equal(found, seen / seen.sum(-1, keepdim=True))
    both = run("llama", al.Mask("bidirectional"), al.Pattern(1, 3)).weights[1, 3]
    assert torch.equal(both, torch.full((N, N), 1 / N))
    with pytest.raises(EditError, match=r"'first'.* weight on key 0 for query 3, which the mask"):
        run("llama", window, al.Pattern(1, 3, "first"))
    run("llama", window, al.Pattern(1, 3, "first", positions=(0, 1, 2)))
    with pytest.raises(EditError, match="key 0 for query 4"):  # a window of the model's own
        run("gemma2", al.Pattern(0, 3, "first"))


def test_a_long_text_comes_in_tiles():
    long = al.load(build("llama", max_position_embeddings=512, num_hidden_layers=1))
    ids = text(301)
    lower = torch.ones(301, 301).tril()
    even = lower / lower.sum(-1, keepdim=True)
    previous = torch.nn.functional.one_hot(torch.arange(-1, 300).clamp(0), 301)
    for pattern, wanted in (("uniform", even), ("previous", previous), (even, even)):
        found = long.run(ids, edits=[al.Pattern(0, 3, pattern)], logits=None).weights[0, 3]
        assert torch.equal(found, wanted.float())
    with pytest.raises(EditError, match="weight on key 128 for query 0, which the mask hides"):
        long.run(ids, edits=[al.Pattern(0, 3, torch.full((301, 301), 0.1))], logits=None)


@pytest.mark.parametrize("pattern", ["uniform", "previous", "rows"])
@pytest.mark.parametrize("name", ["llama", "t5", "gpt_neo"])
def test_a_cache_changes_nothing(name, pattern):
    """Typed rows are of the prompt: what is generated looks where it would."""
    target = {"target": GOAL[:3]} if name == "t5" else {}
    ours, layer = lab(name), 0
    if pattern == "rows":
        length = 4 if target else N
        pattern = torch.ones(length, length).tril() / length
    options = {"edits": [al.Pattern(layer, 3, pattern)], "max_new_tokens": 4, **target}
    found, whole = (ours.generate(IDS, **options, use_cache=cache) for cache in (True, False))
    assert found.tokens == whole.tokens
    assert torch.allclose(found.weights[layer, 3], whole.weights[layer, 3], atol=1e-6)
    assert torch.allclose(found.logits, whole.logits, atol=1e-4)


@pytest.mark.parametrize("name", ["llama", "t5"])
def test_rows_of_some_words_leave_the_others_to_the_head(name):
    """As a pattern is painted: in our transformer too, and with a cache."""
    target = {"target": GOAL[:3]} if name == "t5" else {}
    length = 4 if target else N
    rows = torch.ones(length, length).tril() / torch.arange(1.0, length + 1)[:, None]
    edit, shape = al.Pattern(1, 3, rows, positions=(1, 3)), {"atol": 1e-5, "rtol": 0}
    theirs, ours = lab(name), al.rebuild(lab(name))
    found, same = (runner.run(IDS, edits=[edit], **target) for runner in (theirs, ours))
    assert torch.allclose(found.logits, same.logits, **shape)
    assert torch.equal(found.weights[1, 3][[1, 3]], rows[[1, 3]])
    plain = theirs.run(IDS, **target).weights[1, 3]
    assert torch.allclose(found.weights[1, 3][[0, 2]], plain[[0, 2]], **shape)
    for runner in (theirs, ours):
        options = {"edits": [edit], "max_new_tokens": 3, **target}
        cached, whole = (runner.generate(IDS, **options, use_cache=use) for use in (True, False))
        assert cached.tokens == whole.tokens
        assert torch.allclose(cached.logits, whole.logits, atol=1e-4)


def test_numbers_may_come_from_numpy_or_lists():
    rows = np.tril(np.full((3, 3), 0.25))
    edit = al.Pattern(0, 1, rows)
    assert edit == al.Pattern(0, 1, rows.tolist()) == al.Pattern(0, 1, "rows", rows=rows)
    assert edit.rows[2] == (0.25, 0.25, 0.25)
    assert al.edit_from_json(edit.to_json()) == edit


@pytest.mark.parametrize(
    "make, named",
    [
        (lambda: al.Pattern(1, 3, "next"), "no pattern 'next'; there are uniform, previous"),
        (lambda: al.Pattern(1, 3, "rows"), "needs them"),
        (lambda: al.Pattern(1, 3, "self", rows=((1.0,),)), "rows= goes with the pattern 'rows'"),
        (lambda: al.Pattern(1, 3, [[1.0], [0.5, 0.5]]), "all equally long"),
        (lambda: al.Pattern(1, 3, [1.0, 2.0]), "lists of numbers"),
        (lambda: al.Pattern(1, 3, []), "needs them"),
        (lambda: al.Pattern(1, 3, [[]]), "all equally long"),
        (lambda: al.Pattern(1, 3, 7), "rows are lists of numbers"),
        (lambda: al.Pattern(1, 3, [[float("nan")]]), "Row 0 of a pattern holds nan"),
        (lambda: al.Pattern(1, 3, [[1.0, 0], [-0.1, 1]]), "Row 1 of a pattern holds -0.1"),
        (lambda: al.Pattern(1, 3, [["a"]]), "holds 'a'"),
        (lambda: al.Pattern(1, 3, positions=()), "positions names none"),
        (lambda: al.Pattern(1, 3, positions=0.5), "positions takes whole numbers"),
    ],
)
def test_what_is_no_pattern_says_so(make, named):
    with pytest.raises(EditError, match=named):
        make()


def test_what_does_not_fit_a_text_is_said():
    with pytest.raises(EditError, match="12 queries and 13 keys; the decoder has 13 and 13 here"):
        run("llama", al.Pattern(1, 3, TYPED[1:]))
    with pytest.raises(EditError, match="no position 13; the decoder has 13"):
        run("llama", al.Pattern(1, 3, positions=13))
    with pytest.raises(EditRefused, match="a query has no place among the keys"):
        run("t5", al.Pattern(1, 3, "previous", role="cross"))
    with pytest.raises(EditRefused, match="heads 0 to 5"):
        run("llama", al.Pattern(1, 6))

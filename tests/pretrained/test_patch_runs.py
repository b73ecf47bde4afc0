"""Patches in batches, beside a cache, in our transformer; donors run once; what is refused."""

import pytest
import torch

import attnlab as al
from attnlab.errors import EditError, EditRefused, InputError, TextTooLong
from attnlab.trace.edits.patch import OF_ATTENTION, OF_STREAM
from tests.families import FAMILIES, lab, text
from tests.pretrained.other_texts import GOAL, HERE, LONGER, THERE, fed, given, out, reachable


@pytest.mark.parametrize(
    "edit, error, named",
    [
        (al.Patch("z", 1, 4, donor=LONGER), EditError, "13 tokens and the donor 17; give at="),
        (al.Patch("z", 1, 4, donor=THERE, positions=13), EditError, "no position 13; the decoder"),
        (al.Patch("z", 1, 4, donor=THERE, positions=-14), EditError, "no position -14"),
        (al.Patch("z", 1, 4, donor=LONGER, at=[(13, 2)]), EditError, "no position 13 here; it has"),
        (al.Patch("z", 1, 4, donor=THERE, at=[(2, 13)]), EditError, "no position 13 in the donor"),
        (al.Patch("z", 1, 6, donor=THERE), EditRefused, "names head 6, .* heads 0 to 5"),
        (al.Patch("z", 3, 1, donor=THERE), EditRefused, "names layer 3, .* layers 0 to 2"),
        (al.Patch("mlp_out", 3, donor=THERE), EditRefused, "mlp_out in layers 0 to 2"),
        (al.Patch("cross_out", 1, donor=THERE), EditRefused, "no cross_out was found"),
        (al.Patch("mlp_out", 1, role="cross"), EditRefused, "the stream of 'cross', .* decoder"),
        (al.Patch("z", 1, 4, donor=[500]), InputError, "500 is no token id"),
        (al.Patch("z", 1, 4, donor=text(70)), TextTooLong, "70 tokens"),
        (al.Patch("z", 1, 4, donor="w5 w6"), InputError, "without a tokenizer"),
    ],
)
def test_what_does_not_fit_is_said(edit, error, named):
    with pytest.raises(error, match=named):
        out("llama", edit)


def test_what_a_tier_cannot_change_is_said():
    for edit in (al.Patch("v", 1, 3, donor=THERE), al.ZeroHead(1, 3, what="v")):
        with pytest.raises(EditRefused, match=r"changes v, which cannot .* \(tier tap\)"):
            out("gpt_neo", edit)
    whole = {"input_ids": torch.tensor([HERE])}
    with pytest.raises(InputError, match="need a donor run"):
        lab("llama").run(whole, edits=[al.ResampleHead(1, 3, THERE)])
    plain = out("llama", al.ZeroHead(1, 3, positions=2))
    raw = lab("llama").run(whole, edits=[al.ZeroHead(1, 3, positions=2)])
    assert torch.equal(raw.logits, plain)
    with pytest.raises(EditRefused, match="counts positions from the end"):
        lab("llama").run(whole, edits=[al.ZeroHead(1, 3, positions=-1)])


def test_every_donor_runs_once(monkeypatch):
    """However many edits and texts name it; and a donor that is a text of the run is one too."""
    ours = lab("llama")
    runs, forward = [], ours.forward

    def counted(run, inputs, **options):
        runs.append((len(run.rows), [c.layers for c in run.captures]))
        return forward(run, inputs, **options)

    monkeypatch.setattr(ours, "forward", counted)
    edits = [al.ResampleHead(layer, head, THERE) for layer in (0, 2) for head in range(6)]
    ours.run_many([HERE, HERE], each=[edits[:6], edits], capture=())
    assert runs == [(1, [(layer,) for layer in (0, 2) for _ in range(6)]), (2, [])]
    runs.clear()
    ours.run(HERE, edits=[al.MeanHead(1, 2, corpus=[THERE, LONGER, HERE]), al.MeanHead(1, 2)])
    assert [rows for rows, _ in runs] == [1, 3, 1]
    with pytest.raises(EditRefused):
        ours.run(HERE, edits=[edits[0], al.ZeroHead(1, 9)])
    assert len(runs) == 3


def test_in_a_batch_of_texts_each_has_its_own():
    texts = [HERE, text(6, seed=3), THERE]
    edits = [
        (al.ResampleHead(1, 4, THERE), al.ZeroFeedForward(0, positions=-1)),
        (al.Patch("v", 1, 3, donor=LONGER, at=((2, 14),)), al.ZeroHead(2, 1, positions=(0, -1))),
        (al.MeanHead(1, 3, positions=-1), al.ZeroHead(0, 5, what="k", positions=3)),
    ]
    together = lab("llama").run_many(texts, each=edits, capture=())
    for ids, own, trace in zip(texts, edits, together, strict=True):
        assert torch.allclose(trace.logits, out("llama", *own, source=ids), atol=1e-5)


@pytest.mark.parametrize("name", ["llama", "gpt2", "t5", "bart", "gemma3", "gpt_oss", "gpt_neo"])
def test_a_cache_changes_nothing(name):
    """Of a generation the prompt is patched; what was generated keeps to itself."""
    goal = text(3, seed=6)
    role = "cross" if FAMILIES[name].task == "seq2seq" else None
    donor = given(name, THERE, goal)
    wanted = [
        al.ResampleHead(1, 4, **donor, role=role),
        al.Patch("v", 2, 3, **donor, role=role),
        al.Patch("k", 1, **donor, positions=(0, 3), role=role),
        al.Patch("weights", 2, 1, **donor),
        al.Patch("resid_post", 0, **donor, positions=1),
        al.ZeroFeedForward(2, positions=(1, -1)),
        al.ZeroHead(1, 2, positions=(2, 6 if role else 14)),
        al.MeanHead(2, 5, role=role, corpus=[THERE], corpus_targets=[goal] if role else ()),
    ]
    ours = lab(name)
    edits = [e for e in wanted if e.stages <= ours.editable and reachable(e, ours)]
    options = {"max_new_tokens": 5, "edits": edits, "capture": "weights", **fed(name, goal)}
    found, whole = (ours.generate(HERE, **options, use_cache=cache) for cache in (True, False))
    assert found.tokens == whole.tokens
    assert torch.allclose(found.logits, whole.logits, atol=1e-4)
    plain = ours.generate(HERE, **options | {"edits": ()})
    assert not torch.allclose(plain.logits[0], found.logits[0], atol=1e-3)


def test_in_a_batch_that_grows():
    each = [
        (al.ResampleHead(2, 4, THERE),),
        (al.Patch("v", 1, 3, donor=THERE), al.ZeroHead(2, 1)),
        (al.Patch("mlp_out", 1, positions=3, donor=THERE),),
        (al.Patch("weights", 1, donor=THERE),),
        (al.Pattern(0, 2, "previous"),),
    ]
    growth = lab("llama").growing(HERE, each)
    assert growth.enters == (2, 1, 1, 1, 0)
    plain, *traces = growth.run([None, *range(len(each))], logits="all")
    assert torch.allclose(plain.logits, out("llama"), atol=1e-5)
    for own, trace in zip(each, traces, strict=True):
        assert torch.allclose(trace.logits, out("llama", *own), atol=1e-5)


@pytest.mark.parametrize("name", ["llama", "gpt2", "bert", "t5"])
def test_in_our_transformer_as_in_the_model(name):
    ours, theirs = al.rebuild(lab(name)), lab(name)
    edits = [al.Patch(stage, 1, **given(name, THERE)) for stage in OF_ATTENTION + OF_STREAM]
    edits += [al.Patch("k", 1, 4, **given(name, THERE)), al.Patch("v", 1, 4, **given(name, THERE))]
    edits += [al.Pattern(1, 4), al.ZeroFeedForward(1), al.ZeroHead(1, 4, what="q", positions=3)]
    each = [(edit,) for edit in edits if reachable(edit, theirs)]
    targets = [GOAL] * len(each) if fed(name) else None
    found, right = (
        runner.run_many([HERE] * len(each), targets=targets, each=each, capture=())
        for runner in (ours, theirs)
    )
    for one, other in zip(found, right, strict=True):
        assert (one.logits - other.logits).abs().max() <= 2e-5


def test_gradients_pass():
    ours = lab("llama")
    edits = [al.ResampleHead(1, 4, THERE, positions=3), al.ZeroFeedForward(2, positions=2)]
    trace = ours.run(HERE, edits=edits, capture="z", grad=True, logits="all")
    assert trace.graph["z", "decoder", 1].requires_grad

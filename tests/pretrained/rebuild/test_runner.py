"""All that a Lab does, our transformer does: batches, growth, generation, losses, gradients."""

import pytest
import torch

import attnlab as al
from attnlab.errors import Cancelled, InputError
from attnlab.pretrained.binding import bind
from attnlab.trace import Capture, Row, Run
from tests.families import build, text
from tests.pretrained.rebuild import EDITS, SOURCE, TARGET, fed, largest, pair, same, writes

KINDS = ("gpt2", "pythia partly turning", "mistral", "qwen2", "bert", "roberta", "t5")
WRITERS = ("gpt2", "pythia", "llama 3", "mistral", "roberta reading forwards", "t5", "t5 1.1")
LENGTHS = (9, 13, 1, 6)


def batch(name):
    texts = [text(n, seed=n) for n in LENGTHS]
    if not writes(name):
        return {"texts": texts}
    return {"texts": texts, "targets": [text(n, seed=n + 50) for n in (5, 2, 7, 3)]}


def alone(runner, given, index, **options):
    target = {"target": given["targets"][index]} if "targets" in given else {}
    return runner.run(given["texts"][index], **target, **options)


@pytest.mark.parametrize("name", KINDS)
def test_texts_of_any_lengths_in_one_batch(name):
    lab, ours = pair(name)
    given, stages = batch(name), sorted(lab.stages)
    each = [(), *(make(None) for make in list(EDITS.values())[:3])]
    found = ours.run_many(**given, capture=stages, each=each)
    for index, (trace, edits) in enumerate(zip(found, each, strict=True)):
        for runner in (ours, lab):
            same(trace, alone(runner, given, index, capture=stages, edits=edits), atol=2e-5)


@pytest.mark.parametrize("name", KINDS)
def test_rows_that_join_at_a_block(name):
    _, ours = pair(name)
    role = ours.main_role
    edits = [(al.ZeroHead(layer, head, role),) for layer in (0, 1, 2) for head in (0, 5)]
    rows = [Row(), *(Row(bind(ours, own, None), enters=own[0].layer) for own in edits)]
    goal = [0, *TARGET] if writes(name) else None
    state = Run(rows)
    with torch.no_grad():
        outputs = ours.forward(state, ours.inputs([SOURCE], [goal]))
    state.finish()
    assert state.batch == outputs.logits.shape[0] == len(rows)
    for logits, own in zip(outputs.logits, [(), *edits], strict=True):
        assert largest(logits, ours.run(**fed(name), edits=own, capture=()).logits) <= 1e-5


def generated(runner, name, **options):
    return runner.generate(**fed(name) | {"max_new_tokens": 4} | options)


@pytest.mark.parametrize("name", WRITERS)
def test_generation_with_a_cache_without_and_as_the_model_does(name):
    lab, ours = pair(name)
    capture = ("masked", "weights", "z", "resid_post")
    for edits in ((), EDITS["several"]("cross" if writes(name) else None)):
        found = generated(ours, name, capture=capture, edits=edits)
        same(found, generated(ours, name, capture=capture, edits=edits, use_cache=False), 1e-4)
        same(found, generated(lab, name, capture=capture, edits=edits), 1e-4)


def test_what_is_drawn_follows_the_seed():
    lab, ours = pair("llama")
    for seed in (1, 2):
        found, right = (generated(r, "llama", temperature=1.5, seed=seed) for r in (ours, lab))
        assert found.tokens == right.tokens


@pytest.mark.parametrize("name", ["gpt2", "llama tied", "t5"])
def test_losses_and_logits_of_some_positions(name):
    lab, ours = pair(name)
    found, right = (r.run(**fed(name), logits="loss", capture=()) for r in (ours, lab))
    assert largest(found.losses, right.losses) <= 1e-5
    whole = ours.run(**fed(name), capture=())
    for asked in ("last", (2, 0, -1)):
        some = ours.run(**fed(name), logits=asked, capture=())
        rows = [p % len(whole.logits) for p in some.logit_positions]
        assert largest(some.logits, whole.logits[rows]) <= 1e-5


@pytest.mark.parametrize("name", KINDS)
def test_gradients_of_every_stage(name):
    lab, ours = pair(name)
    stages = sorted(lab.stages)
    both = []
    for runner in (ours, lab):
        trace = runner.run(**fed(name), capture=stages, grad=True)
        score = trace.logits[-1].log_softmax(-1)[7]
        kept = dict(trace.graph)
        gradients = torch.autograd.grad(score, list(kept.values()), allow_unused=True)
        both.append(dict(zip(kept, gradients, strict=True)))
    assert both[0].keys() == both[1].keys()
    for key, found in both[0].items():
        right = both[1][key]
        assert (found is None) == (right is None), key
        if right is not None:
            assert largest(found, right) <= 1e-5 * max(1.0, float(right.abs().max())), key
    assert sum(g is not None for g in both[0].values()) > len(both[0]) / 2


@pytest.mark.parametrize("name", ["qwen2 windows by layer", "bert", "t5"])
def test_thumbnails_rows_and_one_head_of_a_long_text(name):
    lab, ours = pair(name)
    target = {"target": text(33, seed=6)} if writes(name) else {}
    for how in ({"thumbnails": 8}, {"queries": (2, 31)}, {"layers": 1, "heads": 3}):
        options = {"text": text(40), "capture": Capture("weights", **how), **target}
        found, right = (r.run(**options) for r in (ours, lab))
        same(found, right)
        if "thumbnails" in how:
            assert largest(found.weights.thumbnails, right.weights.thumbnails) <= 1e-6
            assert largest(found.weights.on_first, right.weights.on_first) <= 1e-6


@pytest.mark.parametrize("name", ["gpt2", "llama", "mistral", "roberta"])
def test_inputs_of_ones_own_padded_on_either_side(name):
    lab, ours = pair(name)
    pad = lab.model.config.pad_token_id or 0
    ids = torch.tensor([[pad] * 4 + text(9, seed=1), text(9, seed=2) + [pad] * 4, text(13)])
    mask = torch.ones_like(ids)
    mask[0, :4] = mask[1, 9:] = 0
    found, right = (r.run_many({"input_ids": ids, "attention_mask": mask}) for r in (ours, lab))
    for row, (trace, other) in enumerate(zip(found, right, strict=True)):
        real = mask[row].bool()
        assert largest(trace.logits[real], other.logits[real]) <= 1e-5
        weights, kept = trace.weights.stack(), other.weights.stack()
        assert largest(weights[:, :, real], kept[:, :, real]) <= 1e-5
    with pytest.raises(InputError, match="does not read inputs_embeds"):
        ours.run({"input_ids": ids[:1], "inputs_embeds": torch.ones(1, 13, 60)})


def test_a_text_that_holds_the_pad_token():
    """RoBERTa does not count it as a position, wherever it stands."""
    lab, ours = pair("roberta")
    pad = lab.model.config.pad_token_id
    ids = [*text(4), pad, *text(5, seed=9)]
    same(ours.run(ids), lab.run(ids))


def test_two_segments():
    lab, ours = pair("bert")
    ids = torch.tensor([SOURCE])
    inputs = {"input_ids": ids, "token_type_ids": (torch.arange(13) > 5).long()[None]}
    found, right = ours.run(inputs), lab.run(inputs)
    assert largest(found.logits, right.logits) <= 1e-5
    assert largest(found.logits, ours.run(SOURCE).logits) > 1e-3


def test_progress_and_cancelling():
    _, ours = pair("t5")
    shares, cancel = [], al.Cancel()

    def told(share):
        shares.append(share)
        if share > 0.5:
            cancel.set()

    with pytest.raises(Cancelled):
        ours.run(**fed("t5"), progress=told, cancel=cancel)
    assert shares == sorted(shares) and 0 < shares[-1] < 1
    shares.clear()
    ours.run(**fed("t5"), progress=shares.append)
    assert shares[-1] == 1.0


def test_weights_are_shared_with_the_model():
    made = build("llama")
    lab = al.load(made)
    ours = al.rebuild(lab)
    with torch.no_grad():
        made.model.layers[1].mlp.down_proj.weight.mul_(0.5)
    assert largest(ours.run(SOURCE).logits, lab.run(SOURCE).logits) <= 1e-5
    assert ours.transformer.blocks[0].attention.w_q.weight.data_ptr() == (
        made.model.layers[0].self_attn.q_proj.weight.data_ptr()
    )
    tied = pair("llama tied")[1].transformer
    assert tied.head.unembed.weight is tied.embed.weight
    assert al.rebuild(ours) is ours

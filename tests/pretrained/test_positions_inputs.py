"""Positions where a model counts in its own way, or where a batch or a cast gets in between."""

import copy

import pytest
import torch

import attnlab as al
from attnlab.errors import EditRefused
from tests.families import build, lab, model, text
from tests.pretrained.placing import GOAL, LONG, SHORT, P, eager, off, run

FIRST = {"gpt2": 0, "opt": 0, "roberta": 1, "camembert": 1, "llama": 0}
"""The position id of the first token."""


def padded_left(name, count):
    ids = torch.tensor([[lab(name).model.config.pad_token_id or 0] * count + SHORT])
    mask = (torch.arange(ids.shape[1]) >= count).long()[None]
    return {"input_ids": ids, "attention_mask": mask}


def logits(name, inputs, *edits):
    (trace,) = lab(name).run_many(inputs, edits=edits, capture=())
    return trace.logits


@pytest.mark.parametrize("name", FIRST)
def test_padding_on_the_left_and_positions_that_are_given(name):
    first = FIRST[name]
    inputs = padded_left(name, 3)
    given = inputs | {"position_ids": torch.tensor([[first] * 3 + [*range(first, first + 9)]])}
    for fed in (inputs, given) if name == "gpt2" else (inputs,):
        plain = logits(name, fed)[3:]
        assert off(logits(name, fed, P("shifted", offset=0))[3:], plain) == 0
    if name == "gpt2":
        shifted = given | {"position_ids": given["position_ids"] + 5}
        found = logits(name, given, P("shifted", offset=5))[3:]
        assert off(found, logits(name, shifted)[3:]) <= 1e-5
        alone = run(name, SHORT, P("reversed")).logits
        assert off(logits(name, given, P("reversed"))[3:], alone) <= 1e-5
    if name in ("opt", "roberta", "camembert"):  # they count real tokens by themselves
        alone = run(name, SHORT, P("shifted", offset=4)).logits
        assert off(logits(name, inputs, P("shifted", offset=4))[3:], alone) <= 1e-5


@pytest.mark.parametrize("make", [lab, lambda name: al.rebuild(lab(name))])
def test_padding_needs_no_position(make):
    """A long text beside a short one: the short one's shift leaves room for itself."""
    one, texts, each = make("gpt2"), [SHORT, text(60, seed=9)], [[P("shifted", offset=20)], []]
    traces = one.run_many(texts, each=each, capture=())
    alone = one.run(SHORT, edits=each[0], capture=()).logits
    assert off(traces[0].logits, alone) <= 1e-5
    with pytest.raises(EditRefused, match="needs position 79; the table"):
        one.run_many(texts, edits=each[0], capture=())


def batch(*rows, left=False):
    n = max(map(len, rows))
    pads = [[0] * (n - len(row)) for row in rows]
    ids = [pad + row if left else row + pad for row, pad in zip(rows, pads, strict=True)]
    marks = [[0] * len(p) + [1] * len(r) for r, p in zip(rows, pads, strict=True)]
    marks = marks if left else [mark[::-1] for mark in marks]
    return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(marks)}


@pytest.mark.parametrize("rebuilt", [False, True])
@pytest.mark.parametrize("name", ["gpt2", "bert", "llama"])
def test_padding_of_ones_own_is_dealt_no_position(name, rebuilt):
    """As ids through run_many: the text's own positions change places among themselves."""
    one = al.rebuild(lab(name)) if rebuilt else lab(name)
    for edit in (P("reversed"), P("shuffled", seed=1)):
        right = one.run_many([LONG, SHORT], edits=[edit], capture=())
        found = one.run_many(batch(LONG, SHORT), edits=[edit], capture=())
        assert off(found[0].logits, right[0].logits) <= 1e-5
        assert off(found[1].logits[: len(SHORT)], right[1].logits) <= 1e-5


def test_positions_of_padding_on_the_left_are_told_or_refused():
    one, fed = lab("llama"), batch(LONG, SHORT, left=True)
    with pytest.raises(EditRefused, match="pad on the right"):
        one.run_many(fed, edits=[P("reversed")], capture=())
    places = torch.stack([torch.arange(len(LONG)), torch.arange(len(LONG)) - 4]).clamp(min=0)
    right = one.run_many([LONG, SHORT], edits=[P("reversed")], capture=())
    found = one.run_many(fed | {"position_ids": places}, edits=[P("reversed")], capture=())
    assert off(found[0].logits, right[0].logits) <= 1e-5
    assert off(found[1].logits[4:], right[1].logits) <= 1e-5
    counted = {"position_ids": torch.arange(len(LONG))[None]}
    with pytest.raises(EditRefused, match="cannot be told from the padding's"):
        one.run_many(fed | counted, edits=[P("reversed")], capture=())


def test_two_shifts_that_fit_alone_and_not_together():
    for one in (lab("gpt2"), al.rebuild(lab("gpt2"))):
        with pytest.raises(EditRefused, match="needs position 64"):
            one.run(LONG, edits=[P("shifted", offset=30), P("shifted", offset=22)], capture=())


@pytest.mark.parametrize("make", [lab, lambda name: al.rebuild(lab(name))])
def test_a_shift_that_leads_nowhere_needs_no_room(make):
    """There and back, or out of a table that nobody reads."""
    one = make("gpt2")

    def found(*edits):
        return one.run(LONG, edits=edits, capture=()).logits

    back = (P("shifted", offset=-5), P("shifted", offset=5))
    assert off(found(*back), found()) == 0
    for scheme in ("none", "sinusoidal"):
        assert off(found(P("shifted", offset=60), P("none")), found(P("none"))) == 0
        assert found(P("shifted", offset=60), P(scheme)).isfinite().all()


def test_what_the_decoder_will_write_is_no_matter_to_the_encoder():
    shift = P("shifted", offset=50, role="encoder")
    trace = lab("bart").generate(SHORT, max_new_tokens=8, edits=[shift], capture=())
    assert len(trace.logits) > 0


def test_a_model_cast_after_it_was_loaded():
    """Its frequencies were cast with it, so those of another rotation are."""
    one = copy.deepcopy(model("llama")).to(torch.bfloat16)
    fresh = build("llama", rope_parameters={"rope_type": "default", "rope_theta": 700.0})
    fresh = fresh.to(torch.bfloat16)
    cast = al.load(one)
    assert "base" in cast.positions["decoder"].takes
    found = cast.run(LONG, edits=[P("base", base=700.0)], capture=()).logits
    assert off(found, eager(fresh).float()) <= 0.05 * float(found.abs().max())
    assert off(found, cast.run(LONG, capture=()).logits) > 0.5


def test_one_bias_for_a_whole_batch_is_refused_before_the_run():
    assert lab("mpt").positions["decoder"].shared
    assert not lab("bloom").positions["decoder"].shared
    with pytest.raises(EditRefused, match="run such texts apart"):
        lab("mpt").run_many([LONG, SHORT], each=[[P("none")], []], capture=())
    both = lab("mpt").run_many([LONG, SHORT], edits=[P("none")], capture=())
    assert off(both[1].logits, run("mpt", SHORT, P("none")).logits) <= 1e-5


def test_an_added_alibi_counts_true_distances():
    """Moves reach what a model has itself; "none" undoes them."""
    alone = run("llama", LONG, P("none"), P("alibi")).logits
    assert torch.equal(run("llama", LONG, P("shuffled"), P("none"), P("alibi")).logits, alone)
    for edits in ((P("shuffled"), P("alibi")), (P("alibi"), P("shuffled"))):
        trace = run("llama", LONG, *edits, capture=("scaled", "masked"))
        added = (trace.masked[0] - trace.scaled[0])[:, -1]
        away = torch.arange(len(LONG) - 1, -1, -1)
        steps = added / away.clamp(min=1)
        assert off(steps[:, 0], steps[:, 5]) <= 1e-5


def test_scores_that_are_kept_are_those_that_count():
    """Where nobody reads them, those far below rounding are left out; no key is shown as hidden."""
    one, long = al.load(build("llama", max_position_embeddings=512)), text(300, seed=5)
    kept = one.run(long, edits=[P("alibi")], capture="masked", logits="last")
    alone = one.run(long, edits=[P("alibi")], capture=(), logits="last")
    assert bool(kept.masked[0].isfinite().tril()[:, -1].all())
    assert off(kept.logits, alone.logits) <= 1e-5


def test_goals_do_not_move_an_encoders_positions():
    plain = run("bart", LONG, P("reversed", role="encoder"), target=GOAL).logits
    assert off(plain, run("bart", LONG, target=GOAL).logits) > 1e-4

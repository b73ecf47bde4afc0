"""Rows that join a growing batch equal runs of their own, whatever is asked of them."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import attnlab as al
from attnlab.analysis.grow import grown
from attnlab.analysis.metrics import KL, CosineDistance, LogProbability, Loss
from attnlab.errors import EditRefused, GrowthRefused, InputError
from attnlab.trace import Capture
from tests.analysis.growing import GOAL, IDS, OTHER, alone, heads, same, target_of
from tests.families import FAMILIES, lab, raw_inputs

FITS = "gpt2 llama mistral gemma2 gpt_oss lfm2 diffllama bert albert t5 bart gpt_neo deberta_v2"
BREAKS = "gpt_bigcode bloom umt5"


def metrics_of(name):
    if FAMILIES[name].task == "masked":
        return [CosineDistance(), KL(2)]
    return [KL(), KL(None), LogProbability(17), Loss(), CosineDistance("each")]


@pytest.mark.parametrize("name", FITS.split())
def test_every_variant_equals_a_run_of_its_own(name):
    variants, metrics = heads(name), metrics_of(name)
    found = grown(lab(name), IDS, variants, metrics, **target_of(name))
    same(found.values, alone(name, variants, metrics))
    encoded = sum(own[0].role == "encoder" for own in variants) * (lab(name).main_role != "encoder")
    few = len(variants) < 3
    assert found.grown == (0 if few else len(variants) - encoded)
    assert (found.difference is None) == few and (found.difference or 0) <= 1e-5
    assert bool(found.why) == (few or bool(encoded))


@pytest.mark.parametrize("name", BREAKS.split())
def test_where_rows_cannot_join_all_run_as_plain_batches(name):
    variants, metrics = heads(name), metrics_of(name)
    found = grown(lab(name), IDS, variants, metrics, **target_of(name))
    same(found.values, alone(name, variants, metrics))
    assert found.grown == 0 and found.how == "batched"
    assert "runs cannot share the first ones" in found.why


def test_edits_in_every_row_and_sets_of_heads_of_several_layers():
    shared = (al.Temperature(1.5), al.ZeroHead(0, 3))
    variants = [(al.ZeroHead(2, 1), al.ZeroHead(1, 4)), (), al.ZeroHead(1, 0), al.MeanHead(0, 1)]
    found = grown(lab("llama"), IDS, variants, KL(), edits=shared)
    own = [v if isinstance(v, tuple) else (v,) for v in variants]
    same(found.values, alone("llama", own, [KL()], shared))
    assert found.grown == 4 and found.values[0][1] < 1e-12


@st.composite
def edit(draw):
    """Any edit of one head or block of the tiny Llama."""
    layer, head = draw(st.integers(0, 2)), draw(st.integers(0, 5))
    where = draw(st.sampled_from([None, (0,), (2, 5, -1)]))
    return draw(
        st.sampled_from(
            [
                al.ZeroHead(layer, head, positions=where),
                al.ZeroHead(layer, head, what="v", positions=where),
                al.MeanHead(layer, head, positions=where),
                al.ResampleHead(layer, head, OTHER, positions=where),
                al.Patch("resid_pre", layer, donor=OTHER, positions=where),
                al.Patch("weights", layer, head, donor=OTHER, positions=where),
                al.ZeroFeedForward(layer, positions=where),
                al.Pattern(layer, head, "previous", positions=where),
                al.Mask("window", window=3, layers=(layer,), heads=(head,)),
                al.Temperature(2.0, layers=(layer,)),
            ]
        )
    )


@settings(max_examples=12, deadline=None)
@given(st.lists(st.lists(edit(), min_size=1, max_size=3, unique=True), min_size=3, max_size=6))
def test_any_sets_of_edits_as_variants(variants):
    before = lab("llama").run(IDS).logits
    found = grown(lab("llama"), IDS, variants, KL(None))
    assert torch.equal(lab("llama").run(IDS).logits, before)
    right = alone("llama", [tuple(own) for own in variants], [KL(None)])[0]
    assert torch.allclose(found.values[0], right, rtol=1e-4, atol=1e-6)
    assert found.grown == len(variants) and found.difference <= 1e-5


@pytest.mark.parametrize("scheme", ["none", "reversed", "alibi"])
@pytest.mark.parametrize("name", ["llama", "gpt2", "t5"])
def test_other_positions_in_every_row(name, scheme):
    variants, shared = heads(name)[-4:], (al.Positions(scheme),)
    for runner in (lab(name), al.rebuild(lab(name))):
        found = grown(runner, IDS, variants, Loss(), edits=shared, **target_of(name))
        same(found.values, alone(name, variants, [Loss()], shared))
        assert found.grown == 4


def test_positions_differ_from_the_start():
    variants = [al.Positions("none"), *(al.ZeroHead(2, h) for h in range(3))]
    growth = lab("llama").growing(IDS, variants)
    assert growth.enters == (None, 2, 2, 2)
    found = grown(lab("llama"), IDS, variants, KL())
    same(found.values, alone("llama", [(v,) for v in variants], [KL()]))
    assert found.grown == 3 and found.why.startswith("1 differ before the first layer")


def test_heads_of_an_encoder_that_a_decoder_reads_run_as_plain_batches():
    variants = [(al.ZeroHead(*head, "encoder"),) for head in ((0, 1), (0, 4), (1, 2))]
    found = grown(lab("t5"), IDS, variants, KL(), target=GOAL)
    same(found.values, alone("t5", variants, [KL()]))
    assert found.grown == 0 and found.why and found.difference <= 1e-5


def test_what_is_kept_of_a_row_before_it_joins_is_the_plain_rows():
    variants = [al.ZeroHead(2, 1), al.ZeroHead(0, 1)]
    asked = {"capture": ("z", "resid_post", Capture("weights", thumbnails=4)), "logits": "all"}
    traces = lab("llama").growing(IDS, variants).run([None, 0, 1], **asked)
    for trace, edits in zip(traces, [(), *((v,) for v in variants)], strict=True):
        one = lab("llama").run(IDS, edits=edits, **asked)
        for layer in range(3):
            assert torch.allclose(trace.z[layer], one.z[layer], atol=1e-6)
            assert torch.allclose(trace.resid_post[layer], one.resid_post[layer], atol=1e-5)
        assert torch.allclose(trace.weights.thumbnails, one.weights.thumbnails, atol=1e-6)
        assert torch.allclose(trace.logits, one.logits, atol=1e-5)
        assert trace.how["edits"] == one.how["edits"] and trace.tokens == one.tokens


def test_our_own_transformer_grows_too():
    ours = al.rebuild(lab("llama"))
    found = grown(ours, IDS, heads("llama"), [KL(), Loss()])
    same(found.values, alone("llama", heads("llama"), [KL(), Loss()]))
    assert found.grown == 6


def test_none_and_few_variants():
    found = grown(lab("llama"), IDS, [], [KL(), Loss()])
    assert [len(v) for v in found.values] == [0, 0] and found.plain.logits is not None
    few = grown(lab("llama"), IDS, [al.ZeroHead(1, 1)], KL())
    same(few.values, alone("llama", [(al.ZeroHead(1, 1),)], [KL()]))
    assert few.how == "batched" and "too few begin to differ later" in few.why


def test_what_cannot_be_is_refused():
    with pytest.raises(EditRefused, match="has heads 0 to 5"):
        grown(lab("llama"), IDS, [al.ZeroHead(0, 6)], KL())
    with pytest.raises(InputError, match="at least one metric"):
        grown(lab("llama"), IDS, heads("llama"), [])
    with pytest.raises(InputError, match="name None first"):
        lab("llama").growing(IDS, [al.ZeroHead(0, 1)]).run([0])
    with pytest.raises(InputError, match="these inputs are a batch"):
        lab("swin").growing(raw_inputs("swin"), [])
    with pytest.raises(GrowthRefused, match="runs cannot share the first ones"):
        lab("bloom").growing(IDS, [al.ZeroHead(1, 1)]).run([None, 0])

"""Rows that join a growing batch equal runs of their own, whatever is asked of them."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import attnlab as al
from attnlab.analysis.batches import bytes_of_row, split, tolerance
from attnlab.analysis.grow import grown
from attnlab.analysis.metrics import KL, CosineDistance, LogProbability, Loss, joined
from attnlab.errors import Cancelled, EditRefused, GrowthRefused, InputError
from attnlab.pretrained import growth as growth_module
from attnlab.trace import Capture
from tests.families import FAMILIES, build, lab, raw_inputs, text

IDS, OTHER, GOAL = text(9, seed=3), text(9, seed=8), text(5, seed=9)
FITS = "gpt2 llama mistral gemma2 gpt_oss lfm2 diffllama bert albert t5 bart gpt_neo deberta_v2"
BREAKS = "gpt_bigcode bloom umt5"


def target_of(name):
    return {"target": GOAL} if FAMILIES[name].task == "seq2seq" else {}


def heads(name):
    """Two heads of every site, taken away, with a second edit in some."""
    sites = lab(name).sites
    return [(al.ZeroHead(s.layer, h, s.role),) for s in sites for h in (0, s.heads - 1)]


def alone(name, variants, metrics, edits=()):
    """One at a time: by metric, [N] or [N, Q]."""
    options = target_of(name) | joined(metrics)
    plain = lab(name).run(IDS, edits=edits, **options)
    runs = [lab(name).run(IDS, edits=(*edits, *own), **options) for own in variants]
    return [torch.stack([metric.of(plain, run) for run in runs]) for metric in metrics]


def same(found, right):
    for a, b in zip(found, right, strict=True):
        assert a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-5)
        assert b.abs().max() > 1e-6


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


def test_a_family_that_grows_wrong_is_found_out():
    """Swin folds windows into its batch: rows that join land among those of others, and rows with
    edits of their own cannot be told apart."""
    swin, inputs = lab("swin"), raw_inputs("swin", batch=1)
    variants = [(al.ZeroHead(s.layer, h),) for s in swin.sites for h in range(s.heads)]
    found = grown(swin, inputs, variants, CosineDistance())
    assert found.how == "batched" and "Run one after another" in found.why
    options = CosineDistance().asks
    plain = swin.run(inputs, **options)
    right = [CosineDistance().of(plain, swin.run(inputs, edits=own, **options)) for own in variants]
    assert torch.allclose(found.values[0], torch.stack(right), atol=1e-6)


def test_wrong_rows_are_handed_to_nobody(monkeypatch):
    growth = type(lab("llama").growing(IDS, []))
    honest = growth.run

    def run(self, which, *, grow=True, **options):
        traces = honest(self, which, grow=grow, **options)
        if grow:
            traces[1].logits.add_(0.5 * torch.arange(traces[1].logits.numel()).view(1, -1) % 3)
        return traces

    monkeypatch.setattr(growth, "run", run)
    parts, shares = [], []
    found = grown(
        lab("llama"), IDS, heads("llama"), KL(), seen=parts.append, progress=shares.append
    )
    assert found.grown == 0 and "Each ran through all layers: " in found.why
    same(found.values, alone("llama", heads("llama"), [KL()]))
    assert sorted(i for part in parts for i in part.which) == list(range(6))
    assert shares == sorted(shares) and shares[-1] == 1


def test_results_stream_in_groups_outside_of_any_run():
    variants, parts, shares = heads("gpt2"), [], []

    def seen(part):
        assert lab("gpt2").run(IDS).logits is not None  # another run fits in between
        parts.append(part)

    options = {"seen": seen, "progress": shares.append}
    found = grown(lab("gpt2"), IDS, variants, [KL(), KL(None)], groups=3, **options)
    assert len(parts) == 3 and [part.done for part in parts][-1] == 1
    assert sorted(i for part in parts for i in part.which) == list(range(len(variants)))
    for part in parts:
        for whole, own in zip(found.values, part.values, strict=True):
            assert torch.equal(whole[list(part.which)], own)
    assert shares == sorted(set(shares)) and shares[-1] == 1
    assert found.forwards == 6  # three single runs, three groups


def test_a_small_budget_means_more_groups_and_the_same_numbers():
    variants = heads("llama")
    one = grown(lab("llama"), IDS, variants, KL(), groups=1)
    many = grown(lab("llama"), IDS, variants, KL(), groups=1, budget=1)
    assert one.forwards == 4 and many.forwards == 3 + len(variants) - 2  # the checked ones together
    assert torch.allclose(one.values[0], many.values[0], atol=1e-6)


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


def test_half_precision_is_judged_by_its_own_rounding():
    half, steps = al.load(build("llama").bfloat16()), torch.finfo(torch.bfloat16).eps
    found = grown(half, IDS, heads("llama"), KL())
    largest = float(found.plain.logits.abs().max())
    most = tolerance(found.plain.logits, torch.bfloat16)
    assert found.grown == 6 and found.difference <= most == 8 * steps * largest
    assert tolerance(lab("llama").run(IDS).logits, torch.float32) == 1e-4
    large = torch.tensor([-45.0, 3.0, float("inf")])
    assert tolerance(large, torch.float32) == 1e-4  # of logits as large as SmolLM2's it stays
    assert 3e-4 < tolerance(large, torch.float32, vectors=True) < 4e-4
    encoder = al.load(build("bert").bfloat16())
    found = grown(encoder, IDS, heads("bert"), CosineDistance())
    assert found.grown == 6 and found.difference <= tolerance(found.plain.final, torch.bfloat16)


def test_the_noise_is_in_the_unit_of_the_effects():
    """In half precision rows of a batch round otherwise; the checked ones say by how much."""
    half = al.load(build("llama").bfloat16())
    metrics = [LogProbability(17), Loss()]
    found = grown(half, IDS, heads("llama"), metrics)
    options = joined(metrics)
    alone = [half.run(IDS, edits=heads("llama")[i], **options) for i in (0, 3, 5)]
    for metric, values, noise in zip(metrics, found.values, found.noise, strict=True):
        right = torch.stack([metric.of(found.plain, one) for one in alone])
        assert noise == float((values[[0, 3, 5]] - right).abs().max())
    assert max(grown(lab("llama"), IDS, heads("llama"), metrics).noise) < 1e-5
    assert grown(lab("llama"), IDS, [al.ZeroHead(1, 1)], KL()).noise is None


@pytest.mark.parametrize("which", [1, 2, 3])
def test_rows_wrong_where_no_metric_looks_are_found_out(monkeypatch, which):
    """At other positions than the last, of the first, the middle or the last row that joins."""
    growth = type(lab("llama").growing(IDS, []))
    honest = growth.run

    def run(self, asked, *, grow=True, **options):
        traces = honest(self, asked, grow=grow, **options)
        if grow and len(asked) > 3:
            traces[asked.index((None, 0, 3, 5)[which])].final[2] += 0.1
        return traces

    monkeypatch.setattr(growth, "run", run)
    found = grown(lab("llama"), IDS, heads("llama"), KL(), groups=1)
    assert found.grown == 0 and "are 0.1 off from single runs" in found.why
    same(found.values, alone("llama", heads("llama"), [KL()]))


def test_cancelling_leaves_the_model_as_it_was():
    before, cancel = lab("llama").run(IDS).logits, al.Cancel()
    with pytest.raises(Cancelled):
        grown(
            lab("llama"), IDS, heads("llama"), KL(), cancel=cancel, seen=lambda part: cancel.set()
        )
    assert torch.equal(before, lab("llama").run(IDS).logits)


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


def test_groups_are_even_and_none_is_too_large():
    assert split(range(10), 3, 99) == [[0, 1, 2], [3, 4, 5, 6], [7, 8, 9]]
    assert [len(part) for part in split(range(10), 1, 4)] == [3, 4, 3]
    assert split([], 3, 5) == [] and split([4], 3, 5) == [[4]]


def test_the_estimate_of_a_rows_bytes_grows_with_what_it_holds():
    one, two = (lab("llama").run(text(n), capture=(), logits="last") for n in (5, 10))
    all_logits = lab("llama").run(text(10), capture=())
    sizes = [bytes_of_row(lab("llama"), trace) for trace in (one, two, all_logits)]
    assert sizes == sorted(sizes) and sizes[2] - sizes[1] == 4 * 3 * 9 * 97


def test_rows_that_would_join_after_their_edit_run_as_plain_batches(monkeypatch):
    monkeypatch.setattr(growth_module, "enters_at", lambda lab, bounds: 2)
    variants = heads("llama")
    found = grown(lab("llama"), IDS, variants, KL())
    same(found.values, alone("llama", variants, [KL()]))
    assert found.grown == 0 and "reached no site" in found.why

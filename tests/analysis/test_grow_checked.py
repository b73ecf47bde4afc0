"""A growing batch is checked against runs of their own: wrong rows are handed to nobody, whatever
the groups and the precision, and none is larger than the memory."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.batches import bytes_of_row, split, tolerance
from attnlab.analysis.grow import grown
from attnlab.analysis.metrics import KL, CosineDistance, LogProbability, Loss, joined
from attnlab.errors import Cancelled
from attnlab.pretrained import growth as growth_module
from tests.analysis.growing import IDS, alone, heads, same
from tests.families import build, lab, raw_inputs, text


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

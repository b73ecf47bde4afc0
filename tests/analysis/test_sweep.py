"""The sweep of every head: each number is that of one run, whatever the edit, metric and model."""

import json

import pandas as pd
import pytest
import torch

import attnlab as al
from attnlab.analysis.effects import kl_divergence
from attnlab.analysis.sweep import maker, sweep, units_of
from attnlab.errors import Cancelled, EditError, EditRefused, InputError
from tests.families import lab, model, text

IDS, OTHER, GOAL = text(9, seed=3), text(9, seed=8), text(5, seed=9)


def one_at_a_time(name, make, metric, target=None, role=None, heads=None):
    options = metric.asks | ({} if target is None else {"target": target})
    plain = lab(name).run(IDS, **options)
    metric = metric.settled(plain)
    return [
        metric.of(plain, lab(name).run(IDS, edits=[make(layer, head, of)], **options)).mean().item()
        for of, layer, head in units_of(lab(name), role, heads)
    ]


EDITS = {
    "zero": lambda layer, head, role: al.ZeroHead(layer, head, role),
    "mean": lambda layer, head, role: al.MeanHead(layer, head, role),
    "resample": lambda layer, head, role: al.ResampleHead(layer, head, OTHER, role=role),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("name, metric", [("llama", al.KL()), ("bert", al.CosineDistance())])
def test_every_head_equals_a_run_of_its_own(name, metric, edit):
    donor = OTHER if edit == "resample" else None
    frame = sweep(lab(name), IDS, edit, donor=donor)
    assert list(zip(frame["layer"], frame["head"], strict=True)) == [
        (layer, head) for layer in range(3) for head in range(6)
    ]
    assert set(frame["part"]) == {"head"} and set(frame["role"]) == {lab(name).main_role}
    right = one_at_a_time(name, EDITS[edit], metric)
    assert frame["effect"].to_list() == pytest.approx(right, rel=1e-3, abs=1e-6)
    assert frame["effect"].max() > 1e-4
    said = frame.attrs
    assert said["metric"] == metric.to_json() and said["edit"] == edit and said["how"] == "grown"
    assert said["difference"] <= 1e-4 and said["tier"] == "dispatch"
    assert json.loads(json.dumps(said)) == said


@pytest.mark.parametrize("role", ["decoder", "cross", "encoder"])
def test_roles_of_an_encoder_decoder(role):
    frame = sweep(lab("t5"), IDS, metric=al.Loss(), role=role, target=GOAL)
    right = one_at_a_time("t5", EDITS["zero"], al.Loss(), GOAL, role)
    assert frame["effect"].to_list() == pytest.approx(right, rel=1e-3, abs=1e-6)
    assert frame.attrs["how"] == ("batched" if role == "encoder" else "grown")
    assert bool(frame.attrs["why"]) == (role == "encoder")


def test_signed_metrics_chosen_heads_and_positions():
    heads = [(2, 5), (0, 1), (1, 0)]
    frame = sweep(lab("llama"), IDS, heads=heads, metric=al.LogProbability(), positions=(2, -1))
    make = maker("zero", positions=(2, -1))
    right = one_at_a_time("llama", make, al.LogProbability(), heads=heads)
    assert frame["effect"].to_list() == pytest.approx(right, rel=1e-3, abs=1e-6)
    assert list(zip(frame["layer"], frame["head"], strict=True)) == heads
    top = lab("llama").run(IDS).next_tokens(1)[0]
    assert frame.attrs["metric"]["token"] == top[0].id
    assert frame.attrs["plain"] == pytest.approx(torch.tensor(top[1]).log().item(), abs=1e-5)
    one = sweep(lab("llama"), IDS, heads=[(0, 1)], positions=2)
    assert one.equals(sweep(lab("llama"), IDS, heads=[(0, 1)], positions=(2,)))
    everywhere = sweep(lab("llama"), IDS, heads=heads, metric=al.LogProbability())
    assert (everywhere["effect"] - frame["effect"]).abs().max() > 1e-4


def test_a_metric_by_position_gives_a_column_for_each():
    frame = sweep(lab("gpt2"), IDS, metric=al.KL(None), heads=[(1, 2), (0, 3), (2, 2)])
    columns = [f"at {i}" for i in range(9)]
    assert list(frame.columns[5:]) == columns
    assert frame[columns].mean(axis=1).to_list() == pytest.approx(frame["effect"].to_list())
    last = sweep(lab("gpt2"), IDS, heads=[(1, 2), (0, 3), (2, 2)])
    assert frame["at 8"].to_list() == pytest.approx(last["effect"].to_list(), rel=1e-3)


def test_feed_forward_layers_come_after_the_heads():
    frame = sweep(lab("llama"), IDS, feed_forward=True, heads=[(1, 1)])
    assert frame["part"].to_list() == ["head"] + ["feed-forward"] * 3
    assert frame["head"].isna().to_list() == [False, True, True, True]
    plain = lab("llama").run(IDS)
    for layer in range(3):
        edited = lab("llama").run(IDS, edits=[al.ZeroFeedForward(layer)])
        right = al.KL().of(plain, edited).item()
        assert frame["effect"][layer + 1] == pytest.approx(right, rel=1e-3)
    with pytest.raises(EditRefused, match="No feed-forward layer"):
        sweep(lab("t5"), IDS, role="cross", target=GOAL, feed_forward=True)


@pytest.mark.parametrize("edit", ["mean", "resample"])
def test_feed_forward_layers_are_edited_as_heads_are(edit):
    ours, donor = lab("llama"), {"donor": OTHER} if edit == "resample" else {}
    frame = sweep(ours, IDS, edit, heads=[(1, 1)], positions=(2, -1), feed_forward=True, **donor)
    plain = ours.run(IDS, capture="mlp_out")
    given = ours.run(OTHER, capture="mlp_out").mlp_out if donor else plain.mlp_out
    for layer, effect in zip(range(3), frame["effect"][1:], strict=True):
        own = given[layer] if donor else given[layer].mean(0).expand_as(given[layer])

        def replaced(module, args, output, own=own):
            output[:, [2, -1]] = own[[2, -1]]
            return output

        hook = model("llama").model.layers[layer].mlp.register_forward_hook(replaced)
        with torch.no_grad():
            logits = model("llama")(torch.tensor([IDS])).logits[0, -1]
        hook.remove()
        right = float(kl_divergence(plain.logits_at(-1)[None], logits[None]))
        assert effect == pytest.approx(right, rel=1e-3, abs=1e-6) and effect > 1e-5


def test_a_function_is_asked_for_feed_forwards_too():
    def make(layer, head, role):
        return al.ZeroFeedForward(layer) if head is None else al.ZeroHead(layer, head)

    named, own = (sweep(lab("llama"), IDS, edit, feed_forward=True) for edit in ("zero", make))
    assert named.equals(own)


def test_an_edit_of_ones_own_and_what_streams():
    seen = []

    def pair(layer, head, role):
        return [al.ZeroHead(layer, head, role), al.ZeroHead(0, 5, role)]

    frame = sweep(lab("llama"), IDS, pair, groups=3, seen=seen.append)
    assert frame.attrs["edit"] == "own" and len(seen) == 3
    together = pd.concat(seen).sort_values(["layer", "head"], ignore_index=True)
    pd.testing.assert_frame_equal(together, frame)
    zero, alone = (sweep(lab("llama"), IDS, edit=e)["effect"] for e in ("zero", pair))
    assert alone[5] == pytest.approx(zero[5], rel=1e-3)
    assert (alone - zero - zero[5]).abs().max() > 1e-3  # a set is not the sum of its heads


def test_resampling_from_the_same_text_changes_nothing():
    frame = sweep(lab("llama"), IDS, "resample", donor=IDS)
    assert frame["effect"].max() < 1e-9
    with pytest.raises(EditError, match="9"):
        sweep(lab("llama"), IDS, "resample", donor=text(7))
    pairs = [(i, i) for i in range(7)]
    aligned = sweep(lab("llama"), IDS, "resample", donor=text(7, seed=8), at=pairs)
    assert aligned["effect"].max() > 1e-4


def test_a_sweep_can_be_cancelled_and_run_again():
    cancel = al.Cancel()
    with pytest.raises(Cancelled):
        sweep(lab("llama"), IDS, cancel=cancel, progress=lambda share: cancel.set())
    assert len(sweep(lab("llama"), IDS)) == 18


@pytest.mark.parametrize(
    "options, said",
    [
        ({"edit": "remove"}, "'zero', 'mean', 'resample' or a function"),
        ({"edit": "resample"}, "donor="),
        ({"donor": OTHER}, "for edit='resample'"),
        ({"edit": EDITS["zero"], "positions": (1,)}, "says itself where"),
        ({"role": "cross"}, "no heads in the role 'cross'"),
        ({"heads": [(0, 6)]}, r"no head \(0, 6\)"),
        ({"heads": []}, "nothing to sweep"),
        ({"heads": [3]}, "pairs, not 3"),
        ({"heads": (1, 2)}, "pairs, not 1"),
        ({"heads": [(1, 2.5)]}, "whole numbers, not 2.5"),
        ({"groups": 1.5}, "whole numbers, not 1.5"),
        ({"groups": 0}, "one group"),
        ({"metric": "kl"}, "A metric is al.KL"),
    ],
)
def test_what_cannot_be_swept_is_said(options, said):
    with pytest.raises(InputError, match=said):
        sweep(lab("llama"), IDS, **options)


def test_our_own_transformer_gives_the_same():
    theirs, ours = (sweep(r, IDS)["effect"] for r in (lab("llama"), al.rebuild(lab("llama"))))
    assert ours.to_list() == pytest.approx(theirs.to_list(), rel=1e-3, abs=1e-6)


def test_every_head_of_smollm2_on_the_capital_of_france(smollm2):
    """L23H4 matters most of its layer: KL 1.201 nats, " Paris" from 0.773 to 0.141."""
    frame = al.sweep(smollm2, "The capital of France is", heads=[(23, h) for h in range(9)])
    best = frame.loc[frame["effect"].idxmax()]
    assert (best["layer"], best["head"]) == (23, 4)
    assert best["effect"] == pytest.approx(1.201, abs=2e-3)

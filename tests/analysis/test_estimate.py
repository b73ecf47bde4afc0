"""Estimates from one backward pass: right for small changes, and in order for whole ones."""

from dataclasses import dataclass, field

import pytest
import torch

import attnlab as al
from attnlab.analysis import estimate as estimates
from attnlab.analysis.estimate import estimate, estimated, rank_correlation
from attnlab.analysis.grow import grown
from attnlab.analysis.sweep import sweep
from attnlab.errors import Cancelled, EditRefused, InputError, TextTooLong
from attnlab.trace.edits import Bound, Edit
from tests.families import build, lab, raw_inputs, text

IDS, OTHER, GOAL = text(9, seed=3), text(9, seed=8), text(5, seed=9)
SIGNED = [al.LogProbability(), al.LogitDifference(17, 23), al.Loss()]


@dataclass(frozen=True)
class Shrunk(Edit):
    """A head's z, or a feed-forward's output, made smaller by a share."""

    layer: int
    head: int
    stage: str = "z"
    by: float = 2e-3
    kind: str = field(default="shrunk", init=False)

    @property
    def stages(self):
        return frozenset({self.stage})

    def sites(self, runner):
        places = runner.sites if self.stage == "z" else runner.blocks
        role = runner.main_role
        return [p for p in places if p.role == role and p.layer == self.layer]

    def bind(self, runner, donor):
        (place,) = self.sites(runner)

        def change(stage, tensor, where):
            tensor = tensor.clone()
            part = tensor[:, self.head] if stage == "z" else tensor
            part.mul_(1 - self.by)
            return tensor

        return Bound(self, self.stages, lambda other: other == place, change)


def shrunk(stage="z"):
    return [(Shrunk(layer, head, stage),) for layer in range(3) for head in (0, 3)]


def in_double(name):
    """The model in float64, where a change of a thousandth is no rounding error."""
    return al.load(build(name).double())


@pytest.mark.parametrize("stage", ["z", "mlp_out"])
@pytest.mark.parametrize("name", ["llama", "t5"])
def test_small_changes_of_signed_metrics_are_met(name, stage):
    more = {"target": GOAL} if name == "t5" else {}
    runner = in_double(name)
    variants = shrunk(stage) if name == "llama" else [v for v in shrunk(stage) if v[0].layer < 2]
    for metric in SIGNED:
        found = estimated(runner, IDS, variants, metric, **more)
        exact = grown(runner, IDS, variants, metric, **more).values[0]
        gap = (found.values - exact).abs().max()
        assert gap <= 0.02 * exact.abs().max() and found.order == 1
        assert exact.abs().max() > 1e-6


@pytest.mark.parametrize("name, metric", [("llama", al.KL(4)), ("bert", al.CosineDistance())])
def test_small_changes_of_what_is_least_at_the_plain_run(name, metric):
    """With every token, and with many directions, the second order is all there is."""
    runner = in_double(name)
    found = estimated(runner, IDS, shrunk(), metric, k=97 if name == "llama" else 3000)
    exact = grown(runner, IDS, shrunk(), metric).values[0]
    assert found.order == 2 and exact.max() > 1e-9
    assert torch.allclose(found.values, exact, rtol=0.02 if name == "llama" else 0.2, atol=1e-12)


@pytest.mark.parametrize("edit", ["zero", "mean", "resample"])
def test_heads_come_in_about_the_right_order(edit):
    donor = OTHER if edit == "resample" else None
    for metric, least in ((al.KL(), 0.85), (al.LogitDifference(17, 23), 0.7)):
        frames = [f(lab("gpt2"), IDS, edit, metric, donor=donor) for f in (sweep, estimate)]
        assert list(frames[0].columns) == list(frames[1].columns)
        assert frames[0][["layer", "head"]].equals(frames[1][["layer", "head"]])
        assert rank_correlation(*(frame["effect"] for frame in frames)) > least
        said = frames[1].attrs
        assert said["unit"] == frames[0].attrs["unit"] and said["how"] == "estimated"
        assert (said["order"], said["k"]) == ((2, 16) if metric == al.KL() else (1, 1))


def test_the_definition_by_hand():
    """−z · gradient, for a zeroed head; (mean − z) · gradient, for its mean."""
    trace = lab("llama").run(IDS, capture=("z",), grad=True)
    score = trace.logits[-1].double().log_softmax(-1)[17]
    z = trace.graph["z", "decoder", 1]
    (slope,) = torch.autograd.grad(score, z)
    z = z.detach()
    for edit, moved in (("zero", -z), ("mean", z.mean(2, keepdim=True) - z)):
        frame = estimate(lab("llama"), IDS, edit, al.LogProbability(17), [(1, h) for h in range(6)])
        right = (slope * moved).sum((0, 2, 3))
        assert frame["effect"].to_list() == pytest.approx(right.tolist(), rel=1e-4, abs=1e-7)


def test_chosen_positions_sets_and_shared_edits():
    metric, shared = al.LogProbability(17), (al.Temperature(2.0),)
    pair = [(al.ZeroHead(0, 1), al.ZeroHead(2, 3)), al.ZeroHead(0, 1), al.ZeroHead(2, 3)]
    both, *single = estimated(lab("llama"), IDS, pair, metric, edits=shared).values
    assert float(both) == pytest.approx(float(sum(single)), rel=1e-6)  # that is what it leaves out
    per = [estimate(lab("llama"), IDS, "zero", metric, [(1, 2)], positions=(i,)) for i in range(9)]
    whole = estimate(lab("llama"), IDS, "zero", metric, [(1, 2)])
    total = sum(frame["effect"][0] for frame in per)
    assert total == pytest.approx(whole["effect"][0], rel=1e-4)


def test_of_two_edits_of_one_head_the_later_counts():
    metric, late = al.LogProbability(17), al.MeanHead(1, 2)
    both, one = estimated(lab("llama"), IDS, [(al.ZeroHead(1, 2), late), late], metric).values
    assert float(both) == float(one) != 0


def test_feed_forwards_and_cross_attention():
    frame = estimate(lab("gpt2"), IDS, feed_forward=True, heads=[(0, 0)])
    assert (
        frame["part"].to_list() == ["head"] + ["feed-forward"] * 3 and (frame["effect"] > 0).all()
    )
    crossed = estimate(lab("t5"), IDS, metric=al.Loss(), role="cross", target=GOAL)
    assert len(crossed) == 18 and crossed["effect"].abs().max() > 1e-4


def test_directions_that_go_backward_in_parts_give_the_same(monkeypatch):
    whole = estimate(lab("llama"), IDS)
    monkeypatch.setattr(estimates, "_TOKENS", 30)
    parts = estimate(lab("llama"), IDS)
    assert parts["effect"].to_list() == pytest.approx(whole["effect"].to_list(), rel=1e-5)


def test_long_texts_go_by_fewer_tokens_and_pictures_have_estimates_too(monkeypatch):
    monkeypatch.setattr(estimates, "_LIKELIEST", {8: 16, 12: 4})
    assert estimate(lab("llama"), IDS).attrs["k"] == 4
    assert estimate(lab("llama"), text(8)).attrs["k"] == 16
    vit, picture = lab("vit"), raw_inputs("vit", batch=1)
    frames = [f(vit, picture, metric=al.CosineDistance(0)) for f in (sweep, estimate)]
    assert rank_correlation(*(frame["effect"] for frame in frames)) > 0.6


def test_the_model_is_as_it_was_and_no_gradient_is_left():
    before = lab("llama").run(IDS).logits
    estimate(lab("llama"), IDS)
    assert torch.equal(before, lab("llama").run(IDS).logits)
    assert all(weight.grad is None for weight in lab("llama").model.parameters())


def test_what_cannot_be_estimated_is_said(monkeypatch):
    with pytest.raises(InputError, match="no estimate of KL divergence at each position"):
        estimate(lab("llama"), IDS, metric=al.KL(None))
    with pytest.raises(InputError, match="a number for each position"):
        estimate(lab("llama"), IDS, metric=al.Loss(each=True))
    with pytest.raises(EditRefused, match="no estimate of Temperature"):
        estimated(lab("llama"), IDS, [al.Temperature(2.0)], al.KL())
    for wrong in (0, -1, 1.5):
        with pytest.raises(InputError):
            estimate(lab("llama"), IDS, k=wrong)
    with pytest.raises(InputError, match="A metric is"):
        estimate(lab("llama"), IDS, metric="kl")
    cancel = al.Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        estimate(lab("llama"), IDS, cancel=cancel)
    monkeypatch.setattr(estimates, "MOST_TOKENS", 8)
    with pytest.raises(TextTooLong, match="9 tokens; effects are estimated up to 8"):
        estimate(lab("llama"), IDS)


def test_rank_correlation():
    assert rank_correlation([1, 2, 3, 9], [2, 4, 5, 6]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert rank_correlation([1, 1, 2], [1, 2, 3]) == pytest.approx(0.8660254, abs=1e-6)


def test_every_head_of_smollm2_estimated_and_exact(smollm2):
    """Rank correlation with the exact effects of all 270 heads: 0.97 for the log-probability of
    the likeliest token; for KL 0.97 by 16 tokens, 0.88 by 4."""
    sentence = "The animal didn't cross the street because it was too tired."
    units = [(site.layer, head) for site in smollm2.sites for head in range(site.heads)]
    variants = [al.ZeroHead(*unit) for unit in units]
    kl, log_p = grown(smollm2, sentence, variants, [al.KL(), al.LogProbability()]).values
    for metric, k, exact, right in (
        (al.KL(), 16, kl, 0.97),
        (al.KL(), 4, kl, 0.88),
        (al.LogProbability(), None, log_p, 0.97),
    ):
        found = estimate(smollm2, sentence, metric=metric, k=k)
        assert rank_correlation(found["effect"], exact) == pytest.approx(right, abs=0.01)


def test_of_an_empty_target_the_first_word_is_asked_for():
    """A text, which the tokenizer would refuse if it were one to be read."""
    found = estimate(al.load("dates"), "4 July 1999", target="")
    assert found.effect.abs().sum() > 0

"""Each metric from its definition, and what it asks a run to keep."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.metrics import (
    KL,
    CosineDistance,
    LogitDifference,
    LogProbability,
    Loss,
    default_metric,
    joined,
    metric_from_json,
)
from attnlab.errors import InputError
from tests.families import build, lab, text, tokenizer

IDS, GOAL = text(11, seed=3), text(5, seed=8)
EDITS = (al.ZeroHead(1, 2), al.Temperature(2.0))


def both(metric, name="llama", target=None):
    """The plain and the edited run, with no more than the metric asks for."""
    more = {} if target is None else {"target": target}
    return [lab(name).run(IDS, edits=e, **metric.asks, **more) for e in ((), EDITS)]


def whole(name="llama", target=None):
    more = {} if target is None else {"target": target}
    traces = (lab(name).run(IDS, edits=e, capture=("final",), **more) for e in ((), EDITS))
    return [(t.logits.double().log_softmax(-1), t.final.double()) for t in traces]


@pytest.mark.parametrize("name, target", [("llama", None), ("t5", GOAL)])
def test_kl_here_and_everywhere(name, target):
    (p, _), (q, _) = whole(name, target)
    right = (p.exp() * (p - q)).sum(-1)
    for position in (-1, 2):
        metric = KL(position)
        assert float(metric.of(*both(metric, name, target))) == pytest.approx(
            float(right[position]), rel=1e-5
        )
    every = KL(None).of(*both(KL(None), name, target))
    assert torch.allclose(every, right, rtol=1e-5, atol=1e-9) and not KL().signed


def test_many_predictions_at_once_equal_each_alone():
    plain, *edited = [
        lab("llama").run(IDS, edits=e, capture=())
        for e in ((), *((al.ZeroHead(0, h),) for h in range(6)))
    ]
    for metric in (KL(), KL(None), KL(3)):
        together = metric.of_each(plain, edited)
        assert torch.equal(together, torch.stack([metric.of(plain, one) for one in edited]))
        assert len(together) == 6 and not metric.of(plain, plain).any()


def test_a_tokens_log_probability_and_a_difference_of_logits():
    (p, _), (q, _) = whole()
    change = (q - p)[4]
    metric = LogProbability(17, position=4)
    assert float(metric.of(*both(metric))) == pytest.approx(float(change[17]), abs=1e-6)
    metric = LogitDifference(17, 23, position=4)
    assert float(metric.of(*both(metric))) == pytest.approx(
        float(change[17] - change[23]), abs=1e-6
    )
    assert metric.signed and metric.unit == "logits"
    plain, edited = both(metric)
    assert float(metric.value(edited) - metric.value(plain)) == float(metric.of(plain, edited))


def test_the_likeliest_token_of_the_plain_run_is_filled_in():
    with pytest.raises(InputError, match="resolved first"):
        LogProbability().value(lab("llama").run(IDS))
    top = int(lab("llama").run(IDS).logits[-1].argmax())
    assert LogProbability().resolved(lab("llama"), IDS) == LogProbability(top)
    crossed = int(lab("t5").run(IDS, target=GOAL).logits[1].argmax())
    assert LogProbability(position=1).resolved(lab("t5"), IDS, GOAL).token == crossed


@pytest.mark.parametrize("name, target", [("llama", None), ("t5", GOAL)])
def test_the_loss_of_a_text(name, target):
    (p, _), (q, _) = whole(name, target)
    ids = torch.tensor(GOAL if target else IDS[1:])
    right = (p - q)[: len(ids)].gather(-1, ids[:, None])[:, 0]
    each, mean = Loss(each=True), Loss()
    assert torch.allclose(each.of(*both(each, name, target)), right, atol=1e-6)
    assert float(mean.of(*both(mean, name, target))) == pytest.approx(float(right.mean()), abs=1e-6)
    with pytest.raises(InputError, match="has no loss"):
        mean.value(lab("llama").run([7], **mean.asks))


@pytest.mark.parametrize("name", ["bert", "llama"])
def test_how_far_vectors_turn(name):
    (_, a), (_, b) = whole(name)
    away = 1 - (a * b).sum(-1) / a.norm(dim=-1) / b.norm(dim=-1)
    each = CosineDistance("each")
    assert torch.allclose(each.of(*both(each, name)), away, atol=1e-7)
    assert float(CosineDistance(3).of(*both(each, name))) == pytest.approx(float(away[3]), abs=1e-7)
    a, b = a.mean(0), b.mean(0)
    right = float(1 - a @ b / a.norm() / b.norm())
    assert float(CosineDistance().of(*both(each, name))) == pytest.approx(right, abs=1e-7)
    with pytest.raises(InputError, match="no position 11; this text has 11"):
        CosineDistance(11).of(*both(each, name))


def test_what_several_metrics_ask_of_one_run():
    assert joined([KL(), LogProbability(7, position=2)]) == {"capture": (), "logits": (-1, 2)}
    assert joined([CosineDistance()]) == {"capture": ("final",), "logits": None}
    assert joined([Loss(), KL()])["logits"] == "loss"
    assert joined([Loss(), KL(3)])["logits"] == "all"
    assert joined([KL(None), CosineDistance()]) == {"capture": ("final",), "logits": "all"}
    metrics = [Loss(), Loss(each=True), KL(3), CosineDistance(), LogitDifference(7, 9)]
    asks = joined(metrics)
    plain, edited = (lab("llama").run(IDS, edits=e, **asks) for e in ((), EDITS))
    for metric in metrics:
        assert torch.allclose(metric.of(plain, edited), metric.of(*both(metric)), atol=1e-6)


def test_words_become_the_ids_of_one_token():
    worded = al.load(build("llama"), tokenizer=tokenizer())
    assert LogProbability("w17").resolved(worded) == LogProbability(17)
    assert LogitDifference("w17", 9).resolved(worded) == LogitDifference(17, 9)
    with pytest.raises(InputError, match="is 2 tokens"):
        LogProbability("w17 w18").resolved(worded)
    with pytest.raises(InputError, match="without a tokenizer"):
        LogProbability("w17").resolved(lab("llama"))


def test_models_that_predict_nothing_say_so():
    for metric in (KL(), LogProbability(7), LogitDifference(7, 8)):
        assert metric.resolved(lab("bert")) == metric
        with pytest.raises(InputError, match="no language-model head"):
            metric.resolved(lab("vit"))
    with pytest.raises(InputError, match="predicts no next token"):
        Loss().resolved(lab("bert"))
    assert default_metric(lab("bert")) == CosineDistance()
    assert default_metric(lab("t5")) == default_metric(lab("llama")) == KL()


def test_tokens_and_positions_that_are_none_are_refused():
    for metric in (LogProbability(-3), LogProbability(97), LogitDifference(-3, 5)):
        with pytest.raises(InputError, match="is no token id here; the ids are 0 to 96"):
            metric.of(*both(metric))
    for wrong in (1.5, (1, 2), None, "last"):
        for kind in (LogProbability, KL, CosineDistance):
            if not (kind is KL and wrong is None):
                with pytest.raises(InputError, match=r"whole numbers|position, not"):
                    kind(**{"over" if kind is CosineDistance else "position": wrong})
    with pytest.raises(InputError, match="whole numbers"):
        LogProbability(1.5).resolved(lab("llama"))


def test_json_there_and_back():
    for metric in (
        KL(None),
        LogProbability(7, 2),
        LogitDifference(1, 2),
        Loss(True),
        CosineDistance(4),
    ):
        assert metric_from_json(metric.to_json()) == metric
        assert (
            metric.name and metric.unit and hash(metric) == hash(metric_from_json(metric.to_json()))
        )
    for wrong, said in (
        ({"kind": "entropy"}, "no metric of kind 'entropy'; there are kl"),
        ({}, "no metric of kind None"),
        ({"kind": "kl", "token": 3}, "has no field 'token'"),
        ({"kind": "logit_difference"}, "incomplete"),
    ):
        with pytest.raises(InputError, match=said):
            metric_from_json(wrong)
    with pytest.raises(InputError, match="'mean', 'each' or a position"):
        CosineDistance("median")

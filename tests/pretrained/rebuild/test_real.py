"""The packaged models, rebuilt: the logits and every head's weights are the models' own."""

import pytest

import attnlab as al
from tests.pretrained.rebuild import EDITS, largest

PAIR = "The animal didn't cross the street because it was too wide."


@pytest.fixture(scope="module")
def ours(smollm2):
    return al.rebuild(smollm2)


def test_smollm2(smollm2, ours):
    stages = sorted(smollm2.stages)
    found, right = (r.run(PAIR, capture=stages) for r in (ours, smollm2))
    assert largest(found.logits, right.logits) <= 5e-4
    assert largest(found.weights.stack(), right.weights.stack()) <= 1e-5
    for stage in set(stages) - {"weights", "final"}:
        stack, kept = getattr(found, stage).stack(), getattr(right, stage).stack()
        size = max(1.0, float(kept[kept.isfinite()].abs().max()))
        assert largest(stack, kept) <= 1e-5 * size, stage
    assert found.next_tokens(3)[0][0] == right.next_tokens(3)[0][0]


@pytest.mark.parametrize("edit", EDITS)
def test_smollm2_under_edits(smollm2, ours, edit):
    edits = EDITS[edit](None)
    found, right = (r.run(PAIR, edits=edits) for r in (ours, smollm2))
    assert largest(found.logits, right.logits) <= 5e-4
    assert largest(found.weights.stack(), right.weights.stack()) <= 1e-5


def test_smollm2_continues_alike(smollm2, ours):
    options = {"max_new_tokens": 5, "capture": ()}
    found = ours.generate("The capital of France is", **options)
    right = smollm2.generate("The capital of France is", **options)
    assert found.tokens == right.tokens and "Paris" in found.tokens[5].text
    assert largest(found.logits, right.logits) <= 5e-4


def test_figures_of_the_cases_hold_in_our_transformer(ours):
    """Those of shared heads and effects that the pages speak of."""
    trace = ours.run(PAIR)
    assert trace.weights[4, 2][11, 6] == pytest.approx(0.46, abs=0.005)
    run = ours.run("The capital of France is", edits=al.ZeroHead(23, 4))
    assert run.next_tokens(1)[0][1] == pytest.approx(0.141, abs=5e-4)


def test_minilm(minilm):
    ours = al.rebuild(minilm)
    assert ours.trust.sentence.startswith("Our transformer. Largest output difference from")
    for edits in ((), *(make(None) for make in EDITS.values())):
        stages = sorted(minilm.stages) if not edits else ("weights", "final")
        found, right = (r.run(PAIR, capture=stages, edits=edits) for r in (ours, minilm))
        assert largest(found.final, right.final) <= 1e-5
        assert largest(found.weights.stack(), right.weights.stack()) <= 1e-5


def test_smollm2_says_how_far_apart(ours):
    sentence = ours.trust.sentence
    assert sentence.startswith("Our transformer. Largest logit difference from transformers: ")
    assert sentence.endswith(" (float32).") and ours.trust.difference <= 5e-4
    assert ours.run("Hi", capture=()).how["tier"] == "ours"

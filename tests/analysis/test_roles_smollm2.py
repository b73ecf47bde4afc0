"""Head roles of the packaged models: known numbers, and heads that are known by other means."""

import pytest
import torch

from attnlab.analysis import roles
from attnlab.analysis.roles.drawn import repeated
from attnlab.analysis.roles.plan import ids_of
from attnlab.analysis.roles.scan import weights_of
from attnlab.analysis.roles.score import scored
from attnlab.analysis.roles.where import looks_of

KNOWN = {(18, 6): 0.90, (17, 3): 0.66, (17, 4): 0.59, (23, 2): 0.57}
"""The mean of a diagonal of 41 weights: 40 of the second copy, and one that finds no copy."""


def test_induction_scores_are_the_known_numbers(smollm2):
    (probe,) = repeated(ids_of(smollm2, "decoder", None), 1, 0)
    trace = smollm2.run(probe.given, logits="loss")
    look = looks_of(probe, trace.tokens, causal=True)["induction"]
    scores, chance = scored(weights_of(trace, "decoder"), look, False, torch.Generator())
    found = {divmod(int(i), 9): float(scores[i]) for i in scores.topk(4).indices}
    assert list(found) == list(KNOWN)
    for head, known in KNOWN.items():
        before = float(trace.weights[head][39, 0])  # the last token of the first copy
        assert (40 * found[head] + before) / 41 == pytest.approx(known, abs=0.005 + 1e-6)
        assert found[head] == pytest.approx(known, abs=0.015)
    assert float(chance.max()) < 0.1
    # The first token of the second copy belongs to neither: nothing announces it.
    assert float(trace.losses[:39].mean()) == pytest.approx(14.16, abs=0.005)
    assert float(trace.losses[40:].mean()) == pytest.approx(3.77, abs=0.005)


@pytest.mark.slow
def test_heads_of_smollm2_that_are_known_by_other_means(smollm2):
    found = roles.measure(smollm2, probes=3)
    names = found.names()
    assert found.left_out == ()
    assert names[18, 6][0] == "induction" and "pattern successor" in names[18, 6]
    assert names[16, 0][0] == "previous token"
    assert found.strongest("subject of verb", 1)[0].layer == 13  # L13H8: it → animal 0.75
    assert "subject of verb" in names[13, 8] and "pronoun" in names[13, 8]


@pytest.mark.slow
def test_heads_of_minilm_that_are_known_by_other_means(minilm):
    """L3H1 looks from it to the animal or the street."""
    found = roles.measure(minilm, probes=3)
    assert "pronoun" in found.names()[3, 1]
    assert found.strongest("previous token", 1)[0].score > 0.95
    assert {row.role for row in found.rows} == {role.name for role in roles.ROLES}

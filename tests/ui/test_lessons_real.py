"""The experiments of “A real head” and “Why √d”: what each sentence claims is computed again."""

import numpy as np
import pytest

from attnlab.analysis import opened as core
from attnlab.analysis import scaling
from attnlab.ui import steps_lessons
from attnlab.ui.selection import DEFAULT
from attnlab.ui.steps_lessons import Stage


def stage(name: str) -> Stage:
    return steps_lessons.named(name)[1]


def head_of(lab, name: str) -> tuple[core.Opened, int]:
    """The head that a stage opens, and its key."""
    wish = stage(name).shared
    site = next(s for s in lab.sites if s.layer == wish["layer"])
    captures = core.captures(site, wish["head"], wish["position"], lab.stages)
    trace = lab.run(wish["a" if wish["side"] == "A" else "b"], capture=captures, logits=None)
    return core.opened(trace, site, wish["head"], wish["position"]), wish["key"]


def row_of(name: str) -> scaling.Compared:
    """The row of scores that a stage shows."""
    shown = stage(name).value
    if shown.scores == "six":
        return scaling.compared(scaling.SIX, scaling.SIX_SIZE)
    return scaling.compared(scaling.sample().of(shown.d, shown.draw), shown.d)


def test_each_panel_has_one_and_a_change_ends_it():
    assert steps_lessons.of("real") and steps_lessons.of("why")
    long = stage("long").value
    assert steps_lessons.active(long, DEFAULT)
    for change in ({"d": 64}, {"draw": 1}, {"scores": "six"}):
        changed = type(long)(**{**vars(long), **change})
        assert steps_lessons.active(changed, DEFAULT) is None


def test_the_same_street_is_asked_two_questions(smollm2):
    assert smollm2.name == stage("street-wide").shared["model"]
    (wide, street), (tired, _) = head_of(smollm2, "street-wide"), head_of(smollm2, "street-tired")
    assert len(wide.products(street)) == 64
    assert round(float(wide.scores[street])) == 53 and round(float(tired.scores[street])) == 26
    assert round(float(wide.weights[street]), 2) == 0.46
    assert round(float(tired.weights[street]), 2) == 0.06
    np.testing.assert_allclose(wide.k[street], tired.k[street], atol=1e-5)
    assert np.abs(wide.q - tired.q).max() > 0.5


def test_longer_vectors_make_harder_choices():
    short, long = row_of("one-number"), row_of("long")
    np.testing.assert_array_equal(*short.weights)
    divided, raw = long.weights
    assert raw.max() > 0.999 and long.gradient[1] < 1e-6
    assert np.sort(divided)[-3] > 0.05 and divided.max() < 0.5


def test_six_scores_make_two_rows():
    divided, raw = row_of("six-scores").weights
    assert raw[0] > 0.999
    assert divided[1:].sum() == pytest.approx(0.5, abs=0.01)

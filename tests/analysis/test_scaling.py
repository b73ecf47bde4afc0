"""Why scores are divided by √d: every figure against its definition or a closed form."""

from itertools import pairwise

import numpy as np
import pytest

from attnlab.analysis import scaling
from attnlab.analysis.scaling import SIX, SIX_SIZE, SIZES


@pytest.fixture(scope="module")
def drawn() -> scaling.Sample:
    return scaling.sample()


@pytest.fixture(scope="module")
def curves(drawn) -> scaling.Curves:
    return scaling.curves(drawn)


def test_the_lengths_are_log_steps_from_1_to_4096():
    assert (SIZES[0], SIZES[-1]) == (1, 4096) and len(SIZES) == 24
    steps = [b / a for a, b in pairwise(SIZES)]
    assert max(steps[1:]) <= 1.5 + 1e-9 and min(steps) > 1.3


@pytest.mark.parametrize("d, right", [(4, 2.0), (1024, 32.0), (1, 1.0), (4096, 64.0)])
def test_a_score_deviates_by_the_root_of_d_and_by_1_after_division(curves, d, right):
    assert scaling.expected_deviation(d) == right
    scaled, raw = (line[SIZES.index(d)] for line in curves.deviation)
    # The error of the estimate: scores of one draw share their query.
    assert raw == pytest.approx(right, rel=0.05)
    assert scaled == pytest.approx(1, rel=0.05)


def test_six_scores_are_one_key_alone_unless_they_are_scaled():
    assert max(SIX) - min(SIX) == pytest.approx(27.4, abs=0.06)
    assert scaling.softmax(np.array(SIX))[0] == pytest.approx(0.9997, abs=1e-4)
    scaled = scaling.softmax(np.array(SIX) / np.sqrt(SIX_SIZE))
    assert scaled == pytest.approx([0.495, 0.016, 0.066, 0.163, 0.102, 0.157], abs=1e-3)


def test_softmax_entropy_and_gradient_follow_their_definitions():
    random = np.random.default_rng(5)
    for scores in random.standard_normal((7, 5)) * np.array([0.1, 1, 3, 10, 40, 0, 1000])[:, None]:
        p = scaling.softmax(scores)
        assert p.sum() == pytest.approx(1, abs=1e-15)
        assert scaling.entropy(p) == pytest.approx(-sum(x * np.log(x) for x in p if x), abs=1e-12)
        jacobian = np.diag(p) - np.outer(p, p)
        assert scaling.gradient_size(p) == pytest.approx(np.linalg.norm(jacobian), abs=1e-12)


def test_an_even_blend_has_the_largest_entropy_and_one_key_alone_none():
    even = np.full(16, 1 / 16)
    assert scaling.entropy(even) == pytest.approx(np.log(16))
    assert scaling.entropy(np.eye(16)[3]) == 0
    assert scaling.gradient_size(np.eye(16)[3]) == 0


def test_a_gradient_that_all_but_vanished_keeps_its_figures():
    """p = (1 − 2ε, ε, ε): ‖diag(p) − p pᵀ‖ is √10 ε, to first order, however small ε is."""
    p = scaling.softmax(np.array([0.0, -50.0, -50.0]))
    assert scaling.gradient_size(p) / p[1] == pytest.approx(np.sqrt(10), rel=1e-12)


def test_the_gradient_vanishes_without_the_division_and_not_with_it(curves):
    apart = [SIZES.index(d) for d in (16, 64, 256, 1024, 4096)]
    for scaled, raw in (curves.gradient, curves.typical):
        assert (np.diff(raw[apart]) < 0).all()
        assert raw[-1] < 0.15 * scaled[-1]
        assert scaled[-1] == pytest.approx(scaled[SIZES.index(64)], rel=0.05)
    assert curves.typical[1][-1] < 1e-3
    scaled, raw = curves.entropy
    assert raw[-1] < 0.15 and scaled[-1] > 2.2
    assert max(scaled.max(), raw.max()) < np.log(16)


def test_a_seed_gives_the_same_draws_and_a_draw_the_same_vectors_at_every_length():
    one, other = (scaling.sample(3, draws=5, keys=4, sizes=(1, 2, 8)) for _ in range(2))
    assert (one.scores == other.scores).all()
    # A shorter longest length would draw other vectors, so cutting is checked on the numbers.
    random = np.random.default_rng(3)
    query = random.standard_normal(8, np.float32)
    keys = random.standard_normal((4, 8), np.float32)
    for d in (1, 2, 8):
        right = (query[:d] * keys[:, :d]).sum(1, dtype=np.float64)
        assert one.of(d, 0) == pytest.approx(right, abs=1e-6)
    assert (one.of(8, 5) == one.of(8, 0)).all()


def test_the_draw_that_is_shown_first_is_like_most(drawn):
    for d in (16, 64, 256, 1024):
        weights = scaling.softmax(drawn.scores[SIZES.index(d)])
        typical = np.median(scaling.entropy(weights))
        first = scaling.compared(drawn.of(d, 0), d)
        assert first.entropy[1] == pytest.approx(typical, abs=0.15)
        assert first.entropy[0] == pytest.approx(2.36, abs=0.2)
        assert first.even == pytest.approx(np.log(16))


@pytest.mark.parametrize("d, near", [(1, 1), (100, 96), (4096, 4096), (5, 6), (80, 96)])
def test_the_nearest_length(d, near):
    assert scaling.nearest(d) == near

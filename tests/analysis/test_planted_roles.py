"""Roles against planted truth: heads set by hand are named right, random heads are not named."""

import pytest

from attnlab.analysis.roles import measure
from tests.families import worded

RANDOM = 20


def test_heads_set_by_hand_are_named_right_and_the_others_not_at_all(tmp_path):
    lab = worded.lab_of(worded.planted(), tmp_path)
    found = measure(lab, probes=3)
    assert found.left_out == ()
    named = {head: set(roles) for head, roles in found.names().items()}
    assert named == worded.ROLES
    for head, roles in worded.ROLES.items():
        for row in found.of(*head):
            if row.role in roles:
                assert row.score > 0.89, row  # 1 but for a few rows that no weight could serve
    # What says most of a head comes first.
    assert found.names()[0, 0] == ("previous token", "position only")


@pytest.mark.parametrize("seed", [5, 23])
def test_they_are_named_right_whatever_the_seed(tmp_path, seed):
    found = measure(worded.lab_of(worded.planted(), tmp_path), probes=2, seed=seed)
    assert {head: set(roles) for head, roles in found.names().items()} == worded.ROLES


@pytest.mark.slow
def test_fewer_than_one_random_head_in_a_hundred_is_named(tmp_path):
    """20 random decoders of 4 layers of 8 heads, at the thresholds and on the probes that ship."""
    heads, named = 0, []
    for seed in range(RANDOM):
        found = measure(worded.lab_of(worded.random(seed), tmp_path, f"random-{seed}"))
        heads += len({(row.layer, row.head) for row in found.rows})
        named += [(seed, *head, *roles) for head, roles in found.names().items()]
    assert heads == 640
    assert len(named) / heads < 0.01, named

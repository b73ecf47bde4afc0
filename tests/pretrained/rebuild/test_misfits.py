"""Configurations that transformers runs and our modules would not: refused in a sentence too."""

import pytest

import attnlab as al
from attnlab.errors import RebuildRefused
from tests.families import build
from tests.pretrained.rebuild import SOURCE, largest


def rope(kind, **options):
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 1e4, **options}}


@pytest.mark.parametrize(
    ("family", "changes", "said"),
    [
        ("gpt_neox", rope("default", partial_rotary_factor=0.5), "5 coordinates .* must be even"),
        ("mistral", {"sliding_window": 0}, "a window of 0 does not hold the token itself"),
    ],
)
def test_sizes_that_do_not_fit(family, changes, said):
    with pytest.raises(RebuildRefused, match=f"does not fit our transformer: {said}"):
        al.rebuild(al.load(build(family, **changes)))


def test_what_a_scaling_does_not_read_does_not_matter():
    lab = al.load(build("llama", **rope("linear", factor=2.0, original_max_position_embeddings=0)))
    assert largest(al.rebuild(lab).run(SOURCE).logits, lab.run(SOURCE).logits) <= 1e-5

"""Configurations that transformers runs and our modules would not: refused in a sentence too."""

import pytest

import attnlab as al
from attnlab.errors import InputError, RebuildRefused, UnsupportedModel
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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda: None, "not None"),
        (lambda: "gpt2", "not 'gpt2'"),
        (lambda: "x" * 10_000, "not 'xxx.{1,60}$"),
        (lambda: build("gpt2"), "not a GPT2LMHeadModel"),
    ],
)
def test_what_is_no_lab(given, said):
    with pytest.raises(InputError, match=f"rebuild takes a Lab, which al.load gives, {said}"):
        al.rebuild(given())


@pytest.mark.parametrize("buckets", [1, 3])
def test_what_transformers_itself_cannot_run_is_refused_when_it_is_loaded(buckets):
    with pytest.raises(UnsupportedModel, match=r"cannot be run on a short text: .*division"):
        al.load(build("t5", relative_attention_num_buckets=buckets))

"""Edits are values: compared, hashed, written as JSON and read back."""

import json
import time

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import attnlab as al
from attnlab.errors import CaptureError, EditError
from attnlab.trace.capture import as_captures
from attnlab.trace.edits.patch import OF_ATTENTION, OF_STREAM
from attnlab.trace.edits.pattern import DRAWN

NUMBERS = st.integers(0, 50)
SOME = st.none() | st.lists(NUMBERS, min_size=1, max_size=4).map(tuple)
ROLES = st.sampled_from([None, "encoder", "decoder", "cross"])
PLACES = st.none() | st.lists(st.integers(-9, 50), min_size=1, max_size=3, unique=True)
WORDS = st.text(min_size=1) | st.lists(NUMBERS, min_size=1, max_size=4)
OWN = {"positions": PLACES, "what": st.sampled_from("zqkv")}
DONOR = {"donor": WORDS, "donor_target": st.none() | WORDS, "role": ROLES}
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=3, unique_by=lambda p: p[0])
ROWS = st.lists(st.lists(st.floats(0, 2), min_size=2, max_size=2), min_size=1, max_size=3)
EDITS = st.one_of(
    st.builds(al.ZeroHead, NUMBERS, NUMBERS, ROLES, **OWN),
    st.builds(al.MeanHead, NUMBERS, NUMBERS, ROLES, **OWN, corpus=st.lists(WORDS, max_size=2)),
    st.builds(al.ResampleHead, NUMBERS, NUMBERS, **OWN, **DONOR),
    st.builds(al.ZeroFeedForward, NUMBERS, positions=PLACES, role=ROLES),
    st.builds(al.MeanFeedForward, NUMBERS, positions=PLACES, role=ROLES),
    st.builds(al.Patch, st.sampled_from(OF_ATTENTION), NUMBERS, NUMBERS, at=PAIRS, **DONOR),
    st.builds(al.Patch, st.sampled_from(OF_STREAM), NUMBERS, positions=PLACES, **DONOR),
    st.builds(al.Pattern, NUMBERS, NUMBERS, st.sampled_from(DRAWN) | ROWS, positions=PLACES),
    st.builds(al.Temperature, st.floats(0.01, 1e3), SOME, SOME, ROLES),
)


@given(edits=st.lists(EDITS, max_size=4))
def test_json_and_back(edits):
    text = json.dumps([edit.to_json() for edit in edits])
    again = [al.edit_from_json(data) for data in json.loads(text)]
    assert again == edits
    assert hash(tuple(again)) == hash(tuple(edits))


@given(one=EDITS, other=EDITS)
def test_two_edits_share_a_key_only_if_they_do_the_same(one, other):
    assert (one == other) == (one.to_json() == other.to_json())


def test_kinds_keep_equal_fields_apart():
    assert al.ZeroHead(1, 2) != al.MeanHead(1, 2)
    assert al.ZeroHead(1, 2).to_json()["kind"] != al.MeanHead(1, 2).to_json()["kind"]
    assert len({al.ZeroHead(1, 2), al.ZeroHead(1, 2), al.MeanHead(1, 2)}) == 2


def test_a_text_and_places_compare_in_whatever_form_they_came():
    one = al.ResampleHead(1, 2, [5, 6], positions=3)
    assert one == al.ResampleHead(1, 2, torch.tensor([5, 6]), positions=[3, 3])
    assert one != al.ResampleHead(1, 2, "5, 6", positions=3)
    pair = al.Patch("z", 1, 2, donor=[5], at=[[1, 2]])
    assert pair == al.Patch("z", 1, 2, donor=(5,), at=((1, 2),))
    assert al.MeanHead(1, 2, corpus=["a", [3, 4]]).corpus == ("a", (3, 4))


@pytest.mark.parametrize(
    "make, named",
    [
        (lambda: al.ZeroHead(1, 2, what="weights"), "what= is one of z, q, k, v, not 'weights'"),
        (lambda: al.ResampleHead(1, 2), "needs another text: donor="),
        (lambda: al.ResampleHead(1, 2, 7), "donor= is a text or a list of its token ids, not '7'"),
        (lambda: al.ResampleHead(1, 2, []), "donor= is a text or a list"),
        (lambda: al.ResampleHead(1, 2, [0.5]), "donor takes whole numbers, not 0.5"),
        (lambda: al.MeanHead(1, 2, corpus="a text"), "corpus= takes several texts"),
        (lambda: al.MeanHead(1, 2, corpus=["a"], corpus_targets=["b", "c"]), "1 texts .* not 2"),
        (
            lambda: al.Patch("scores", 1, 2),
            "one of the stages q, k, v, weights, z, resid_pre",
        ),
        (lambda: al.Patch("mlp_out", 1, 2), "mlp_out has no heads"),
        (lambda: al.Patch("z", 1, donor_target="a"), "donor_target= goes with donor="),
        (lambda: al.Patch("z", 1, positions=1, at=[(1, 2)]), "positions= names the same places"),
        (lambda: al.Patch("z", 1, at=[(1, 2), (1, 3)]), "pairs position 1 here with several"),
        (lambda: al.Patch("z", 1, at=[(1, -2)]), "counts positions from the start"),
        (lambda: al.Patch("z", 1, at=[1, 2]), "at= takes pairs"),
        (lambda: al.Patch("z", 1, at=7), "at= takes pairs"),
        (lambda: al.ZeroFeedForward("1"), "layer takes whole numbers, not '1'"),
        (lambda: al.ZeroFeedForward(1, positions=()), "positions names none"),
    ],
)
def test_what_makes_no_sense_says_so(make, named):
    with pytest.raises(EditError, match=named):
        make()


def test_pairs_of_a_long_text_are_checked_in_one_pass():
    pairs = [(i, i) for i in range(20_000)]
    start = time.process_time()
    assert len(al.Patch("z", 1, 2, donor="a", at=pairs).at) == len(pairs)
    with pytest.raises(EditError, match="pairs position 7 here with several"):
        al.Patch("z", 1, 2, donor="a", at=[*pairs, (7, 8)])
    assert time.process_time() - start < 3  # pair by pair against all others: a quarter of a minute


def test_an_edit_cannot_be_changed():
    with pytest.raises(AttributeError):
        al.ZeroHead(1, 2).head = 3


def test_a_number_stands_for_a_tuple_of_one():
    assert al.Temperature(2.0, layers=3, heads=[1, 2]) == al.Temperature(2.0, (3,), (1, 2))
    assert al.Capture("weights", layers=3, roles="cross") == al.Capture(
        "weights", (3,), None, ("cross",)
    )
    assert as_captures("z") == as_captures(["z"]) == as_captures(al.Capture("z"))
    with pytest.raises(CaptureError, match="to at least 1 × 1"):
        al.Capture("weights", thumbnails=0)


@pytest.mark.parametrize(
    "data, named",
    [
        ({"kind": "one_head"}, "no edit of kind 'one_head'; there are zero_head, mean_head"),
        ({}, "no edit of kind None"),
        ("zero_head", "no edit of kind None"),
        ({"kind": "zero_head", "layer": 1}, "kind 'zero_head' is incomplete"),
        ({"kind": "zero_head", "layer": 1, "head": 2, "why": 3}, "has no field 'why'"),
        ({"kind": "temperature", "value": -1}, "from 0.01 to 1,000"),
    ],
)
def test_what_is_no_edit_says_so(data, named):
    with pytest.raises(EditError, match=named):
        al.edit_from_json(data)

"""Edits are values: compared, hashed, written as JSON and read back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnlab as al
from attnlab.errors import CaptureError, EditError
from attnlab.trace.capture import as_captures

NUMBERS = st.integers(0, 50)
SOME = st.none() | st.lists(NUMBERS, min_size=1, max_size=4).map(tuple)
ROLES = st.sampled_from([None, "encoder", "decoder", "cross"])
EDITS = st.one_of(
    st.builds(al.ZeroHead, NUMBERS, NUMBERS, ROLES),
    st.builds(al.MeanHead, NUMBERS, NUMBERS, ROLES),
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

"""Values of any kind that edits are given: read, or refused in one short sentence."""

import json

import numpy as np
import pytest
import torch

import attnlab as al
from attnlab.attention import masks
from attnlab.errors import AttnLabError, EditError
from attnlab.trace.edits import _KINDS
from attnlab.trace.given import brief, number, several, whole

Mask, P = al.Mask, al.Positions
HUGE = 10**400
SETTINGS = {
    "zero_head": {"layer": 1, "head": 2},
    "mean_head": {"layer": 1, "head": 2},
    "temperature": {"value": 2},
    "mask": {"pattern": "causal"},
    "positions": {"scheme": "none"},
    "patch": {"stage": "z", "layer": 1, "donor": "w"},
    "resample_head": {"layer": 1, "head": 2, "donor": "w"},
    "pattern": {"layer": 1, "head": 2, "pattern": "uniform"},
    "zero_feed_forward": {"layer": 1},
    "mean_feed_forward": {"layer": 1},
}


def one_short_sentence(error):
    text = str(error)
    return "\n" not in text and text.endswith(".") and len(text) < 240


def refused(make):
    with pytest.raises(AttnLabError) as caught:
        make()
    assert one_short_sentence(caught.value), str(caught.value)
    return str(caught.value)


def test_whole_numbers_of_any_kind():
    for value in (3, np.int8(3), np.array(3), torch.tensor(3)):
        found = whole("n", value, EditError)
        assert found == 3 and type(found) is int
    meta = torch.zeros((), dtype=torch.int64, device="meta")
    wrong = (True, np.True_, torch.tensor(True), 1.0, torch.tensor(1.0), meta, None, "3", HUGE)
    for value in (*wrong, 2**31):
        refused(lambda value=value: whole("n", value, EditError))
    assert whole("seed", HUGE, EditError, most=None) == HUGE


def test_numbers_of_any_kind():
    for value in (3, 3.0, np.float32(3), np.int64(3), np.array(3.0), torch.tensor(3.0)):
        found = number("factor", value, 0.01, 100, EditError)
        assert found == 3 and type(found) in (int, float)
    for value in (True, np.True_, HUGE, -HUGE, float("nan"), float("inf"), "3", None, np.ones(2)):
        refused(lambda value=value: number("factor", value, 0.01, 100, EditError))


def test_lists_of_any_kind():
    lists = ([1, 2], (1, 2), range(1, 3), (n for n in (1, 2)), np.array([1, 2]))
    for value in (*lists, torch.tensor([1, 2])):
        assert several("globals", value, EditError, ordered=True) == (1, 2)
    assert several("globals", {1}, EditError) == (1,)
    for value in (b"ab", {1: 2}, np.ones((2, 2)), torch.ones(2, 2)):
        refused(lambda value=value: several("globals", value, EditError))
    refused(lambda: several("documents", {1, 2}, EditError, ordered=True))


def test_a_long_value_is_said_briefly():
    assert brief(np.ones((2, 2))) == "array([[1., 1.], [1., 1.]])"
    assert len(brief(HUGE)) == len(brief("x" * 999)) == 60
    assert brief(10**5000) == "a number of thousands of digits"


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("role", [[], 5, float("nan"), {}, np.array([1, 2]), "sideways", b"cross"])
def test_the_role_of_every_edit_is_looked_at(kind, role):
    assert "role=" in refused(
        lambda: al.edit_from_json({"kind": kind, "role": role, **SETTINGS[kind]})
    )
    known = al.edit_from_json({"kind": kind, "role": "cross", **SETTINGS[kind]})
    assert json.loads(json.dumps(known.to_json()))["role"] == "cross" and hash(known)


@pytest.mark.parametrize("size", [2**31, 2**63, 2**64 - 1, 2**64, HUGE])
def test_sizes_that_no_text_has_are_refused(size):
    """They wrapped round where the table was drawn, and hid or showed what they should not."""
    for make in (
        lambda: Mask("window", window=size),
        lambda: Mask("window", window=1, sinks=size),
        lambda: Mask("prefix", prefix=size),
        lambda: Mask("strided", window=size),
        lambda: Mask("global", window=size, globals=(0,)),
        lambda: Mask("global", window=1, globals=(0, size)),
        lambda: Mask("document", documents=(0, size)),
        lambda: Mask("causal", hidden=((size, 0),)),
        lambda: Mask("causal", shown=((0, size),)),
        lambda: Mask("causal", layers=size),
        lambda: P("yarn", factor=4, original=size),
    ):
        assert "2,147,483,647" in refused(make)
    for make in (
        lambda: masks.Window(size),
        lambda: masks.SinksWindow(size, 1),
        lambda: masks.Strided(size),
        lambda: masks.Prefix(size),
        lambda: masks.GlobalWindow((size,), 1),
        lambda: masks.Document((0, size)),
        lambda: masks.Padding((size,)),
        lambda: masks.Changed(masks.Causal(), hidden=((size, 0),)),
    ):
        with pytest.raises(ValueError, match="2,147,483,647"):
            make()


def test_the_largest_size_is_no_limit():
    most = 2**31 - 1
    causal = Mask("causal").visible(5)
    for same in (Mask("window", window=most), Mask("window", window=most, sinks=most)):
        assert torch.equal(same.visible(5), causal)
    assert Mask("prefix", prefix=most).visible(5).all()
    assert Mask("global", window=most, globals=(most,), native=False).visible(5).all()


def test_arrays_tensors_and_generators_are_lists():
    right = Mask("document", documents=(0, 0, 1, 1))
    for given in (np.array([0, 0, 1, 1]), torch.tensor([0, 0, 1, 1]), iter([0, 0, 1, 1])):
        assert Mask("document", documents=given) == right
    for given in (np.array([0, 2]), torch.tensor([2, 0]), range(0, 3, 2), {0, 2}):
        assert Mask("global", window=3, globals=given) == Mask("global", window=3, globals=(0, 2))
    for given in (np.array([[1, 2]]), torch.tensor([[1, 2]]), iter([(1, 2)]), [np.array([1, 2])]):
        assert Mask("causal", hidden=given).hidden == ((1, 2),)
    for given in (np.array(3), torch.tensor(3), np.int64(3), [3]):
        for edit in (Mask("causal", layers=given, heads=given), al.Temperature(2.0, given, given)):
            assert edit.layers == edit.heads == (3,)
        assert P("alibi", layers=given).layers == (3,)
    assert Mask("painted", rows=(row for row in ("10", "11"))).rows == ("10", "11")
    assert Mask("painted", rows=np.array(["10", "11"])).rows == ("10", "11")


def test_equal_edits_are_equal():
    for one, other in (
        (Mask("window", window=2, sinks=None), Mask("window", window=2, sinks=0)),
        (Mask("causal", layers=(1, 0, 1)), Mask("causal", layers=(0, 1))),
        (Mask("causal", heads=(0, 0)), Mask("causal", heads=0)),
        (
            Mask("global", window=2, globals=(1, 0)),
            Mask("global", window=2, globals=(0, 1, 1)),
        ),
        (al.Temperature(2, layers=(1, 0)), al.Temperature(2.0, layers=(0, 1))),
        (P("alibi", heads=(1, 0)), P("alibi", heads=(0, 1))),
    ):
        assert one == other and hash(one) == hash(other)


def test_positions_take_numbers_of_any_kind():
    right = P("yarn", factor=3.0, original=64)
    for factor in (3, np.float32(3), np.int64(3), torch.tensor(3.0)):
        one = P("yarn", factor=factor, original=np.int64(64))
        assert one == right and json.dumps(one.to_json())
    assert str(P("shifted", offset=torch.tensor(5))) == "Positions('shifted', offset=5)"


def test_an_edit_of_positions_is_said_with_where_it_acts():
    said = "Positions('alibi', layers=(0, 2), heads=(1,), role='decoder')"
    assert str(P("alibi", layers=[2, 0], heads=1, role="decoder")) == said


MATRICES = [
    *(None, "", "10", b"ab", {1: 2}, {1, 2}, (n for n in (1, 2)), object(), 5, [], [[]]),
    *([[1, 0], [1]], [["1", "0"]], ("10", "11"), np.array([["1", "0"]]), [[10**30, 0]]),
    *(np.array([[None, 1]]), torch.zeros(2, 2, device="meta"), torch.zeros(0, 3)),
    *([[float("nan"), 0], [1, 1]], [[1j, 0]], np.ones((2, 2, 2)), HUGE),
]


@pytest.mark.parametrize("matrix", MATRICES, ids=[str(i) for i in range(len(MATRICES))])
def test_what_is_no_matrix_is_not_painted(matrix):
    refused(lambda: Mask.painted(matrix))


def test_a_sparse_matrix_is_painted():
    assert Mask.painted(torch.eye(2).to_sparse()).rows == ("10", "01")
    refused(lambda: Mask.painted([[1]], rows=("1",)))


@pytest.mark.parametrize("rows", [5, 1.0, True, object(), "10", b"10", [[1, 0], [1, 1]], {1: 2}])
def test_rows_that_are_no_strings(rows):
    refused(lambda: Mask("painted", rows=rows))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Mask(np.array(["a", "b"])),
        lambda: Mask(np.ones((2, 2))),
        lambda: Mask("causal", hidden=[b"ab"]),
        lambda: Mask("causal", hidden=np.array(3)),
        lambda: Mask("causal", hidden=None),
        lambda: Mask("causal", layers=b"ab"),
        lambda: Mask("causal", layers=np.ones((2, 2), dtype=int)),
        lambda: Mask("causal", native=np.ones((2, 2))),
        lambda: Mask("document", documents={1, 2}),
        lambda: Mask("document", documents={0: 1}),
        lambda: Mask("global", window=2, globals="0"),
        lambda: Mask("window", window=np.array([1, 2])),
        lambda: P(np.array(["a", "b"])),
        lambda: P("base", base=HUGE),
        lambda: P("yarn", factor=HUGE),
        lambda: P("yarn", factor=4, original=HUGE),
        lambda: P("shifted", offset=np.ones((2, 2))),
        lambda: al.Temperature(True),
        lambda: al.Temperature(HUGE),
        lambda: al.Temperature(np.ones((2, 2))),
        lambda: al.ZeroHead(HUGE, 0),
        lambda: al.Capture(np.ones((2, 2))),
        lambda: al.Capture("z", layers=b"ab"),
        lambda: al.edit_from_json({"kind": HUGE}),
        lambda: al.edit_from_json({"kind": "mask", "x" * 999: 1}),
    ],
)
def test_odd_values_are_refused_in_one_short_sentence(make):
    refused(make)


def test_an_incomplete_edit_says_what_it_lacks():
    assert "needs pattern." in refused(lambda: al.edit_from_json({"kind": "mask"}))
    lacking = refused(lambda: al.edit_from_json({"kind": "zero_head"}))
    assert "needs layer, head." in lacking


def test_a_table_is_drawn_of_as_many_tokens_as_there_are():
    for n in (-1, 0, None, float("nan"), 2.5, "3", 10**6, HUGE):
        refused(lambda n=n: Mask("causal").visible(n))
    refused(lambda: Mask("document", documents=(0, 1)).visible(3))
    refused(lambda: Mask("painted", rows=("1",)).visible(2))

"""What the pictures of Step by step are sent, and the same pictures as SVG."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from attnlab.viz import svg
from attnlab.viz.blend import blend_payload
from attnlab.viz.payload import unpack
from attnlab.viz.rows import rows_payload
from attnlab.viz.steps import HEADED, STEPS, Figures, Names, View, scenes, steps_payload, title
from attnlab.viz.svg.steps import figure

HOSTILE = '</text><script>alert(1)</script>"\u202e\x00'


def figures(heads=2, tokens=("a", "b", "c"), masked=True):
    """n 3, M 5, H·D 4, H·E 6, P 7: every number says where it stands."""

    def matrix(*shape):
        return np.arange(np.prod(shape), dtype=np.float64).reshape(shape) / 8

    n, key, value = len(tokens), 4, 6
    plain = {
        "x": matrix(n, 5),
        "w_q": matrix(5, key),
        "w_k": matrix(5, key),
        "w_v": matrix(5, value),
        "w_o": matrix(value, 7),
    }
    each = {name: matrix(heads, n, n) for name in ("scores", "scaled", "masked", "weights")}
    if masked:
        each["masked"][:, 0, 1:] = -np.inf
    each["weights"] /= each["weights"].max()
    computed = {"q": matrix(n, key), "k": matrix(n, key), "v": matrix(n, value), **each}
    computed |= {"z": matrix(heads, n, value // heads), "joined": matrix(n, value)}
    matrices = {**plain, **computed, "out": matrix(n, 7)}
    return Figures(matrices, heads, Names(tokens, hands_on="uvwxyz"), True, key // heads, plain)


def packed(drawn, **options):
    told = {
        "reasons": {},
        "sentences": dict.fromkeys(STEPS, "Says."),
        "products": {"q": "60 multiplications"},
        "start": {"step": "x", "cell": None, "cells": []},
        "limit": 1000.0,
    }
    return unpack(steps_payload(drawn, **{**told, **options}))[0]


def step(header, name):
    return next(one for one in header["steps"] if one["name"] == name)


def test_every_matrix_travels_whole_in_float64():
    drawn = figures()
    header = packed(drawn)
    for name, matrix in drawn.matrices.items():
        heads = matrix if name in HEADED else matrix[None]
        wanted = np.where(np.isinf(heads), np.nan, heads)
        assert np.array_equal(np.array(header["matrices"][name], float), wanted, equal_nan=True)
    assert set(header["plain"]) == {"x", "w_q", "w_k", "w_v", "w_o"}
    assert [one["name"] for one in header["steps"]] == list(STEPS)


def test_a_step_of_several_heads_has_a_line_for_each():
    header = packed(figures(2))
    for name in ("scores", "scaled", "masked", "weights", "z"):
        lines = step(header, name)["lines"]
        assert [line[-1]["head"] for line in lines] == [0, 1]
        assert all(line[-1]["matrix"] == name for line in lines)
    (q, times, k, equals, _), (q1, *_) = step(header, "scores")["lines"]
    assert (times, equals) == ("×", "=")
    assert (q["start"], q["stop"], q["title"]) == (0, 2, "Q, head 0")
    assert (q1["start"], q1["stop"], q1["title"]) == (2, 4, "Q, head 1")
    assert k["flip"] and k["title"] == "Kᵀ, head 0"
    assert step(header, "scaled")["lines"][0][1] == "÷ √2"
    assert len(step(header, "joined")["lines"]) == 1


def test_with_one_head_nothing_is_cut_or_numbered():
    header = packed(figures(1))
    (line,) = step(header, "scores")["lines"]
    assert [part["title"] for part in line[::2]] == ["Q", "Kᵀ", "Scores"]
    assert (line[0]["start"], line[0]["stop"]) == (0, 4)


def test_rows_and_columns_are_named_where_they_have_names():
    drawn = figures(2)
    assert drawn.labels(View("v", 0, 3, 6)) == (["a", "b", "c"], ["x", "y", "z"])
    assert drawn.labels(View("z", 1)) == (["a", "b", "c"], ["x", "y", "z"])
    assert drawn.labels(View("weights", 1)) == (["a", "b", "c"],) * 2
    assert drawn.labels(View("w_q")) == (["1", "2", "3", "4", "5"], ["1", "2", "3", "4"])
    assert title(View("v"), drawn) == "V"


def test_what_the_mask_hides_is_said():
    lines = {hidden: scenes(figures(1, masked=hidden))["masked"][0][1] for hidden in (True, False)}
    assert lines == {True: "mask →", False: "no mask →"}


def test_the_names_of_words_hide_nothing():
    header = packed(figures(tokens=(HOSTILE, "\u202eevil", "")))
    assert header["tokens"][1] == "⟨U+202E⟩evil" and header["tokens"][2] == "∅"
    assert step(header, "x")["lines"][0][0]["rows"] == header["tokens"]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="no sentence for the steps \\['q'\\]"):
        packed(figures(), sentences=dict.fromkeys(set(STEPS) - {"q"}, "Says."))
    broken = figures()
    broken.matrices["q"][0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        packed(broken)


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("heads", [1, 2])
def test_every_step_is_a_picture_of_its_own_numbers(name, heads):
    drawn = figures(heads, tokens=("a", HOSTILE, "c"))
    picture = svg.steps(drawn, name, caption=svg.Caption("A title"), dark=heads == 2)
    root = ElementTree.fromstring(picture)
    assert not [node for node in root.iter() if node.tag.endswith("script")]
    words = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("}text")]
    for line in scenes(drawn)[name]:
        for view in (part for part in line if isinstance(part, View)):
            for value in drawn.block(view).ravel():
                assert figure(value, typed=view.matrix in drawn.plain) in words
    if name == "tokens":
        assert {"a", "c"} <= set(words)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.00"), (-0.001, "0.00"), (-1.5, "−1.50"), (-np.inf, "−∞"), (12345, "12345"),
     (1234.56, "1234.6"), (300000.1, "3.0e5"), (-2e9, "−2.0e9"),
     (0.125, "0.13"), (-0.125, "−0.13"), (0.375, "0.38")],
)  # fmt: skip
def test_figures(value, text):
    """Each as JavaScript's toFixed and toExponential give it."""
    assert figure(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.125, "0.125"), (1.0, "1"), (0, "0"), (-0.00001, "0"), (100.0, "100"), (999.5, "999.5"),
     (-1000.0, "−1000"), (999.123456, "999.12"), (12.345678, "12.346"), (20000.0, "20000")],
)  # fmt: skip
def test_what_was_typed_is_not_rounded_to_two_decimals(value, text):
    assert figure(value, typed=True) == text


def blended(**changes):
    told = {
        "stops": ["even", "single"],
        "stop": 0,
        "keys": ["a", "b", "c"],
        "values": np.eye(3)[:, :2],
        "columns": ["u", "v"],
        "weights": np.array([[1 / 3] * 3, [1.0, 0, 0]]),
        "blends": np.zeros((2, 2)),
        "hidden": [False, False, True],
    }
    return unpack(blend_payload(**{**told, **changes}))[0]


def test_a_lookup_travels_with_every_stop():
    header = blended()
    assert header["weights"][1] == [1, 0, 0]
    assert header["hidden"] == [False, False, True]
    for changes in ({"stop": 2}, {"keys": ["a"]}, {"weights": np.zeros((3, 3))}):
        with pytest.raises(ValueError):
            blended(**changes)
    for wrong in (np.nan, -0.1, 1.5):
        with pytest.raises(ValueError, match="shares lie"):
            blended(weights=np.full((2, 3), wrong))


def test_a_row_of_weights_may_hold_nan_and_nothing_else_that_is_no_weight():
    sent = unpack(rows_payload(["a", "b"], [("softmax", np.full(2, np.nan), "0/0")]))[0]
    assert sent["rows"][0] == {"name": "softmax", "weights": [None, None], "remark": "0/0"}
    for wrong in (np.array([0.5]), np.array([-1.0, 0]), np.array([2.0, 0])):
        with pytest.raises(ValueError, match="row 'x'"):
            rows_payload(["a", "b"], [("x", wrong, "")])

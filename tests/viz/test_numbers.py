"""CSV and JSON give every number and every text back."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.viz import numbers
from attnlab.viz.numbers import Numbers, Text

FROM = {"model": "m, =1", "revision": None, "edits": [], "versions": {"attnlab": "0"}}


def of(weights, text, **more):
    rows = numbers.cells(weights, text, causal=False)
    columns = ("query", "query_token", "key", "key_token", "weight")
    return Numbers("Weights.", FROM, [text], columns, rows, {"weights": weights, **more})


def tokens(words):
    return [{"id": i, "text": word, "raw": word} for i, word in enumerate(words)]


@settings(deadline=None)
@given(st.lists(st.floats(0, 1, width=32), min_size=4, max_size=4))
def test_a_float32_comes_back_exactly(values):
    weights = np.float32(values).reshape(2, 2)
    text = Text("A", "a b", tokens(["a", " b"]))
    assert np.array_equal(
        np.float32(json.loads(numbers.document(of(weights, text)))["weights"]), weights
    )
    table = pd.read_csv(io.StringIO(numbers.table(of(weights, text))), comment="#")
    assert np.array_equal(np.float32(table.weight).reshape(2, 2), weights)


@settings(deadline=None)
@given(st.text(st.characters(), max_size=20))
def test_any_text_comes_back_and_nothing_hidden_is_in_the_file(word):
    text = Text("A", word, tokens([word]))
    for content in (
        numbers.table(of(np.ones((1, 1)), text)),
        numbers.document(of(np.ones((1, 1)), text)),
    ):
        content.encode()
        assert "\u202e" not in content and "\u200b" not in content
    saved = json.loads(numbers.document(of(np.ones((1, 1)), text)))
    assert saved["texts"][0]["text"] == word and saved["texts"][0]["tokens"][0]["text"] == word
    rows = list(csv.reader(io.StringIO(numbers.table(of(np.ones((1, 1)), text)))))
    assert json.loads(rows[2][1]) == word and json.loads(rows[-1][1]) == word
    assert not any(cell[:1] in ("=", "+", "-", "@", "\t") for row in rows for cell in row)


def test_provenance_is_json_in_both():
    text = Text("A", "a", tokens(["a"]), target="t")
    rows = list(csv.reader(io.StringIO(numbers.table(of(np.ones((1, 1)), text)))))
    assert rows[1][0] == "# provenance" and json.loads(rows[1][1]) == FROM
    assert ["# target A", '"t"'] in rows
    assert json.loads(numbers.document(of(np.ones((1, 1)), text)))["provenance"] == FROM


def test_a_causal_future_and_small_weights_are_left_out_of_the_table():
    text, weights = Text("A", "", tokens("abc")), np.full((3, 3), 0.2)
    weights[2, 0] = 0.0004
    kept = list(numbers.cells(weights, text, causal=True, least=0.001))
    assert [(i, j) for i, _, j, _, _ in kept] == [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]
    assert numbers.least_of(10) == (0.0, "")
    least, said = numbers.least_of(10**6)
    assert least == numbers.LEAST and "left out" in said


def test_a_reduced_map_names_the_positions_of_its_cells():
    text = Text("A", "", tokens("x" * 130))
    rows = list(numbers.pooled_cells(np.full((44, 44), 0.5), text))
    assert rows[-1] == [129, 129, 129, 129, 0.5] and rows[0][:4] == [0, 2, 0, 2]
    assert len(rows) == 44 * 44


def test_a_weight_without_counterpart_is_empty():
    text, other = Text("A", "", tokens("ab")), np.array([[0.5, np.nan], [np.nan, np.nan]])
    rows = numbers.cells(np.ones((2, 2)), text, causal=False, other=other)
    assert [row[-1] for row in rows] == [0.5, None, None, None]


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError):
        list(numbers.cells(np.ones((2, 2)), Text("A", "", tokens("abc")), causal=False))


def test_nan_is_null_in_json():
    text = Text("A", "", tokens("a"))
    written = numbers.document(
        of(np.ones((1, 1)), text, other=np.float32([np.nan]), one=float("nan"))
    )
    saved = json.loads(written)
    assert saved["other"] == [None] and saved["one"] is None

"""What the component of long vectors is sent."""

import numpy as np
import pytest

from attnlab.viz.payload import unpack
from attnlab.viz.strips import Dials, Row, Strip, Strips, Sum, Word, strips_payload

IT = {"text": " it", "raw": "Ġit", "id": 7}
HOSTILE = {"text": "<img src=x onerror=1>", "raw": "<img>", "id": 8}


def sent(*sections, **options):
    return unpack(strips_payload(sections, **options))


def test_strips_travel_as_float32_and_share_a_scale_by_name():
    q = Strip("q", np.array([1.0, -3.0, 0.5]), IT, scale="qk")
    k = Strip("k", np.array([2.0, 0.1, 0.2]), HOSTILE, "ink", marked=(1,), scale="qk")
    alone = Strip("z", np.array([0.25, 0.5, 0.1]), upward=True)
    header, arrays = sent(Strips("Query", "A note.", [q, k, alone]), side="B", label="Head")
    assert (header["side"], header["label"], header["chosen"]) == ("b", "Head", None)
    section = header["sections"][0]
    assert (section["kind"], section["title"], section["note"]) == ("strips", "Query", "A note.")
    first, second, third = section["strips"]
    assert [s["full"] for s in section["strips"]] == [3.0, 3.0, 0.5]
    assert first["word"][0] == "it" and second["word"][1] == HOSTILE["text"]
    assert (second["marked"], third["word"], third["upward"]) == ([1], None, True)
    np.testing.assert_array_equal(arrays[first["values"]], np.float32([1, -3, 0.5]))


def test_a_vector_of_infinities_has_a_scale_too():
    strip = Strip("q", np.array([np.inf, -2.0, np.nan]))
    header, _ = sent(Strips("", "", [strip]))
    assert header["sections"][0]["strips"][0]["full"] == 2.0
    header, _ = sent(Strips("", "", [Strip("q", np.array([np.nan]))]))
    assert header["sections"][0]["strips"][0]["full"] == 0.0


def test_dials_hold_three_angles_a_pair():
    dials = Dials("RoPE", "", [(0, 2), (1, 3)], *np.arange(6).reshape(3, 2), positions=(11, 6))
    header, arrays = sent(dials)
    section = header["sections"][0]
    assert section["pairs"] == [[0, 2], [1, 3]] and section["positions"] == [11, 6]
    np.testing.assert_array_equal(arrays[section["angles"]], np.arange(6).reshape(3, 2))


def test_a_sum_and_a_row_write_what_json_cannot_as_nothing():
    words = [Word(IT, 0, [1.5, -np.inf], 0.75), Word(HOSTILE, 3, [None, 2.0], 0.0, True)]
    row = Row("Softmax", "", ["q · k", "÷ √64"], words, others=(9, 0.25))
    total = Sum("Score", "", [(22, 6.0, 2.5, 15.0)], (63, -4.0), 11.0)
    header, _ = sent(total, row, chosen=3)
    assert header["sections"][0]["terms"] == [[22, 6.0, 2.5, 15.0]]
    assert (header["sections"][0]["others"], header["sections"][0]["total"]) == ([63, -4.0], 11.0)
    first, second = header["sections"][1]["words"]
    assert first[1:] == [0, [1.5, None], 0.75, False]
    assert second[1:] == [3, [None, 2.0], 0.0, True] and header["chosen"] == 3
    assert header["sections"][1]["others"] == [9, 0.25]


@pytest.mark.parametrize(
    ("sections", "options", "about"),
    [
        ([], {"side": "C"}, "side 'C'"),
        ([Strips("", "", [Strip("q", np.ones(3), colour="red")])], {}, "colour 'red'"),
        ([Strips("", "", [Strip("q", np.ones((2, 3)))])], {}, "one vector"),
        ([Strips("", "", [Strip("q", np.ones(0))])], {}, "one vector"),
        ([Row("", "", ["q · k"], [Word(IT, 0, [1.0, 2.0], 1.0)])], {}, "2 figures do not fit 1"),
    ],
)
def test_what_does_not_fit_is_refused(sections, options, about):
    with pytest.raises(ValueError, match=about):
        strips_payload(sections, **options)

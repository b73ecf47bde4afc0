"""What a comparison of heads is sent."""

import numpy as np
import pytest

from attnlab.viz.compare import compare_payload
from attnlab.viz.payload import unpack

A = [{"text": t, "raw": t, "id": i} for i, t in enumerate(("it", " was", " tired"))]
B = [*A[:2], {"text": " wide", "raw": " wide", "id": 8}, {"text": ".", "raw": ".", "id": 9}]
HEADS = [(4, 2), (16, 0)]
MAPS = np.random.default_rng(0).random((2, 3, 3), dtype=np.float32)
MAPS_B = np.random.default_rng(1).random((2, 4, 4), dtype=np.float32)
ALIKE = np.array([[1, 0.5], [0.5, 1]])


def sent(heads=HEADS, a=MAPS, tokens=A, **options):
    return unpack(compare_payload(heads, a, tokens, **options))


def test_both_texts_travel_with_what_is_drawn():
    header, arrays = sent(
        b=MAPS_B, tokens_b=B, side="B", drawn="arcs", similarity_a=ALIKE, notes=["street", ""]
    )
    assert header["heads"] == [[4, 2], [16, 0]]
    assert (header["side"], header["drawn"]) == ("b", "arcs")
    assert header["notes"] == ["street", ""]
    assert header["alike"] == {"a": ALIKE.tolist(), "b": None}
    assert header["pairs"] == [[0, 0], [1, 1], [2, 2]]
    assert np.array_equal(arrays["a"], MAPS) and np.array_equal(arrays["b"], MAPS_B)


def test_without_b_the_side_is_a_and_notes_may_be_missing():
    header, arrays = sent(side="B")
    assert header["side"] == "a" and header["notes"] == ["", ""]
    assert list(arrays) == ["a"]


def test_a_pooled_long_text_is_smaller_than_its_tokens():
    _, arrays = sent(a=MAPS.astype(np.float64)[:, :2, :2], tokens=A)
    assert arrays["a"].shape == (2, 2, 2) and arrays["a"].dtype == np.float32
    _, arrays = sent(a=np.zeros((2, 2, 2), np.uint8))
    assert arrays["a"].dtype == np.uint8


def test_cross_attention_is_rectangular():
    header, _ = sent(a=np.zeros((2, 3, 4), np.float32), sources_a=B)
    assert len(header["sources"]["a"]) == 4


def test_more_than_ten_heads_keep_a_name_each():
    heads = [(layer, 0) for layer in range(12)]
    header, _ = sent(heads, np.zeros((12, 3, 3)))
    assert len({tuple(head) for head in header["heads"]}) == 12


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"heads": []}, "between 1 and 12 different heads"),
        ({"heads": [(4, 2), (4, 2)]}, "different heads"),
        ({"a": MAPS[:1]}, "for 2 heads"),
        ({"a": MAPS[0]}, "for 2 heads"),
        ({"a": MAPS * np.nan}, "not finite"),
        ({"a": np.zeros((2, 65, 65)), "tokens": A * 30}, "64 at most"),
        ({"tokens": A[:2]}, "2 queries and 2 keys"),
        ({"drawn": "stars"}, "drawn 'stars'"),
        ({"side": "C"}, "side 'C'"),
        ({"notes": ["one"]}, "1 notes for 2 heads"),
        ({"similarity_a": ALIKE[:1]}, "similarity of A"),
        ({"b": MAPS_B, "tokens_b": A}, "maps of B"),
    ],
)
def test_what_does_not_fit_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        sent(**options)

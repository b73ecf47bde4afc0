"""The payloads of the grid, the chosen head and the bars."""

import numpy as np
import pytest

from attnlab.viz.bars import bars_payload, digits_of
from attnlab.viz.difference import LEAST_CHANGE
from attnlab.viz.grid import grid_payload
from attnlab.viz.head import follow, head_payload
from attnlab.viz.payload import FINE_CELLS, quantise, unpack

HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(1)">'


def words(*texts):
    return [{"text": text, "raw": text, "id": i, "special": False} for i, text in enumerate(texts)]


def causal_maps(*shape):
    maps = np.tril(np.random.default_rng(0).random(shape, dtype=np.float32))
    return maps / maps.sum(-1, keepdims=True)


def test_weights_keep_two_decimals_on_a_short_text():
    weights = causal_maps(30, 9, 13, 13)
    sent = quantise(weights)
    assert sent.dtype == np.uint16 and weights.size < FINE_CELLS
    assert np.abs(sent / 65535 - weights).max() < 1e-5


def test_many_values_travel_as_bytes_and_bytes_stay():
    many = np.full((30, 9, 50, 50), 0.5, dtype=np.float32)
    assert quantise(many).dtype == np.uint8
    already = np.arange(4, dtype=np.uint8)
    assert quantise(already) is already


@pytest.mark.parametrize("wrong", [np.nan, -0.2, 1.3])
def test_what_is_no_weight_is_refused(wrong):
    maps = np.zeros((1, 1, 2, 2), dtype=np.float32)
    maps[0, 0, 1, 1] = wrong
    with pytest.raises(ValueError, match=r"must be in \[0, 1\]"):
        quantise(maps)


def test_the_grid_carries_both_sentences_and_the_rows_of_their_difference():
    maps = causal_maps(2, 3, 4, 4)
    a, b = words("a", "b", "c", "d"), words("a", "b", "c", "d")
    b[2] = {**b[2], "id": 99}
    payload = grid_payload(maps, a, b=maps, tokens_b=b, view="B-A")
    header, arrays = unpack(payload)
    assert header["difference"]["rows"] == [[2, 2], [3, 3]]
    assert header["layers"] == [0, 1]
    assert arrays["a"].shape == arrays["b"].shape == (2, 3, 4, 4)


@pytest.mark.parametrize(
    ("change", "full"), [(0.3, 0.3), (0.9, 0.9), (0.001, LEAST_CHANGE), (0, LEAST_CHANGE)]
)
def test_full_ink_in_b_minus_a_is_the_largest_change_shown(change: float, full: float):
    a, b = words("a", "b", "c"), words("a", "b", "x")
    b[2]["id"] = 9
    maps = np.zeros((1, 2, 3, 3), np.float32)
    other = maps.copy()
    other[0, 1, 2, 1] = change
    other[0, 1, 2, 0] = 1.0  # the first column is left out
    header, _ = unpack(grid_payload(maps, a, b=other, tokens_b=b, view="B-A"))
    assert header["difference"]["full"] == pytest.approx(full)


def test_the_selection_changes_the_payload_only_where_the_caller_says_so():
    maps, tokens = causal_maps(2, 3, 2, 2), words("a", "b")
    assert grid_payload(maps, tokens) == grid_payload(maps, tokens)
    assert grid_payload(maps, tokens) != grid_payload(maps, tokens, selected=(1, 1), serial=1)


@pytest.mark.parametrize("shape", [(30, 9, 13, 13), (6, 12, 16, 16), (1, 4, 1, 1), (2, 300, 5, 5)])
def test_every_shape_of_model_packs(shape):
    tokens = words(*"x" * shape[2])
    assert unpack(grid_payload(causal_maps(*shape), tokens))[1]["a"].shape == shape


def test_hostile_tokens_arrive_as_they_are():
    tokens = words("a", HOSTILE)
    header, _ = unpack(grid_payload(causal_maps(1, 1, 2, 2), tokens))
    assert header["tokens"]["a"][1][:3] == [HOSTILE] * 3
    header, _ = unpack(head_payload(causal_maps(2, 2), tokens))
    assert header["tokens"]["a"][1][:3] == [HOSTILE] * 3
    header, _ = unpack(bars_payload([(HOSTILE, 0.5, 0.1)]))
    assert header["rows"][0][0][:3] == [HOSTILE] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"view": "B"}, "view 'B'"),
        ({"view": "C"}, "view 'C'"),
        ({"selected": (2, 0)}, r"head \(2, 0\) is outside 2 layers x 3 heads"),
        ({"layers": [1]}, "1 layer numbers for 2 layers"),
        ({"b": np.zeros((1, 3, 2, 2), np.uint8), "tokens_b": words("a", "b")}, "A has"),
    ],
)
def test_what_does_not_fit_the_grid_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        grid_payload(causal_maps(2, 3, 2, 2), words("a", "b"), **options)


def test_maps_and_tokens_must_agree():
    with pytest.raises(ValueError, match="more cells than tokens"):
        grid_payload(causal_maps(1, 1, 3, 3), words("a", "b"))
    with pytest.raises(ValueError, match="exceed 64"):
        grid_payload(causal_maps(1, 1, 65, 65), words(*"x" * 65))


def test_a_head_keeps_its_weights_exactly_and_looks_from_the_last_word():
    weights = causal_maps(3, 3)
    header, arrays = unpack(head_payload(weights, words("a", "b", "c")))
    assert np.array_equal(arrays["a"], weights)
    assert header["rows"] == {"a": 2}


def test_an_empty_row_and_a_row_below_one_are_sent_as_they_are():
    weights = causal_maps(3, 3)
    weights[1] = 0
    weights[2] *= 0.6
    _, arrays = unpack(head_payload(weights, words("a", "b", "c"), sink=True))
    assert arrays["a"][1].sum() == 0
    assert arrays["a"][2].sum() == pytest.approx(0.6)


def test_cross_attention_has_words_of_its_own_on_each_axis():
    header, arrays = unpack(
        head_payload(np.full((1, 3), 1 / 3), words("x"), sources_a=words(*"abc"))
    )
    assert arrays["a"].shape == (1, 3)
    assert [token[0] for token in header["sources"]["a"]] == ["a", "b", "c"]


def test_b_looks_from_the_word_that_corresponds():
    a, b = words("it", "was", "wide"), words("it", "was", "very", "wide")
    b[2]["id"], b[3]["id"] = 77, 2
    assert follow(2, a, b) == 3
    header, _ = unpack(head_payload(causal_maps(3, 3), a, b=causal_maps(4, 4), tokens_b=b, row_a=2))
    assert header["rows"] == {"a": 2, "b": 3}


def test_b_minus_a_of_a_head_keeps_words_without_a_counterpart_in_their_place():
    a, b = words("it", "was", "wide"), words("it", "was", "very", "wide")
    b[2]["id"], b[3]["id"] = 77, 2
    before, after = np.zeros((3, 3), np.float32), np.zeros((4, 4), np.float32)
    after[3, 1], after[3, 2] = 0.3, 0.7  # the larger change has nothing to compare with
    header, _ = unpack(head_payload(before, a, b=after, tokens_b=b, mode="difference"))
    found = header["difference"]
    assert found["rows"] == found["columns"] == [[0, 0], [1, 1], [None, 2], [2, 3]]
    assert found["full"] == pytest.approx(0.3)
    assert found["note"] == "Hatched: 1 token only in B"


def test_a_long_causal_head_travels_without_the_future():
    weights, tokens = causal_maps(300, 300), words(*"x" * 300)
    _, arrays = unpack(head_payload(weights, tokens))
    assert arrays["a"].dtype == np.uint16 and arrays["a"].shape == (300 * 301 // 2,)
    row = arrays["a"][299 * 300 // 2 :] / 65535
    assert np.abs(row - weights[299]).max() < 1e-5
    _, arrays = unpack(head_payload(weights, tokens, causal=False))
    assert arrays["a"].shape == (300, 300)
    _, arrays = unpack(head_payload(weights, tokens, sources_a=tokens))
    assert arrays["a"].shape == (300, 300)


def test_the_grid_carries_the_ranks_of_heads():
    maps, tokens = causal_maps(2, 3, 2, 2), words("a", "b")
    header, _ = unpack(grid_payload(maps, tokens, ranks={(1, 2): 1, (0, 0): 2}))
    assert header["ranks"] == [[1, 2, 1], [0, 0, 2]]


def test_a_head_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="for 2 queries and 2 keys"):
        head_payload(causal_maps(3, 3), words("a", "b"))
    with pytest.raises(ValueError, match="not finite"):
        head_payload(np.full((1, 1), np.nan), words("a"))
    with pytest.raises(ValueError, match="position 5"):
        head_payload(causal_maps(2, 2), words("a", "b"), row_a=5)
    with pytest.raises(ValueError, match="side 'B'"):
        head_payload(causal_maps(2, 2), words("a", "b"), key_position=0, side="B")
    with pytest.raises(ValueError, match="mode 'difference'"):
        head_payload(causal_maps(2, 2), words("a", "b"), mode="difference")
    with pytest.raises(ValueError, match="mode 'arcs'"):
        head_payload(causal_maps(2, 2), words("a", "b"), mode="arcs")


def test_bars_have_one_scale_and_as_many_decimals_as_the_largest_needs():
    assert digits_of([0.773, 0.141]) == 2
    assert digits_of([0.031, 0.012]) == 3
    assert digits_of([0.0002]) == 4
    header, _ = unpack(bars_payload([({"text": " Paris", "raw": "ĠParis", "id": 7}, 0.77, 0.14)]))
    assert header["rows"] == [[["Paris", " Paris", "ĠParis", 7, 1, 1, False], 0.77, 0.14]]
    with pytest.raises(ValueError, match="no probability"):
        bars_payload([("x", 1.2, 0.1)])

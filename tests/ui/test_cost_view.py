"""The words and figures of the Cost page: fits, what was too big, whose cache outweighs what."""

import dataclasses

import pytest

from attnlab.analysis.anatomy import Anatomy, Heads
from attnlab.analysis.measured.apart import Measurement
from attnlab.errors import InputError
from attnlab.ui import cost_cache, cost_view, own_link
from attnlab.ui.cost_selection import COST, LENGTHS, OF, PAIRS, TILED_UP_TO, TILES, UP_TO, Cost
from attnlab.ui.cost_view import GROWTH


def measured(way="naive", power=2, most=4_096):
    return [
        Measurement(way, n, seconds=1e-9 * n**power, bytes=4 * n**power)
        for n in cost_view.lengths(most)
    ]


def test_a_fitted_line_goes_on_where_nothing_was_measured():
    (naive,) = cost_view.series(measured(), "seconds")
    assert naive.title == "naive n²·⁰"
    assert naive.values[5] is not None and naive.values[6] is None
    assert naive.beyond[5] is None
    assert naive.beyond[-1] == pytest.approx(1e-9 * 131_072**2)
    assert cost_view.doubling([naive]) == [("naive", "× 4.0")]


def test_what_says_nothing_is_no_point():
    found = [Measurement("cached", 128, 1e-4, 0), Measurement("cached", 256, 2e-4, 0)]
    assert cost_view.series(found, "bytes") == []
    (line,) = cost_view.series(found[:1], "seconds")
    assert line.power is None and line.title == "cached step" and not any(line.beyond)


def test_what_was_too_big_is_said_once_a_way():
    found = [Measurement("naive", n, why="memory") for n in (8_192, 16_384)]
    found.append(Measurement("state", 16_384, why="time"))
    said = cost_view.too_big(found)
    assert "naive takes too much memory from 8,192 tokens on" in said
    assert "state space takes too long from 16,384 tokens on" in said
    assert cost_view.too_big(measured()) == ""


def test_every_way_is_counted_and_grows_as_it_should():
    lines = {one.way.name: one for one in cost_view.counted()}
    assert set(lines) == {way.name for way in GROWTH}
    slopes = {name: one.power.slope for name, one in lines.items()}
    assert slopes["naive"] == pytest.approx(2) and slopes["tiled"] == pytest.approx(2, abs=0.02)
    for name in ("window", "linear", "state", "cached"):
        assert slopes[name] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (2e-6, "2 µs"),
        (5.8e-4, "0.58 ms"),
        (0.025, "25 ms"),
        (2.31, "2.3 s"),
        (95, "1.6 min"),
        (9_000, "2.5 h"),
        (500_000, "5.8 days"),
    ],
)
def test_a_time_in_words(seconds, words):
    assert cost_view.time(seconds) == words


def test_times_at_the_side_are_neither_too_many_nor_too_few():
    for low, high in ((1e-5, 1e4), (0.02, 0.13), (1e-3, 1.0), (0.5, 0.6)):
        assert len(cost_view.time_ticks(low, high)) <= 7
    assert len(cost_view.time_ticks(0.02, 0.13)) > 2


def anatomy(kv_heads=2, causal=True):
    heads = Heads(4, kv_heads, 8, 8, 3, 4, causal)
    empty = {"width": None, "shapes": {}, "hidden": None, "gated": None, "block": {}, "steps": {}}
    return Anatomy(
        1, **empty, counts={}, blocks=3, norm="", norm_place="", parallel=None, tied=False,
        bytes=10_000, heads=heads, measured=True,
    )  # fmt: skip


def test_the_loaded_model_beside_those_that_everybody_quotes():
    loaded = cost_cache.of_model("Tiny", anatomy())
    assert (loaded.way, loaded.each, loaded.weights) == ("grouped-query", 3 * 2 * 16 * 4, 10_000)
    assert loaded.crossing == 10_000 // 384 + 1
    assert loaded.cache(loaded.crossing) > 10_000 >= loaded.cache(loaded.crossing - 1)
    found = {one.name: one for one in cost_cache.shown(Cost(), loaded)}
    ways = {name: one.way for name, one in found.items()}
    assert ways == {
        "model": "grouped-query",
        "llama-2-7b": "multi-head",
        "llama-3-8b": "grouped-query",
        "starcoder": "multi-query",
    }
    assert found["llama-2-7b"].each == 524_288
    assert "524,288 bytes a token (32 layers × 32" in cost_cache.sentence(
        found["llama-2-7b"], 4_096, "2 GiB"
    )
    assert cost_cache.of_model("Encoder", anatomy(causal=False)) is None


def test_typed_sizes_make_a_model_or_a_sentence():
    value = Cost(of="typed", layers=32, heads=32, kv_heads=8, size=128, number=2)
    typed = cost_cache.shown(value, None)[-1]
    assert typed.cache(131_072) == 16 * 2**30
    with pytest.raises(InputError):
        cost_cache.shown(dataclasses.replace(value, kv_heads=7), None)


def test_the_defaults_can_be_chosen():
    value = Cost()
    for chosen, options in (
        (value.up_to, UP_TO),
        (value.tile, TILES),
        (value.many, TILED_UP_TO),
        (value.of, OF),
        (value.length, LENGTHS),
        (value.pairs, PAIRS),
    ):
        assert chosen in options


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tile", "5"),
        ("up-to", "4095"),
        ("of", "gpt-5"),
        ("layers", "0"),
        ("measure", "perhaps"),
        ("training", "٢"),
        ("list", "x" * 1_001),
    ],
)
def test_what_a_link_cannot_mean_is_said_and_left_out(name, value):
    found, problems = own_link.parse(COST, {name: value})
    assert found == Cost()
    assert len(problems) == 1 and f"“{name}”" in problems[0]

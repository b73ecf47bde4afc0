"""Loss by position, as Cost and Masks draw it: what is there so far, the mark, every number."""

from types import SimpleNamespace

import numpy as np
import pytest

from attnlab.ui.cards import losses
from attnlab.ui.cards.cost import cache_long
from attnlab.ui.cards.cost.cache_long import ways_of
from attnlab.ui.cost_selection import Cost

WAYS = ways_of(Cost(wide=64, first=2))
MARK = (64, "the first token leaves")


def curves(*counts: int) -> list[np.ndarray]:
    return [np.linspace(4, 3 + at, count) for at, count in enumerate(counts)]


def drawn(found, tokens):
    picture = losses.chart(WAYS, found, tokens, MARK, high=300, wide=560)
    words = {shape[3] for shape in picture.shapes if shape[0] == "words"}
    return words, picture.spots


def test_a_line_is_named_once_there_is_something_of_it_and_ends_where_it_has_got_to():
    words, spots = drawn(curves(130, 70), 131)
    assert {"all kept", "the last 64", "the first token leaves"} <= words
    assert "2 sinks + the last 62" not in words
    assert len(spots[0].lines) == 2 and len(spots[-1].lines) == 1


def test_a_cache_that_holds_all_of_the_text_has_no_mark():
    words, _ = drawn(curves(40, 40, 40), 41)
    assert "the first token leaves" not in words and "2 sinks + the last 62" in words


def test_a_cache_holds_no_more_than_the_text_has():
    kept = SimpleNamespace(cache=lambda tokens: 1024 * tokens)
    said = cache_long._said(Cost(wide=256), [np.ones(127)] * 3, 0.4, kept, 128)
    assert said.count("(128 KiB)") == 3 and "A cache of 256 holds all 128 tokens" in said
    said = cache_long._said(Cost(wide=64), [np.ones(127)] * 3, 0.4, kept, 128)
    assert said.count("(64 KiB)") == 2 and "holds all" not in said


def test_a_long_text_is_thinned_in_the_picture_and_whole_in_its_numbers():
    found = curves(2_046, 2_046, 2_046)
    _, spots = drawn(found, 2_047)
    assert len(spots) <= 512
    table = losses.numbers(WAYS, found, "said")
    assert table["columns"] == ("position", *(way.name for way in WAYS))
    assert len(table["rows"]) == 2_046
    assert table["rows"][-1] == pytest.approx([2_045, 3, 4, 5])
    assert table["notes"] == ("The picture shows means of 127 positions.", "said")

"""A text as it is written, what may come next, and a cache: where things stand."""

import pytest

from attnlab.viz.chances import Chance, chances
from attnlab.viz.memory import Held, memory
from attnlab.viz.writing import Strand, writing


def words(*texts):
    return [
        {"text": text, "raw": text, "id": at, "special": False} for at, text in enumerate(texts)
    ]


def of(count=5, **more):
    tokens = words("The", *[f" w{at}" for at in range(1, count)])
    given = {"given": 3, "weights": [1 / count] * count, "at": count - 1}
    return Strand(tokens, **{**given, **more})


def shapes(drawn, kind):
    return [shape for shape in drawn.shapes if shape[0] == kind]


def test_a_spot_for_each_word_and_an_arc_from_the_newest():
    drawn = writing(of(), wide=600)
    assert [spot.title for spot in drawn.spots] == ["“The”", "“w1”", "“w2”", "“w3”", "“w4”"]
    assert "“w4” takes 20% from here" in drawn.spots[0].lines
    arcs = [line for line in shapes(drawn, "line") if len(line[1]) > 4]
    underlines = [line for line in shapes(drawn, "line") if len(line[1]) == 4]
    assert len(arcs) == 4 and len(underlines) == 2  # itself is no arc; two words were written
    assert len(shapes(drawn, "area")) == 5


def test_a_line_end_breaks_the_line_and_so_does_no_room():
    tokens = words("one", "\n", "two", *[" long" * 4] * 5)
    drawn = writing(Strand(tokens, 1, [], 0), wide=300)
    heights = [spot.y for spot in drawn.spots]
    assert heights[0] == heights[1] < heights[2] and heights == sorted(heights)
    assert max(spot.x + spot.width for spot in drawn.spots) <= 300 < drawn.height * 3


def test_where_two_part_is_framed_in_ink():
    framed = [box for box in shapes(writing(of(parted=3), wide=600), "box") if box[6] == "ink"]
    assert len(framed) == 1


def test_sources_stand_above_and_take_the_arcs():
    sources = words("Maya", " sleeps")
    drawn = writing(of(weights=[0.9, 0.1], sources=sources), wide=600)
    assert len(drawn.spots) == 7 and drawn.spots[5].y < drawn.spots[0].y
    assert drawn.spots[5].lines == ("source, position 0", "“w4” takes 90% from here")
    with pytest.raises(ValueError, match="weights"):
        writing(of(weights=[1.0]), wide=600)


def test_hostile_words_are_words():
    drawn = writing(Strand(words("<b>x</b>", "\u202e"), 2, [], 0), wide=300)
    written = [shape[3] for shape in shapes(drawn, "words")]
    assert written == ["<b>x</b>", "⟨U+202E⟩"]


def test_chances_show_what_is_left_out():
    rows = [Chance("a", 0.6, 0.75), Chance("b", 0.2, 0.25), Chance("c", 0.1, 0.0)]
    drawn = chances(rows)
    written = [shape[3] for shape in shapes(drawn, "words")]
    assert "left out" in written and "0.75" in written and "the model’s own" in written
    assert "left out of the draw" in drawn.spots[2].lines
    plain = chances([Chance("a", 0.6, 0.6)])
    assert "drawn with" not in [shape[3] for shape in shapes(plain, "words")]
    with pytest.raises(ValueError, match="no probability"):
        chances([Chance("a", 1.5, 1.0)])


def test_a_cache_is_as_long_as_its_bytes():
    layers = [Held("L0", 100, 100), Held("L1", 50, 50)]
    drawn = memory(layers, 400, write=lambda value: f"{value:g} bytes")
    keys = [box for box in shapes(drawn, "box") if box[5] == "attention"][:2]
    assert keys[0][3] == pytest.approx(2 * keys[1][3])
    assert drawn.spots[0].lines == ("keys 100 bytes", "values 100 bytes")
    with pytest.raises(ValueError, match="axis"):
        memory(layers, 100, write=str)

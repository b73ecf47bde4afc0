"""Diagrams: laid out once, sent to the browser, written as a file."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from attnlab.viz import blocks, bundles, curves, passes, payload, shares, sharing
from attnlab.viz.blocks import BlockView, Part
from attnlab.viz.curves import Curve
from attnlab.viz.diagram import KINDS, Diagram, diagram_payload
from attnlab.viz.passes import Step
from attnlab.viz.sharing import Way
from attnlab.viz.svg.diagram import diagram
from attnlab.viz.svg.frame import Caption

HOSTILE = '</text><script>alert(1)</script>"&'


def words(drawn):
    return [shape[3] for shape in drawn.shapes if shape[0] == "words"]


def view(place="before", parallel=False, end=True):
    norm = Part("RMSNorm", "norm")
    parts = (
        Part("Self-attention", "attention", "884,736", ("q  9 × 13 × 64", "k, v  3 × 13 × 64")),
        Part("Feed-forward", "feed", "2,654,208", ("13 × 1,536",)),
    )
    start = Part("Embeddings", "table", "28,311,552")
    head = Part("Output head", "head", "0 more") if end else None
    return BlockView(
        "13 tokens", "13 × 576", start, parts, head, norm, place, parallel, "one of 30 blocks", True
    )


def everything():
    """One of each diagram."""
    ways = [Way("multi-head", 9, 9, False, "540 MiB", 540), Way("mqa", 9, 1, True, "60 MiB", 60)]
    x = (2, 16, 128)
    return {
        "before": blocks.block(view()),
        "after": blocks.block(view("after")),
        "inside": blocks.block(view("inside", end=False)),
        "parallel": blocks.block(view("before", True)),
        "unknown": blocks.block(view("", None)),
        "shares": shares.shares([("Whole", [("A", "attention", 3), ("B", "feed", 1)])]),
        "pass": passes.one_pass([Step("Tokens", "13"), Step("q", "9", inner=True)], "× 30"),
        "sharing": sharing.sharing(ways),
        "bars": sharing.bars(ways, ("513 MiB", 513)),
        "curves": curves.curves("Steps", x, [Curve("one", x, "ink")], x_name="words", at=16),
    }


@pytest.mark.parametrize("name", everything())
def test_everything_lies_within_the_drawing(name):
    drawn = everything()[name]
    assert drawn.height > 0
    for kind, *shape in drawn.shapes:
        if kind == "line":
            xs, ys = shape[0][::2], shape[0][1::2]
        elif kind == "box":
            xs, ys = (shape[0], shape[0] + shape[2]), (shape[1], shape[1] + shape[3])
        else:
            xs, ys = (shape[0],), (shape[1],)
        assert min(xs) >= 0 and max(xs) <= drawn.width
        assert min(ys) >= 0 and max(ys) <= drawn.height
    for spot in drawn.spots:
        assert spot.title
        assert spot.x >= -3 and spot.x + spot.width <= drawn.width + 3


@pytest.mark.parametrize("name", everything())
@pytest.mark.parametrize("dark", [False, True])
def test_a_file_holds_the_same_words(name, dark):
    drawn = everything()[name]
    file = diagram(drawn, caption=Caption("Title", (("A", HOSTILE),), "facts"), dark=dark)
    root = ElementTree.fromstring(file)
    written = "".join(root.itertext())
    assert all(word in written for word in words(drawn))
    assert "script" not in {node.tag.rpartition("}")[2] for node in root.iter()}


def test_hostile_words_stay_words():
    drawn = Diagram(200, 40)
    drawn.words(0, 10, HOSTILE)
    drawn.spot(0, 0, 20, 20, HOSTILE, HOSTILE)
    header, _ = payload.unpack(diagram_payload(drawn))
    assert header["shapes"][0][3] == HOSTILE and header["spots"][0][4] == HOSTILE
    root = ElementTree.fromstring(diagram(drawn, caption=Caption(HOSTILE)))
    assert not [node for node in root.iter() if node.tag.endswith("script")]


def test_the_browser_knows_every_colour():
    style = bundles.style("diagram")
    script = bundles.script("diagram")
    for kind, (light, dark) in KINDS.items():
        if kind in ("ink", "mute", "line", "tile", "paper"):
            assert f"--al-{kind}:" in style
        else:
            found = re.findall(rf"--al-{kind}: (#[0-9a-f]+)", style)
            assert found == [light, dark]
    assert "innerHTML" not in script


@pytest.mark.parametrize(
    "wrong",
    [
        lambda drawn: drawn.box(0, 0, 1, 1, "puce"),
        lambda drawn: drawn.line([(0, 0), (1, 1)], "puce"),
        lambda drawn: drawn.words(0, 0, "x", anchor="left"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong):
    with pytest.raises(ValueError, match="is none of"):
        wrong(Diagram(10))


def test_a_placed_diagram_moves_whole():
    inner = Diagram(50, 50)
    inner.box(1, 2, 3, 4, "ink")
    inner.line([(0, 0), (5, 5)])
    inner.spot(0, 0, 5, 5, "here")
    outer = Diagram(100, 100)
    outer.place(10, 20, inner)
    assert outer.shapes[0][1:3] == [11, 22]
    assert outer.shapes[1][1] == [10, 20, 15, 25]
    assert (outer.spots[0].x, outer.spots[0].y) == (10, 20)


def test_parallel_parts_share_one_sum_and_sequential_ones_have_two():
    def sums(drawn):
        return words(drawn).count("+")

    assert sums(blocks.block(view("before", False))) == 2
    assert sums(blocks.block(view("before", True))) == 1


@pytest.mark.parametrize(("place", "norms"), [("before", 3), ("after", 3), ("inside", 3), ("", 1)])
def test_a_norm_stands_where_it_is_known_to(place, norms):
    """Two in the block and one before the head; of an unknown block only the last."""
    assert words(blocks.block(view(place))).count("RMSNorm") == norms


def test_bars_are_as_long_as_their_shares():
    drawn = shares.shares([("Whole", [("A", "attention", 3), ("B", "feed", 1)])])
    first, second = (shape for shape in drawn.shapes if shape[0] == "box" and shape[4] == 32)
    assert (first[3] + 1.5) / (second[3] + 1.5) == pytest.approx(3)
    assert "75%" in words(drawn) and "25%" in words(drawn)
    with pytest.raises(ValueError, match="no parts"):
        shares.shares([("Nothing", [])])


@pytest.mark.parametrize(
    ("count", "whole", "said"),
    [(1, 3, "33%"), (0, 3, "0%"), (26, 100_000, "0.026%"), (3, 3, "100%"), (999, 1000, "100%")],
)
def test_shares_in_percent(count, whole, said):
    assert shares.percent(count, whole) == said


def test_every_query_head_is_joined_to_its_key_value_head():
    drawn = sharing.sharing([Way("grouped", 6, 2, True, "", 1)])
    lines = [shape[1] for shape in drawn.shapes if shape[0] == "line"]
    assert len(lines) == 6
    assert len({line[2] for line in lines}) == 2
    assert [spot.lines for spot in drawn.spots] == [
        ("read by query heads 0 to 2",),
        ("read by query heads 3 to 5",),
    ]


def test_a_curve_rises_as_its_logarithm():
    x = (1, 10, 100)
    drawn = curves.curves("t", x, [Curve("n", x, "ink")], x_name="n")
    (points,) = (shape[1] for shape in drawn.shapes if shape[0] == "line" and shape[3] == 2.5)
    xs, ys = points[::2], points[1::2]
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.02)
    assert ys[0] - ys[1] == pytest.approx(ys[1] - ys[2], abs=0.02)
    assert [spot.lines for spot in drawn.spots] == [("n: 1",), ("n: 10",), ("n: 100",)]


def test_names_of_curves_that_end_together_stand_apart():
    x = (1, 10)
    lines = [Curve(name, (1, 1), "ink") for name in "abc"] + [Curve("d", (1, 5), "ink")]
    drawn = curves.curves("t", x, lines, x_name="n")
    places = sorted(shape[2] for shape in drawn.shapes if shape[0] == "words" and shape[3] in "abc")
    assert all(below - above >= 15 for above, below in pairwise(places))


def test_a_curve_needs_values_that_have_logarithms():
    with pytest.raises(ValueError, match="above 0"):
        curves.curves("t", (1, 2), [Curve("n", (0, 1), "ink")], x_name="n")
    with pytest.raises(ValueError, match="each of 2"):
        curves.curves("t", (1, 2), [Curve("n", (1,), "ink")], x_name="n")

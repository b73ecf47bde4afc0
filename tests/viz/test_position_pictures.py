"""Pictures of the Positions page: laid out once, drawn in the browser and in files."""

from xml.etree import ElementTree

import pytest

from attnlab.viz import cells, clocks, diagram, dumbbells, lines, order, payload, plot, spans, turns
from attnlab.viz.cells import Table
from attnlab.viz.diagram import LEVELS, Diagram, diagram_payload
from attnlab.viz.figures import ordinal, plain, share, tiny
from attnlab.viz.lines import Line
from attnlab.viz.svg.diagram import diagram as as_file
from attnlab.viz.svg.frame import Caption

HOSTILE = '</text><script>alert(1)</script>"&'


def words(drawn):
    return [shape[3] for shape in drawn.shapes if shape[0] == "words"]


def everything():
    one = Table("Title", [[0.0, 1.0], [-0.5, 0.25]], rows=[(0, HOSTILE)], columns=[(1, "b")],
                told=lambda q, k: (f"{q}{k}", "x"), row_name="r", column_name="c")  # fmt: skip
    curve = Line("one", [1.0, None, 3.0], "attention", low=[0.5, None, 2], high=[2, None, 4.0])
    return {
        "lines": lines.lines("T", [1, 2, 4], [curve], x_name="n", marks=[(2, "here")], log_x=True),
        "cells": cells.tables([one, one, one], wide=520, across=2, label="l"),
        "clocks": clocks.clocks([0.1, 2], [5.0, 2], ("p", "q"), across=4, label="l"),
        "fans": clocks.fans([("fast", 1.0), ("slow", 0.01)], range(4), label="l"),
        "order": order.order(["dog", HOSTILE], [1, 0], [0.5, 2e-7], label="l"),
        "turns": turns.turns("T", [9, 0.1], [20, 0.4], [False, True], names=("8", "32")),
        "spans": spans.spans([("head 0", 2, 5)], 9, names=("50%", "90%"), x_name="back"),
        "dumbbells": dumbbells.dumbbells("T", [(HOSTILE, 1.0, 2.5)], names=("a", "b"), unit="n"),
    }


@pytest.mark.parametrize("name", list(everything()))
def test_each_is_sent_and_written_as_a_file(name):
    drawn = everything()[name]
    assert drawn.label and drawn.height > 0
    header, _ = payload.unpack(diagram_payload(drawn))
    assert header["shapes"] and header["spots"]
    for dark in (False, True):
        root = ElementTree.fromstring(as_file(drawn, caption=Caption("T"), dark=dark))
        assert root.find(".//{http://www.w3.org/2000/svg}script") is None


def test_heat_maps_keep_the_sign_and_the_strength_of_each_value():
    drawn = Diagram(10, 10)
    drawn.cells(0, 0, 10, 10, [[1.0, -1.0], [0.5, 0.0]], ("a", "b"))
    ((kind, *_, rows, columns, levels, more, less),) = drawn.shapes
    assert (kind, rows, columns, more, less) == ("cells", 2, 2, "a", "b")
    assert levels == [LEVELS, -LEVELS, LEVELS // 2, 0]
    written = as_file(drawn, caption=Caption("T"))
    assert written.count('shape-rendering="crispEdges"') == 3  # one path a strength, none for 0
    with pytest.raises(ValueError, match="from -1 to 1"):
        drawn.cells(0, 0, 1, 1, [[1.5]])


def test_areas_move_with_the_diagram_they_are_in():
    inner, outer = Diagram(10, 10), Diagram(50, 50)
    inner.area([(0, 0), (1, 0), (1, 1)], "a")
    outer.place(20, 30, inner)
    assert outer.shapes[0][1] == [20, 30, 21, 30, 21, 31]
    assert diagram.KINDS["a"][0] == "#2f6db3"


def test_a_stepped_line_jumps_half_way_between_two_positions():
    curve = Line("one", [0.0, 2.0], "attention", stepped=True)
    drawn = lines.lines("T", [0, 10], [curve], x_name="n", wide=200)
    ((_, points, *_),) = [s for s in drawn.shapes if s[0] == "line" and s[2] == "attention"]
    across, up = points[::2], points[1::2]
    assert across[1] == across[2] == pytest.approx((across[0] + across[3]) / 2, abs=0.01)
    assert up[0] == up[1] > up[2] == up[3]


def test_a_line_that_ends_early_is_named_there_and_marks_stay_inside():
    long, short = Line("long", [1.0] * 9, "attention"), Line("short", [2.0] * 3 + [None] * 6, "a")
    drawn = lines.lines("T", range(9), [long, short], x_name="n", marks=[(2, "in"), (20, "out")])
    there = {s[3]: s[1] for s in drawn.shapes if s[0] == "words"}
    assert "in" in there and "out" not in there
    assert there["short"] < there["in"] + 60 < there["long"]


def test_ordinals():
    assert [ordinal(n) for n in (1, 2, 3, 5, 11, 12, 22, 113)] == (
        ["1st", "2nd", "3rd", "5th", "11th", "12th", "22nd", "113th"]
    )


def test_a_line_has_a_gap_where_a_value_is_missing_and_ends_where_it_stops():
    curve = Line("one", [1.0, 2.0, None, 3.0, None], "attention")
    drawn = lines.lines("", [1, 2, 3, 4, 5], [curve], x_name="n")
    pieces = [shape for shape in drawn.shapes if shape[0] == "line" and shape[2] == "attention"]
    assert [len(piece[1]) // 2 for piece in pieces] == [2, 2]  # a lone point is drawn too
    with pytest.raises(ValueError, match="a value for each of 2"):
        lines.lines("", [1, 2], [Line("one", [1.0], "a")], x_name="n")
    with pytest.raises(ValueError, match="nothing to draw"):
        lines.lines("", [1, 2], [Line("one", [None, None], "a")], x_name="n")


def test_axes_take_values_of_either_sign():
    curve = Line("one", [-12.0, 3.0], "a")
    assert "−10" in words(lines.lines("", [0, 1], [curve], x_name="n"))
    assert plot.steps(-1.2, 3) == [-1, 0, 1, 2, 3]
    assert plot.steps(2, 2) == [2]


def test_a_word_that_moved_stands_out_and_rounding_is_told_as_rounding():
    drawn = order.order(["dog", "bites", "man"], [2, 1, 0], [2e-7, 0.5, 1.2], label="l")
    bold = [shape[3] for shape in drawn.shapes if shape[0] == "words" and shape[6]]
    assert bold == ["man", "dog"]
    assert {"2e−7", "50%", "120%"} <= set(words(drawn))


def test_figures():
    assert [share(v) for v in (0, 2.4e-7, 0.5, float("nan"))] == ["0", "2e−7", "50%", "–"]
    assert [tiny(v) for v in (0, 5e-14, 2e-5, 300)] == ["0", "5e−14", "2e−5", "3e2"]
    assert [plain(v) for v in (-0.5, 12345, 0)] == ["−0.5", "1.23e+04", "0"]


def test_pairs_below_zero_and_maps_of_nothing_are_refused():
    with pytest.raises(ValueError, match="from 0 on"):
        dumbbells.dumbbells("", [("x", -1, 2)], names=("a", "b"))
    with pytest.raises(ValueError, match="is empty"):
        cells.tables([Table("nothing", [])], wide=100)
    assert cells.some(100, 260, 26) == [(at, str(at)) for at in range(0, 100, 10)]


def test_whole_positions_are_written_once_and_a_single_value_is_a_dot():
    seven = Line("word", [1.0, 0.9, 0.8, 0.8, 0.9, 0.7, 0.6], "a")
    drawn = lines.lines("", range(7), [seven], x_name="layers", wide=860)
    ticks = [s[3] for s in drawn.shapes if s[0] == "words" and s[2] > 226]
    assert [tick for tick in ticks if tick != "layers"] == [str(at) for at in range(7)]
    one = lines.lines("Chance", [0], [Line("3", [0.98], "a")], x_name="layer", span=(0.0, 1.0))
    (dot,) = [s for s in one.shapes if s[0] == "box"]
    title, name = (
        next(s for s in one.shapes if s[0] == "words" and s[3] == text) for text in ("Chance", "3")
    )
    assert dot[3] == dot[4] == 7 and name[2] - title[2] > 14

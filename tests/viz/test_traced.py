"""Squares of parts, what each layer says, and parts that add up."""

import pytest

from attnlab.viz.lensmap import LensMap, lens_map
from attnlab.viz.squares import Squares, squares
from attnlab.viz.waterfall import waterfall


def boxes(drawn, kind):
    return [shape for shape in drawn.shapes if shape[0] == "box" and shape[5] == kind]


def shown(**more):
    values = {(0, 0): 4.0, (0, 1): -1.0, (1, 0): float("nan")}
    cells = [(0, 0), (1, 0), (0, 1), (1, 1)]
    return Squares(["H0", "H1"], ["L0", "L1"], cells, values, str, lambda cell: (), **more)


def test_area_is_the_value_and_colour_its_sign():
    drawn = squares(shown(), wide=400)
    (up, legend), (down, _) = boxes(drawn, "attention"), boxes(drawn, "gold")
    assert up[3] * up[4] == pytest.approx(4 * down[3] * down[4])
    assert legend[3] == 10 and len(drawn.spots) == 4
    assert [spot.title for spot in drawn.spots] == ["(0, 0)", "(1, 0)", "(0, 1)", "(1, 1)"]


def test_more_than_full_fills_its_tile():
    drawn = squares(shown(full=1.0), wide=400)
    up, down = boxes(drawn, "attention")[0], boxes(drawn, "gold")[0]
    assert up[3] == down[3]


def test_the_same_word_is_written_once():
    of = LensMap(
        ["one"], ["L0", "L1", "L2"], [["a", "a", "b"]], [[0.1, 0.2, 1.0]], lambda r, c: (f"{r}{c}",)
    )
    drawn = lens_map(of, wide=600)
    written = [shape[3] for shape in drawn.shapes if shape[0] == "words"]
    assert written.count("a") == 1 and written.count("b") == 1
    assert [spot.title for spot in drawn.spots] == ["00", "01", "02"]


def test_parts_end_where_the_sum_does():
    drawn = waterfall([("up", 3.0), ("down", -1.0)], ("itself", 2.0), wide=500)
    ink = boxes(drawn, "ink")
    assert ink[0][1:2] == ink[1][1:2] and ink[0][3] == pytest.approx(ink[1][3])
    (down,) = boxes(drawn, "gold")
    assert down[1] == pytest.approx(ink[0][1] + ink[0][3])
    with pytest.raises(ValueError, match="needs parts"):
        waterfall([], ("itself", 2.0), wide=500)

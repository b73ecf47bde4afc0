"""Pictures of the Cost page: what nobody measured is dashed; a film; tiles; answers in a table."""

import numpy as np
import pytest

from attnlab.viz import curves, film, recalled, tile_film
from attnlab.viz.curves import Curve
from attnlab.viz.diagram import Diagram
from attnlab.viz.payload import unpack
from attnlab.viz.recalled import Said
from attnlab.viz.svg import Caption
from attnlab.viz.svg.diagram import diagram
from attnlab.viz.tile_film import Tile

HOSTILE = "</text><script>x</script>"


def drawn_lines(drawn):
    return [shape for shape in drawn.shapes if shape[0] == "line"]


def words(drawn):
    return [shape[3] for shape in drawn.shapes if shape[0] == "words"]


def test_what_nobody_measured_goes_on_dashed_from_the_last_that_somebody_did():
    line = Curve("naive", [2.0, 8.0, None], "ink", beyond=[None, None, 32.0], dots=True)
    drawn = curves.curves("Time", [10, 20, 40], [line], x_name="tokens")
    inked = [shape for shape in drawn_lines(drawn) if shape[2] == "ink"]
    (solid,) = [shape for shape in inked if not shape[5]]
    (dashed,) = [shape for shape in inked if shape[5]]
    assert len(solid[1]) == len(dashed[1]) == 4
    assert solid[1][-2:] == dashed[1][:2]
    assert sum(shape[0] == "box" for shape in drawn.shapes) == 2
    assert drawn.spots[0].lines == ("naive: 2",)
    assert drawn.spots[2].lines == ("naive: about 32, not measured",)
    assert drawn.label.endswith("naive 32.")


def test_a_curve_may_begin_late_and_end_early():
    line = Curve("window", [None, 4.0, 8.0, None], "brown")
    drawn = curves.curves("Bytes", [1, 2, 4, 8], [line], x_name="tokens", at=8)
    assert drawn.spots[0].lines == () and drawn.spots[1].lines == ("window: 4",)
    with pytest.raises(ValueError, match="above 0"):
        curves.curves("Bytes", [1], [Curve("none", [None], "ink")], x_name="tokens")


def tiles_of(n=5, tile=2):
    found = []
    for first in range(0, n, tile):
        for key in range(0, n, tile):
            rows = min(tile, n - first)
            hidden = key > first
            weights = None if hidden else np.full((rows, min(tile, n - key)), 0.5)
            kept = [np.full(rows, value) for value in (1.25, 2.0, 0.5 if key else 0.0)]
            ends = (first, first + rows), (key, min(key + tile, n))
            found.append(Tile(*ends, weights, *kept))
    return found


def test_each_tile_is_a_picture_and_says_what_is_in_memory():
    names = ["The", "cat", HOSTILE, "", "down"]
    shown = tile_film.tile_film(tiles_of(), names, names)
    assert len(shown.frames) == 9 and shown.names[3] == "tile 4 of 9"
    assert "in memory now: 4 scores; all at once: 25" in words(shown.frames[3])
    assert "hidden by the mask: skipped. All at once: 25 scores" in words(shown.frames[1])
    assert "× 0.50" in words(shown.frames[4]) and "× 0.50" not in words(shown.frames[3])
    rows = words(shown.frames[3])
    assert rows.count("1.25") == 4, "two rows are done, two under way, one has not begun"
    whole = shown.picture(4)
    file = diagram(whole, caption=Caption("Tiles", (), ""))
    assert "<script" not in file and "tile 5 of 9" in whole.label
    with pytest.raises(ValueError, match="no tiles"):
        tile_film.tile_film([], names, names)


def test_a_film_travels_whole_and_starts_where_it_is_told():
    shown = tile_film.tile_film(tiles_of(), list("abcde"), list("abcde"))
    header, arrays = unpack(film.film_payload(shown, frame=2, serial=7))
    assert (header["frame"], header["serial"], len(header["frames"])) == (2, 7, 9)
    assert header["shapes"] and header["frames"][0]["shapes"] and not arrays
    for wrong in ({"frame": 9}, {"frame": -1}):
        with pytest.raises(ValueError, match="no picture"):
            film.film_payload(shown, **wrong)
    with pytest.raises(ValueError, match="0 pictures"):
        film.film_payload(film.Film(Diagram(1), [], []))


def test_bars_of_memory_are_on_one_scale():
    drawn = tile_film.memory_bars(("107 MiB", 107.0), ("10.7 MiB", 10.7), "Peak memory.")
    bars = [shape for shape in drawn.shapes if shape[0] == "box" and shape[5] != "tile"]
    assert bars[0][3] == pytest.approx(10 * bars[1][3])


def test_a_right_answer_is_coloured_by_how_sure_it_is_and_a_wrong_one_crossed():
    sure, unsure, wrong = Said("3", True, 1.0), Said("17", True, 0.2), Said("5", False, 0.0)
    asked = [("cat", "3"), (HOSTILE, "17")]
    columns = [("softmax", [sure, unsure]), ("window", [sure, wrong])]
    drawn = recalled.recalled(asked, columns)
    areas = [shape for shape in drawn.shapes if shape[0] == "area"]
    assert len(areas) == 3 and areas[0][3] > areas[2][3]
    assert {"2 of 2", "1 of 2", "✗ 5"} <= set(words(drawn))
    assert drawn.label == "Right answers: softmax 2 of 2, window 1 of 2."
    assert "<script" not in diagram(drawn, caption=Caption("x", (), ""))
    with pytest.raises(ValueError, match="2 questions"):
        recalled.recalled(asked, [("softmax", [sure])])


def test_few_lengths_have_more_than_one_written_beside_them():
    drawn = curves.curves("Time", [16, 64, 512], [Curve("a", [1.0, 2.0, 3.0], "ink")], x_name="n")
    assert {"20", "50", "100", "200", "500"} <= set(words(drawn))
    drawn = curves.curves("Time", [10, 1000], [Curve("a", [1.0, 2.0], "ink")], x_name="n")
    assert not {"20", "50"} & set(words(drawn))

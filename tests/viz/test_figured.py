"""Tables of figures over colour: what is written, what is left out, what is pointed at."""

import pytest

from attnlab.viz.figured import Table, figured
from attnlab.viz.svg.diagram import diagram
from attnlab.viz.svg.frame import Caption


def table(values, **more):
    names = [f"w{at}" for at in range(len(values))]
    columns = [f"c{at}" for at in range(len(values[0]))]
    return Table("Two words", names, columns, values, **more)


def written(drawn):
    return [shape[3] for shape in drawn.shapes if shape[0] == "words"]


def test_figures_stand_in_their_cells_and_colour_says_how_large():
    drawn = figured([table([[1.0, None], [-0.25, 0.5]], axes=("looks", "at"), chosen=1)], wide=400)
    (cells,) = [shape for shape in drawn.shapes if shape[0] == "cells"]
    assert cells[7] == [24, 0, -6, 12]
    assert {"1", "−0.25", "0.5", "w0", "c1", "looks", "at"} <= set(written(drawn))
    assert [spot.title for spot in drawn.spots] == ["“w0” → “c0”", "“w1” → “c0”", "“w1” → “c1”"]
    light = [shape[5] for shape in drawn.shapes if shape[0] == "words" and shape[3] == "1"]
    assert light == ["paper"]


def test_many_words_leave_the_colour_alone():
    drawn = figured([table([[0.5] * 60] * 60)] * 2, wide=600)
    assert "0.5" not in written(drawn) and not drawn.spots
    assert drawn.width == 600 and drawn.height < 460


def test_nothing_at_all_is_a_blank_table_and_no_words_an_error():
    drawn = figured([table([[0.0, 0.0]])], wide=300)
    assert written(drawn).count("0") == 2
    with pytest.raises(ValueError, match="empty"):
        figured([Table("None", [], [], [])], wide=300)


def test_it_is_drawn_into_files():
    drawn = figured([table([[1.0, -1.0]])], wide=300)
    assert "w0" in diagram(drawn, caption=Caption("Words", (), "facts", ()))

"""What ranked lists of heads are sent."""

import pytest

from attnlab.viz import svg
from attnlab.viz.payload import unpack
from attnlab.viz.ranks import ranks_payload


def header(*args, **options):
    return unpack(ranks_payload(*args, **options))[0]


def test_lists_keep_their_order_and_share_a_scale():
    sent = header(
        [("In A", "a", [(8, 6, 0.34), (4, 2, 0.06)]), ("B − A", "d", [(4, 2, 0.4), (8, 6, -0.5)])],
        selected=(4, 2),
    )
    assert [column["title"][0] for column in sent["columns"]] == ["In A", "B − A"]
    assert sent["columns"][0]["rows"] == [[8, 6, 0.34], [4, 2, 0.06]]
    assert (sent["full"], sent["digits"]) == (0.5, 2)
    assert sent["selected"] == [4, 2]


def test_small_values_keep_two_figures():
    columns = [("In A", "a", [(8, 6, 0.0041), (4, 2, 0.00004)]), ("B − A", "d", [(4, 2, -0.0012)])]
    assert header(columns)["digits"] == 4
    picture = svg.ranks(columns, caption=svg.Caption("A title"))
    for said in (">0.0041<", ">0<", ">−0.0012<", "The longest bar is 0.0041;"):
        assert said in picture


def test_nothing_to_rank():
    assert header([])["full"] == 0
    assert header([("In A", "a", [])])["columns"][0]["rows"] == []


def test_a_title_hides_nothing():
    assert header([("\u202eevil", "a", [])])["columns"][0]["title"][0] == "⟨U+202E⟩evil"


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="colour 'red'"):
        header([("x", "red", [])])
    with pytest.raises(ValueError, match="L1H2 is nan"):
        header([("x", "a", [(1, 2, float("nan"))])])

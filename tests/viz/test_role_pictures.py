"""The pictures of the page Head roles: laid out once, drawn in the browser and in files."""

from xml.etree import ElementTree

import numpy as np
import pytest

from attnlab.viz import payload
from attnlab.viz.bullets import Bullet, bullets
from attnlab.viz.diagram import diagram_payload
from attnlab.viz.grid import grid_payload
from attnlab.viz.role_map import RoleMap, Sign, role_map
from attnlab.viz.svg.diagram import diagram as as_file
from attnlab.viz.svg.frame import Caption
from tests.ui.mounting import WORDS

SIGNS = {"induction": Sign("I", "pink"), "pronoun": Sign("P", "attention")}
NAMED = {(0, 1): ("induction", "pronoun"), (3, 0): ("pronoun",)}


def of(**options):
    rows = {0: 2, 3: 1}
    return RoleMap(rows, NAMED, SIGNS, {(0, 1): ("induction 0.90",)}, **options)


def words(drawn):
    return [shape[3] for shape in drawn.shapes if shape[0] == "words"]


def boxes(drawn, kind):
    return [s for s in drawn.shapes if s[0] == "box" and s[5] == kind and s[3] > 16]


@pytest.mark.parametrize("wide", [200, 1000])
@pytest.mark.parametrize("only", ["", "pronoun"])
def test_the_spots_are_the_heads_and_then_the_roles(wide, only):
    one = of(only=only, scores={(0, 1): 0.3, (3, 0): 0.9}, chosen=(0, 0))
    drawn = role_map(one, wide=wide, label="l")
    assert [spot.title for spot in drawn.spots] == ["L0 H0", "L0 H1", "L3 H0", *SIGNS]
    assert one.spots == [(0, 0), (0, 1), (3, 0), *SIGNS]
    assert drawn.spots[1].lines == ("induction 0.90",)
    assert {"H0", "H1", "L0", "L3", "induction · 1", "pronoun · 2"} <= set(words(drawn))
    assert all(s.x >= 0 and s.x + s.width <= drawn.width + 8 for s in drawn.spots)
    assert all(s.y + s.height <= drawn.height + 4 for s in drawn.spots)
    header, _ = payload.unpack(diagram_payload(drawn, clickable=True))
    assert header["clickable"]
    ElementTree.fromstring(as_file(drawn, caption=Caption("T"), dark=True))


def test_a_head_has_the_colour_and_the_sign_of_its_clearest_role():
    drawn = role_map(of(), wide=400)
    assert len(boxes(drawn, "pink")) == 1 and len(boxes(drawn, "attention")) == 1
    assert words(drawn).count("I") == 2 and words(drawn).count("P") == 2  # a head and the legend


def test_alone_a_role_is_drawn_by_its_score_and_named_heads_are_filled():
    scores = {(0, 0): 0.16, (0, 1): 0.16, (3, 0): 0.64}
    drawn = role_map(of(only="induction", scores=scores), wide=400)
    squares = [s for s in drawn.shapes if s[0] == "box" and "pink" in s[5:7] and s[3] != 15.0]
    assert [(bool(s[5]), bool(s[6])) for s in squares] == [
        (False, True),
        (True, False),
        (False, True),
    ]
    assert squares[0][3] == pytest.approx(squares[2][3] / 2)  # the area is the score
    below = role_map(of(only="induction", scores=dict.fromkeys(scores, -0.2)), wide=400)
    assert not [s for s in below.shapes if s[0] == "box" and "pink" in s[5:7] and s[3] != 15.0]


def test_scores_stand_beside_the_least_that_counts():
    rows = [
        Bullet("induction", 0.9, 0.3, 0.02, 0.01, True, "pink", ("score 0.90",)),
        Bullet("pronoun", -0.2, 0.15, 0.0, None, False, "attention"),
    ]
    drawn = bullets(rows, wide=500, chosen="induction", label="l")
    assert {"0.90", "−0.20", "threshold", "chance", "spread"} <= set(words(drawn))
    assert [spot.title for spot in drawn.spots] == ["induction", "pronoun"]
    assert len(boxes(drawn, "pink")) == 1 and not boxes(drawn, "attention")
    ElementTree.fromstring(as_file(drawn, caption=Caption("T"), dark=False))
    with pytest.raises(ValueError, match="no scores"):
        bullets([], wide=500)


def test_a_head_of_the_grid_may_have_a_dot():
    maps = np.zeros((1, 2, 3, 3))
    badges = {(0, 1): ("induction", "pink")}
    header, _ = payload.unpack(grid_payload(maps, WORDS, badges=badges, badge_note="Dots"))
    assert header["badges"] == [[0, 1, "induction", "#b3447a", "#e58cb8"]]
    assert header["badgeNote"] == "Dots"
    assert payload.unpack(grid_payload(maps, WORDS))[0]["badges"] == []

"""Squares of effects, estimates against exact values, and a set beside its parts."""

import pytest

from attnlab.viz import effects, scatter, together
from attnlab.viz.diagram import diagram_payload
from attnlab.viz.payload import unpack
from attnlab.viz.svg.diagram import diagram
from attnlab.viz.svg.frame import Caption

ROWS = {0: 2, 2: 3}


def boxes(drawn, fill):
    return [shape for shape in drawn.shapes if shape[0] == "box" and shape[5] == fill]


def drawn_of(exact, estimate=(), **more):
    return effects.effects(effects.Effects(ROWS, exact, dict(estimate), **more), wide=200)


def test_a_spot_for_each_head_in_the_order_of_the_layers():
    shown = effects.Effects(ROWS, {}, {})
    assert shown.heads == [(0, 0), (0, 1), (2, 0), (2, 1), (2, 2)]
    drawn = effects.effects(shown, wide=200)
    assert [spot.title for spot in drawn.spots] == ["L0 H0", "L0 H1", "L2 H0", "L2 H1", "L2 H2"]
    header, _ = unpack(diagram_payload(drawn, clickable=True))
    assert header["clickable"] and "clickable" not in unpack(diagram_payload(drawn))[0]


def test_the_area_of_a_square_is_its_effect():
    drawn = drawn_of({(0, 0): 1.0, (0, 1): 0.25, (2, 0): 0.0})
    sides = sorted(shape[3] for shape in boxes(drawn, "edit") if shape[3] != 10)
    assert len(sides) == 2 and sides[1] == pytest.approx(2 * sides[0])


def test_estimates_are_outlined_until_an_exact_value_takes_their_place():
    estimate = {(0, 0): 0.5, (0, 1): 0.5}
    drawn = drawn_of({(0, 0): 1.0}, estimate)
    outlined = [s for s in drawn.shapes if s[0] == "box" and not s[5] and s[6] == "edit"]
    assert len(outlined) == 2  # one head, and the legend
    assert "estimate 0.5 nats" in drawn.spots[0].lines and drawn.spots[0].lines[0] == "1 nats"
    assert any(shape[0] == "words" and "estimated" in shape[3] for shape in drawn.shapes)


def test_signs_have_colours_of_their_own_and_what_is_no_number_is_left_out():
    drawn = drawn_of({(0, 0): -1.0, (0, 1): float("nan"), (2, 2): 0.5}, kinds=("gold", "edit"))
    squares = [s for kind in ("gold", "edit") for s in boxes(drawn, kind) if s[3] != 10]
    assert len(squares) == 2 and squares[0][3] < squares[1][3]


def test_what_is_taken_away_is_ringed_and_said():
    drawn = drawn_of({}, gone=[(2, 1)], chosen=(0, 0))
    assert [s[2] for s in drawn.shapes if s[0] == "line"] == ["ink", "edit"]
    assert drawn.spots[3].lines[-1] == "click to give it back"
    assert drawn.spots[0].lines[-1] == "click to take it away"


def test_a_model_of_any_size_is_drawn_and_saved():
    rows = dict.fromkeys(range(80), 64)
    drawn = effects.effects(effects.Effects(rows, {(3, 3): 1.0}, {}), wide=1080)
    assert len(drawn.spots) == 80 * 64 and drawn.height < 1100
    assert "<svg" in diagram(drawn, caption=Caption("Every head"), dark=True)


@pytest.mark.parametrize(
    "points",
    [
        [("L0 H0", 0.5, 1.2), ("L0 H1", 0.0, 1e-7), ("L1 H0", 0.1, 0.05)],
        [("L0 H0", -5.0, -12.0), ("L0 H1", 2.0, 2.5)],
        [("L0 H0", 0.0, 0.0)],
    ],
)
def test_estimates_lie_against_exact_values(points):
    drawn = scatter.scatter(points, unit="nats")
    assert len(drawn.spots) == len(points)
    assert drawn.spots[0].title == max(points, key=lambda one: abs(one[2]))[0]
    dots = boxes(drawn, "edit")
    assert all(0 <= x <= drawn.width and 0 <= y <= drawn.height for _, x, y, *_ in dots)


def test_equal_values_lie_on_the_dashed_line():
    drawn = scatter.scatter([("a", 0.3, 0.3), ("b", 0.0, 0.0), ("c", 1.0, 1.0)])
    (start, end) = next((s[1][:2], s[1][2:]) for s in drawn.shapes if s[0] == "line" and s[5])
    for _, x, y, w, h, *_ in boxes(drawn, "edit"):
        share = (x + w / 2 - start[0]) / (end[0] - start[0])
        assert y + h / 2 == pytest.approx(start[1] + share * (end[1] - start[1]), abs=1e-6)


def test_a_scatter_of_nothing_is_refused():
    for points in ([], [("a", float("nan"), 1.0)]):
        with pytest.raises(ValueError, match="finite"):
            scatter.scatter(points)


def test_a_set_its_parts_and_random_sets_share_one_scale():
    drawn = together.together(2.0, [("L0 H0", 1.0), ("L1 H1", 0.5)], [0.0, 0.1])
    (whole,) = boxes(drawn, "edit")
    parts = [s for s in drawn.shapes if s[0] == "box" and s[6] == "edit"]
    assert whole[3] == pytest.approx(2 * parts[0][3]) and parts[0][3] == pytest.approx(
        2 * parts[1][3]
    )
    assert parts[1][1] == pytest.approx(parts[0][1] + parts[0][3])
    assert drawn.spots[1].lines == ("L0 H0: 1 nats", "L1 H1: 0.5 nats")


def test_a_negative_effect_runs_to_the_left_of_zero():
    drawn = together.together(-3.0, [("L0 H0", -3.0)], [-0.5, 0.5])
    zero = next(s[1][0] for s in drawn.shapes if s[0] == "line")
    (bar,) = boxes(drawn, "edit")
    assert bar[1] + bar[3] == pytest.approx(zero, abs=0.01)
    assert len(drawn.spots) == 2 and drawn.label.startswith("L0 H0: −3 nats")


def test_without_random_sets_their_row_is_left_out():
    drawn = together.together(1.0, [("L0 H0", 1.0)], [])
    assert len(drawn.spots) == 1 and "random" not in drawn.label


def test_names_of_dots_that_lie_together_stand_apart():
    points = [("L1 H3", 1.0, 1.0), ("L1 H5", 1.001, 1.001), ("L0 H0", 0.2, 0.1)]
    words = [s for s in scatter.scatter(points).shapes if s[0] == "words" and s[3][0] == "L"]
    assert {s[3] for s in words} == {"L1 H3", "L1 H5", "L0 H0"}
    one, two = [s for s in words if s[3].startswith("L1")]
    assert abs(one[2] - two[2]) >= 13 or abs(one[1] - two[1]) >= 30
    crowd = [(f"L1 H{at}", 1.0, 1.0) for at in range(3)]
    places = [
        tuple(s[1:3]) for s in scatter.scatter(crowd).shapes if s[0] == "words" and s[3][0] == "L"
    ]
    assert len(set(places)) == len(places)


def test_others_that_are_no_heads_have_their_own_name():
    drawn = together.together(1.0, [("it", 1.0)], [0.5, 0.1], others="random feed-forwards")
    written = [shape[3] for shape in drawn.shapes if shape[0] == "words"]
    assert "2 random feed-forwards" in written and drawn.label.startswith("it: 1 nats; 2 random")


def test_feed_forwards_stand_in_a_row_below_the_heads():
    exact = {(0, 0): 1.0, (1, effects.FEED): 4.0}
    drawn = drawn_of(exact, feeds=(0, 1, 2))
    assert [spot.title for spot in drawn.spots][-3:] == [f"L{at} feed-forward" for at in range(3)]
    assert drawn.spots[-2].lines == ("4 nats", "click to take it away")
    assert len({spot.y for spot in drawn.spots[-3:]}) == 1
    assert drawn.spots[-1].y > max(spot.y for spot in drawn.spots[:-3]) + 10
    one, two = [box for box in boxes(drawn, "edit") if box[3] > 10 or box[4] > 10][:2]
    assert one[3] == pytest.approx(two[3])  # each kind on a scale of its own, which is said
    written = " ".join(shape[3] for shape in drawn.shapes if shape[0] == "words")
    assert "largest head: 1 nats; largest feed-forward (FF): 4" in written
    columns = {spot.title[:2]: spot.x for spot in drawn.spots}
    assert columns["L0"] < columns["L1"] < columns["L2"]

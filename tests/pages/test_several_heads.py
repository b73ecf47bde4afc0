"""Several heads at once: side by side, found by a pair of words, and taken away together."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from attnlab.ui import mount
from tests.pages.test_comparing import LONG, opened
from tests.pages.test_heads import address, header, interpreted, payloads, said
from tests.widgets import widget

KINDS = "L16H0.L13H8.L4H2.L18H6"


def clicked(monkeypatch, command: str, value: dict | tuple) -> None:
    """As if the browser had sent a click in a picture."""
    monkeypatch.setattr(mount, f"{command}_value", lambda key: value)


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def picture(app: AppTest, number: int) -> dict:
    """The header of a picture's payload: 0 the grid, 1 the first of the card below."""
    return header(payloads(app)[number])


def found(app: AppTest) -> dict[str, list]:
    """The ranked heads of each column."""
    return {column["title"][0]: column["rows"] for column in picture(app, 2)["columns"]}


def test_a_head_is_pinned_from_its_own_card_and_stands_beside_others(app: AppTest):
    opened(app)
    app.button(key="pin").click().run()
    assert address(app) == {"pins": "L4H2"}
    assert "Unpin L4 H2" in labels(app)
    widget(app, "sel_panel").set_value("compare").run()
    assert not app.exception
    assert [tile[:2] for tile in picture(app, 1)["heads"]] == [[4, 2]]
    app.button(key="unpin").click().run()
    assert address(app) == {"panel": "compare"}
    assert said(app, "Pin a head to start")


def test_one_click_pins_four_kinds_of_heads(app: AppTest):
    opened(app, panel="compare")
    app.button(key="pin-kinds").click().run()
    assert address(app)["pins"] == KINDS
    sent = picture(app, 1)
    assert [tile[:2] for tile in sent["heads"]] == [[16, 0], [13, 8], [4, 2], [18, 6]]
    assert "finds the street" in json.dumps(sent)


def test_another_text_has_kinds_of_its_own(app: AppTest):
    opened(app, panel="compare", a="Anna gave Ben the key and Ben gave Anna the book.", b="")
    app.button(key="pin-kinds").click().run()
    assert len(address(app)["pins"].split(".")) == 3
    assert "previous word" in json.dumps(picture(app, 1))


def test_at_most_six_heads_are_pinned(app: AppTest):
    opened(app, pins="L0H0.L1H1.L2H2.L3H3.L5H5.L6H6")
    assert app.button(key="pin").disabled
    widget(app, "sel_panel").set_value("compare").run()
    assert "Pin L4 H2" not in labels(app)
    assert len(picture(app, 1)["heads"]) == 6


def test_a_title_opens_its_head_and_a_cross_takes_it_away(app: AppTest, monkeypatch):
    opened(app, panel="compare", pins=KINDS)
    from attnlab.ui.cards import compare

    clicked(monkeypatch, "compare", {"layer": 13, "head": 8, "remove": True})
    with monkeypatch.context() as patch:
        done = []
        patch.setattr("attnlab.ui.state.choose", lambda **changes: done.append(changes))
        patch.setattr("attnlab.ui.state.chosen_now", lambda: app.session_state["_selection"])
        compare._clicked()
        clicked(patch, "compare", {"layer": 13, "head": 8, "remove": False})
        compare._clicked()
    assert done == [
        {"pins": ((16, 0), (4, 2), (18, 6))},
        {"layer": 13, "head": 8, "panel": "head"},
    ]


def test_pins_that_another_model_lacks_leave_with_a_sentence(app: AppTest):
    opened(app, model="minilm-l6", pins="L16H0.L3H1.L9H9", gone="L3H1.L7H0", head="L3H1")
    assert said(app, "has no L16 H0, L9 H9, so they were left out.")
    assert said(app, "has no L7 H0, so it was left out.")
    assert address(app)["pins"] == "L3H1" and address(app)["gone"] == "L3H1"


def test_the_street_is_found_by_its_two_words(app: AppTest):
    opened(app, panel="find", at="B11", key="6")
    columns = found(app)
    assert columns["in A"][0][:2] == [8, 6]
    assert columns["in B"][0] == [4, 2, pytest.approx(0.46, abs=0.005)]
    assert columns["B − A"][0] == [4, 2, pytest.approx(0.40, abs=0.005)]
    assert said(app, "“wide” → “street” in B, and “tired” → “street” in A.")
    assert picture(app, 0)["ranks"][0] == [4, 2, 1]


def test_before_any_click_the_chosen_heads_own_change_is_looked_for(app: AppTest):
    opened(app, panel="find")
    assert said(app, "“wide” → “street” in B")


def test_a_word_without_a_counterpart_is_looked_for_on_its_side_only(app: AppTest):
    opened(app, panel="find", a="It was wide.", b="It was very wide.", at="B2", key="0")
    assert said(app, "in B; A has no such pair.")
    assert list(found(app)) == ["in B"]


def test_a_pair_in_a_long_text_is_found_with_exact_weights(app: AppTest):
    opened(app, panel="find", a=LONG, b="", at="A70", key="69")
    assert 0.3 < found(app)["in A"][0][2] <= 1


def test_one_head_keeps_the_pair_and_says_its_weight(app: AppTest):
    opened(app, at="B11", key="6")
    assert said(app, "wide → street 0.46 in B")


def test_heads_are_collected_and_taken_away_together(app: AppTest):
    opened(app)
    one = interpreted(app)
    app.button(key="add-head").click().run()
    assert address(app) == {"gone": "L4H2"}
    assert one.split("**KL")[1][:7] == interpreted(app).split("**KL")[1][:7]
    widget(app, "sel_gone").set_value([(4, 2), (23, 4)]).run()
    assert not app.exception
    assert address(app) == {"gone": "L4H2.L23H4"}
    assert said(app, "random sets of 2 heads")
    assert one.split("**KL")[1][:7] != interpreted(app).split("**KL")[1][:7]


def test_an_effect_stands_beside_that_of_random_heads(app: AppTest):
    opened(app)
    assert said(app, "Of 20 random heads, half move it by less than")


def test_a_hosted_server_runs_random_heads_when_asked(app: AppTest, monkeypatch):
    monkeypatch.setenv("ATTNLAB_HOSTED", "1")
    opened(app)
    assert not said(app, "random heads, half move it")
    app.button(key="compare-random").click().run()
    assert said(app, "Of 20 random heads, half move it by less than")


def test_the_prediction_after_a_clicked_word(app: AppTest):
    opened(app, at="B6")
    assert said(app, "The next word after “cross the street” (in B)")
    app.button(key="last-word").click().run()
    assert said(app, "(the end of B)")
    assert address(app) == {}


@pytest.mark.parametrize("panel", ["head", "compare", "find", "circuits"])
def test_every_panel_opens_on_one_sentence(app: AppTest, panel: str):
    opened(app, panel=panel, b="", pins="L4H2.L13H8", mode="difference")
    assert len(payloads(app)) >= 2


def test_circuitsvis_shows_the_chosen_layer_of_a_short_text(app: AppTest):
    opened(app, panel="circuits", head="L9H4")
    assert "**Layer 9**" in interpreted(app)
    opened(app, panel="circuits", a=LONG, b="")
    assert said(app, "CircuitsVis takes up to 64 tokens")


def test_a_tray_outlives_another_role(app: AppTest, tiny_t5: str):
    opened(app, model=tiny_t5, a="w5 w6 w7", b="", ta="w8 w9")
    widget(app, "sel_gone").set_value([(1, 1), (0, 2)]).run()
    for role in ("decoder", "cross", "encoder"):
        shown = next(group for group in app.get("button_group") if group.key.startswith("role-"))
        shown.set_value(role).run()
        assert not app.exception
        assert address(app)["gone"] == "L1H1.L0H2"


@pytest.mark.parametrize(
    ("link", "left", "sentence"),
    [
        ({"at": "B999999", "key": "3"}, {}, "B has 13 tokens and none numbered 999,999."),
        ({"at": "B11", "key": "99"}, {"at": "B11"}, "B has 13 tokens and none numbered 99."),
        ({"at": "B3", "key": "11"}, {"at": "B3"}, "no word of B sees the words after it"),
        ({"key": "3"}, {}, ""),
    ],
)
def test_a_pair_that_is_not_there_is_put_right(app: AppTest, link, left, sentence: str):
    opened(app, **link)
    assert address(app) == left
    assert said(app, sentence) and not said(app, " 0.00 in B")


def test_another_model_lets_go_of_what_was_clicked(app: AppTest):
    opened(app, at="B11", key="6")
    widget(app, "sel_model").set_value("minilm-l6").run()
    assert not app.exception
    assert address(app) == {"model": "minilm-l6"}


def test_a_hosted_server_puts_device_and_numbers_back(app: AppTest, monkeypatch):
    monkeypatch.setenv("ATTNLAB_HOSTED", "1")
    opened(app, device="cuda", dtype="float16")
    assert address(app) == {}
    assert said(app, "This server chooses the device and the number format itself.")

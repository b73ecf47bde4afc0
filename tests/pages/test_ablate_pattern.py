"""Ablate with a pattern of attention that is painted, or pasted, under AppTest."""

import json
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from attnlab.ui.export.menu import files
from tests.pages.reading import opened, said, sent, squares
from tests.widgets import widget

TINY = "w5 w6 w7 w8 w9 w10 w11"


@pytest.fixture
def ablate(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, "pages/ablate.py")


def test_a_pattern_is_pasted(ablate, tiny_gemma):
    short, rows = "w5 w6 w7", "1 0 0\n1 0 0\n1,0,0"
    app = ablate(model=tiny_gemma, a=short, fill="pattern", rows=rows)
    assert said(app, "heads, exactly") and not said(app, "Until then")
    one = ablate(model=tiny_gemma, a=short, fill="first")
    assert squares(app)["spots"] == squares(one)["spots"]
    app = ablate(model=tiny_gemma, a=TINY, fill="pattern", rows="1 0")
    assert said(app, "is 7 lines of 7 numbers") and said(app, "Until then: looking everywhere")
    assert said(app, "heads, exactly")


def painting(app: AppTest) -> dict:
    """What the square of the words was sent."""
    (header,) = [header for header in sent(app) if header.get("looks")]
    return header


def test_a_pattern_is_painted(ablate, tiny_gemma):
    """A start is a pattern, and so are its cells one by one."""
    short = {"model": tiny_gemma, "a": "w5 w6 w7", "fill": "pattern"}
    first = squares(ablate(**short | {"fill": "first"}))["spots"]
    app = ablate(**short, start="first")
    assert squares(app)["spots"] == first and not said(app, "Until then")
    assert painting(app)["looks"] == {"ahead": False} and said(app, "A row looks evenly")
    by_hand = ablate(**short, start="empty", cells="0s0_1s0_2s0", row="1")
    assert squares(by_hand)["spots"] == first
    assert painting(by_hand)["cells"] == [[at, 0, 1] for at in range(3)]
    assert painting(by_hand)["row"] == 1
    by_hand.button(key="unpaint").click().run()
    assert "cells" not in by_hand.query_params
    assert said(by_hand, "Nothing is painted yet. Until then: looking everywhere alike")


def test_a_row_without_paint_is_left_to_the_head(ablate, tiny_gemma, monkeypatch):
    kept = {}
    monkeypatch.setattr(
        "attnlab.ui.export.menu", lambda key, what, label="Save": kept.update({key: what})
    )
    short = {"model": tiny_gemma, "a": "w5 w6 w7", "fill": "pattern", "start": "empty"}
    one = ablate(**short, cells="2s0-1")
    made = json.loads(files(kept["save-effects"])["json"][0]())
    assert made["pattern"]["positions"] == [2] and made["pattern"]["rows"][2] == [0.5, 0.5, 0]
    every = ablate(**short, cells="0s0_1s0-1_2s0-1")
    assert squares(one)["spots"] != squares(every)["spots"]


def test_what_lies_ahead_or_outside_is_not_painted(ablate, tiny_gemma):
    app = ablate(model=tiny_gemma, a="w5 w6 w7", fill="pattern", start="first", cells="0s2_9s9")
    assert said(app, "no place for some of the painted cells") and painting(app)["cells"] == []
    assert said(app, "heads, exactly")


def test_painting_and_pasting_stand_side_by_side(ablate, tiny_gemma):
    app = ablate(model=tiny_gemma, a="w5 w6 w7", fill="pattern")
    widget(app, "ablate-by").set_value("paste").run()
    assert "paste" in app.query_params["by"] and said(app, "is 3 lines of 3 numbers")
    widget(app, "ablate-by").set_value("paint").run()
    widget(app, "ablate-start").set_value("everywhere").run()
    assert "everywhere" in app.query_params["start"] and said(app, "A row looks evenly")
    uniform = ablate(model=tiny_gemma, a="w5 w6 w7", fill="uniform")
    exact = [[spot[5][0] for spot in squares(one)["spots"]] for one in (app, uniform)]
    assert exact[0] == exact[1]


def test_a_long_text_is_not_painted(ablate, tiny_gemma, monkeypatch):
    monkeypatch.setattr("attnlab.ui.cards.ablate.pattern.MOST_WORDS", 6)
    app = ablate(model=tiny_gemma, a=TINY, fill="pattern")
    assert said(app, "Texts of up to 6 tokens can be painted") and said(app, "is 7 lines of 7")
    assert not [header for header in sent(app) if header.get("looks")]


def test_cross_attention_is_painted_over_the_other_text(ablate, tiny_t5):
    app = ablate(model=tiny_t5, a=TINY, ta="w5 w6", role="cross", fill="pattern", start="first")
    header = painting(app)
    assert len(header["keys"]) > len(header["words"]) and header["looks"] == {"ahead": True}
    assert said(app, "heads, exactly")
    app = ablate(model=tiny_t5, a=TINY, ta="w5 w6", role="cross", fill="pattern")
    assert widget(app, "ablate-start").value == "everywhere"  # no word before it is in that text


def test_where_a_window_hides_the_first_word_no_head_looks_at_it(ablate, tiny_gemma):
    app = ablate(model=tiny_gemma, a=TINY, fill="first")
    assert said(app, "cannot see where its head is to look") and not said(app, "positions=")

"""Texts of up to 2,048 tokens, files, saved views, and the boxes that grow with a text."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from attnlab.ui import viewfile
from attnlab.ui.selection import Selection
from tests.pages.test_comparing import LONG, opened
from tests.pages.test_heads import address, box, header, payloads, said, words
from tests.widgets import widget

VERY_LONG = "The cat sat on the mat and looked out. " * 100


def test_a_long_text_gets_a_box_of_several_lines_and_keeps_every_character(app: AppTest):
    opened(app)
    box(app, "a").set_value(LONG).run()
    assert widget(app, "sel_a~long").value == LONG
    widget(app, "sel_a~long").set_value("One.\nTwo.").run()
    assert widget(app, "sel_a~long").value == "One.\nTwo."
    assert address(app)["a"] == "One.\nTwo."
    widget(app, "sel_a~long").set_value("One.").run()
    assert widget(app, "sel_a").value == "One."


def test_boxes_of_several_lines_can_be_asked_for(app: AppTest):
    opened(app)
    app.button(key="long-text").click().run()
    assert [area.key for area in app.text_area] == ["sel_a~long", "sel_b~long"]
    app.button(key="long-text").click().run()
    assert not app.text_area
    assert address(app) == {}


def test_a_text_of_a_thousand_tokens_is_shown_reduced_and_its_head_in_full(app: AppTest):
    opened(app, b="")
    box(app, "a").set_value(VERY_LONG).run()
    assert not app.exception
    grid, head = (header(payload) for payload in payloads(app)[:2])
    count = len(head["tokens"]["a"])
    assert 900 < count < 2048 and len(grid["tokens"]["a"]) == count
    assert "long" in address(app) and "a" not in address(app)
    assert said(app, "This text is too long for a link.")
    kept = [button.label for button in app.get("download_button")]
    assert "Save this view as a file instead" in kept


def test_long_texts_of_different_lengths_are_compared_where_they_correspond(app: AppTest):
    opened(app, a=LONG, b=LONG.replace("cat", "big black dog", 1))
    grid = header(payloads(app)[0])
    assert grid["view"] == "B-A"
    assert grid["difference"]["compared"] > 0
    assert "only in B" in json.dumps(grid["difference"]["note"])
    assert not said(app, "This is B.")


def uploaded(app: AppTest, name: str, content: bytes, side: str = "A") -> AppTest:
    opened(app)
    app.session_state["from-file"] = True
    app.run()
    if side == "B":
        app.get_by_key("file-side").set_value("B").run()
    app.file_uploader(key="file").upload(name, content).run()
    assert not app.exception
    return app


def test_a_file_goes_into_its_box(app: AppTest):
    uploaded(app, "b.txt", b"The dog sat.\r\nIt slept.\n", "B")
    assert box(app, "b").value == "The dog sat.\nIt slept."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe\x00\x01", "“x.txt” holds no UTF-8 text, so it was not opened."),
        (b"x" * 20_001, "“x.txt” has 20,001 characters; up to 20,000 can be shown here."),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(app: AppTest, content: bytes, sentence: str):
    uploaded(app, "x.txt", content)
    assert sum(sentence in text for text in words(app)) == 1
    assert address(app) == {}


def test_a_saved_view_reopens_with_its_long_text(app: AppTest):
    view = Selection(a=VERY_LONG, b="", head=3, layer=9, pins=((1, 2),), mode="matrix")
    uploaded(app, "view.json", viewfile.dump(view))
    assert box(app, "a").value == VERY_LONG
    shown = {"b": "", "head": "L9H3", "pins": "L1H2", "mode": "matrix", "long": "a"}
    assert address(app) == shown


def test_a_mangled_view_says_what_was_left_out(app: AppTest):
    document = json.loads(viewfile.dump(Selection()))
    document["view"] = {"head": "<script>", "pins": 3}
    uploaded(app, "view.json", json.dumps(document).encode())
    assert said(app, "The file's “head” is not a head such as L4H2")
    assert len(payloads(app)) == 3


def test_a_link_whose_text_was_too_long_says_so(app: AppTest):
    opened(app, long="a")
    assert said(app, "Sentence A was too long for this link")


def test_an_example_opens_with_its_head_and_says_what_to_look_for(app: AppTest):
    opened(app)
    app.session_state["examples"] = True
    app.run()
    app.button(key="open-pair-0").click().run()
    assert not app.exception
    assert box(app, "a").value == "The key to the cabinet"
    assert address(app)["try"]
    assert said(app, "Is or are?")
    box(app, "a").set_value("Something else.").run()
    assert "try" not in address(app)
    assert not said(app, "Is or are?")


@pytest.mark.parametrize("content", [b"[1,2]", b'{"attnlab":"views"}', b"1" * 5000, b"\xff{"])
def test_a_json_that_is_no_view_is_no_text_either(app: AppTest, content: bytes):
    uploaded(app, "list.json", content)
    assert sum("not a view that AttnLab saved" in text for text in words(app)) == 1
    assert address(app) == {}


@pytest.mark.parametrize(("name", "said_so"), [("street", False), ("nope", True)])
def test_a_saved_view_with_other_texts_is_no_experiment(app: AppTest, name: str, said_so: bool):
    view = Selection(a="cat sat", b="dog sat", experiment=name)
    uploaded(app, "view.json", viewfile.dump(view))
    assert address(app) == {"a": "cat sat", "b": "dog sat"}
    assert not said(app, "From the last word")
    assert said(app, "There is no experiment “nope” here") == said_so

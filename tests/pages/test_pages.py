"""The pages together: one selection for all of them, and each page's own values."""

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from attnlab.ui.selection import SENTENCE_A
from tests.pages.conftest import APP
from tests.pages.test_heads import address, box, interpreted, said
from tests.widgets import widget

OTHERS = {"step-by-step": "Step by step", "architecture": "Architecture"}


def turn(app: AppTest, page: str) -> None:
    """Opens another page as the link in the sidebar does: with the query that it carries."""
    query = link(app, page)
    app.switch_page(f"pages/{page}.py")
    app.query_params = query
    app.run()
    assert not app.exception


def link(app: AppTest, path: str) -> dict[str, str]:
    """The query of the sidebar's link to a page; Heads is at the root."""
    links = {element.proto.page: element.proto.query_string for element in app.get("page_link")}
    return dict(parse_qsl(links["" if path == "heads" else path], keep_blank_values=True))


def test_the_chosen_head_and_texts_are_kept_on_every_page(app: AppTest):
    app.query_params["head"] = "L9H4"
    app.run()
    widget(app, "sel_b").set_value("").run()
    for page, title in OTHERS.items():
        turn(app, page)
        assert title in interpreted(app)
        assert address(app) == {"head": "L9H4", "b": ""}
    turn(app, "heads")
    assert "Layer 9 · Head 4" in interpreted(app)
    assert box(app, "b").value == "" and box(app, "a").value == SENTENCE_A
    assert address(app) == {"head": "L9H4", "b": ""}


def test_a_text_too_long_for_a_link_is_kept_on_every_page(app: AppTest):
    app.query_params["model"] = "minilm-l6"
    app.run()
    long = "The cat sat down. " * 220
    box(app, "a").set_value(long).run()
    assert address(app)["long"] == "a"
    turn(app, "architecture")
    # Said before a reload, which would lose it; and never that it was lost.
    assert address(app)["long"] == "a" and said(app, "This text is too long for a link.")
    assert not said(app, "was too long")
    turn(app, "heads")
    assert box(app, "a").value.strip() == long.strip()


def test_a_page_of_its_own_panel_comes_back_as_it_was_left(app: AppTest):
    app.run()
    turn(app, "architecture")
    widget(app, "own_architecture_panel").set_value("sees").run()
    assert address(app) == {"show": "sees"}
    turn(app, "heads")
    assert address(app) == {}
    turn(app, "architecture")
    assert address(app) == {"show": "sees"}
    assert widget(app, "own_architecture_panel").value == "sees"


@pytest.mark.parametrize("value", ["pwned", "<script>pwned()</script>", "\x00", "9" * 5000, ""])
def test_a_malformed_own_parameter_is_a_sentence_and_the_default(app: AppTest, value: str):
    app.query_params = {"show": value, "head": "pwned"}
    app.switch_page(str(APP.parent / "pages" / "architecture.py")).run()
    assert not app.exception
    assert said(app, "The link's “show”") and said(app, "The link's “head”")
    assert widget(app, "own_architecture_panel").value == "block"
    assert address(app) == {} and "pwned" not in interpreted(app)

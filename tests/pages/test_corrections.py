"""Links that ask for what is not there: a sentence each, and the address of what is shown."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import APP
from tests.pages.test_heads import address
from tests.widgets import widget


def opened(page: str, **query) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=120)
    app.switch_page(f"pages/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> list[str]:
    return [element.value for element in app.text]


@pytest.mark.parametrize(
    ("query", "sentence", "left"),
    [
        ({"query": "99"}, "This example has 3 queries and none numbered 99.", {}),
        (
            {"show": "why", "d": "37"},
            "The slider has no d = 37; this is the nearest, 32.",
            {"show": "why", "d": "32"},
        ),
        (
            {"show": "why", "lesson": "blur"},
            "The experiment “blur” sets up something else than is chosen here, so its name was "
            "left out.",
            {"show": "why"},
        ),
        (
            {"values": "5", "cut": "2", "preset": "dog"},
            "Two heads share an even number of columns, so W_V has 6 here.",
            {"values": "6", "cut": "2", "preset": "dog"},
        ),
        (
            {"show": "real", "key": "999"},
            "A key is chosen for a word that looks, and none is chosen here.",
            {"show": "real"},
        ),
        (
            {"show": "real", "at": "B999", "key": "999"},
            "B has 13 tokens and none numbered 999.",
            {"show": "real"},
        ),
    ],
)
def test_step_by_step(packaged_models, query, sentence, left):
    app = opened("step-by-step", **query)
    assert said(app).count(sentence) == 1
    assert address(app) == left


def test_a_head_and_a_row_that_cross_attention_does_not_have(packaged_models):
    query = {"show": "cross", "model": "dates"}
    app = opened("architecture", look="L9H9", row="9999", **query)
    assert "This cross-attention has no head L9 H9; this is L0 H3." in said(app)
    assert "11 tokens were written, and none is numbered 9,999." in said(app)
    assert address(app) == query
    app.run()  # said until a choice is made
    assert "This cross-attention has no head L9 H9; this is L0 H3." in said(app)


def test_another_date_lets_the_row_go(packaged_models):
    app = opened("architecture", show="cross", model="dates", row="10")
    widget(app, "own_architecture_date").set_value("hello").run()
    assert "row" not in address(app)
    assert not [one for one in said(app) if "numbered" in one]


def test_an_experiment_that_was_left_is_left_in_the_address_too(packaged_models):
    app = opened("architecture", lesson="one-step")
    assert address(app)["lesson"] == "one-step"
    widget(app, "own_architecture_panel").set_value("sees").run()
    assert "lesson" not in address(app)
    assert not [one for one in said(app) if "experiment" in one]
    assert "A has 13 tokens and none numbered 999." in said(
        opened("architecture", show="sees", at="A999")
    )


def test_what_an_address_says_twice_is_written_once(packaged_models):
    app = opened("step-by-step", cells=["x0.0_0.5", "x0.0_0.75"])
    assert address(app) == {"cells": "x0.0_0.75"}

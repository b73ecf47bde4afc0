"""Step by step under AppTest: presets, switches, edits, lessons, links, files."""

import csv
import io
import json

import pytest
from streamlit.testing.v1 import AppTest

from attnlab.attention.steps import work
from attnlab.ui import models, own, steps_lessons
from attnlab.ui.export.menu import files
from attnlab.ui.export.steps import example as saved
from attnlab.ui.steps_presets import NAMES
from attnlab.ui.steps_scene import figures
from attnlab.ui.steps_selection import STEP_BY_STEP, StepByStep, example_of
from attnlab.viz.payload import unpack
from tests.pages.conftest import APP
from tests.pages.test_heads import address
from tests.widgets import widget

PAGE = str(APP.parent / "pages" / "step-by-step.py")


@pytest.fixture
def lesson() -> AppTest:
    """The page as a new session opens it; it needs no model."""
    return AppTest.from_file(str(APP), default_timeout=60)


def opened(app: AppTest, **query: str) -> AppTest:
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


def sent(app: AppTest) -> list[dict]:
    """The headers of what is drawn, from top to bottom."""
    return [unpack(one.proto.bytes)[0] for one in app.get("bidi_component") if one.proto.bytes]


def steps(app: AppTest) -> dict:
    return next(header for header in sent(app) if "why" in header)


def value(app: AppTest) -> StepByStep:
    return app.session_state[own._ALL][STEP_BY_STEP.name].value


def said(app: AppTest) -> str:
    return "\n".join(one.value for one in app.text)


def test_it_opens_without_a_model_on_numbers_that_differ(lesson: AppTest, monkeypatch):
    """Of the first example Q, K and V are not X, so it shows what there are three of them for."""

    def refused(*_):
        raise AssertionError("by hand needs no model")

    monkeypatch.setattr(models, "open_model", refused)
    opened(lesson)
    header = steps(lesson)
    assert header["tokens"] == ["animal", "street", "tired"]
    made = [header["matrices"][name] for name in ("x", "q", "k")]
    assert all(one != other for at, one in enumerate(made) for other in made[:at])
    (closed,) = [one for one in lesson.expander if one.label == "A row that may see nothing"]
    assert not closed.proto.expanded


def test_the_cat_passes_its_numbers_on(lesson: AppTest):
    opened(lesson, preset="cat")
    header = steps(lesson)
    assert header["tokens"] == ["The", "cat", "sat", "down"]
    assert header["matrices"]["scores"][0][0] == pytest.approx([1.02, 0.2, -0.42, -0.52])
    assert [round(x, 4) for x in header["matrices"]["weights"][0][3]] == [
        *(0.1406, 0.1770, 0.2804, 0.4019),
    ]
    assert "384 multiplications in all" in said(lesson)


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_has_an_address(lesson: AppTest, name: str):
    opened(lesson, preset=name)
    assert list(steps(lesson)["tokens"]) == list(example_of(StepByStep(preset=name)).worked.tokens)


def test_the_switches_change_the_numbers_and_the_address(lesson: AppTest):
    opened(lesson, preset="cat")
    widget(lesson, "by-hand-heads").set_value(2).run()
    assert len(steps(lesson)["matrices"]["weights"]) == 2
    assert "384 multiplications in all, with one head as with two" in said(lesson)
    widget(lesson, "by-hand-causal").set_value(False).run()
    assert None not in steps(lesson)["matrices"]["masked"][0][0]
    widget(lesson, "by-hand-scaled").set_value(False).run()
    header = steps(lesson)
    assert header["matrices"]["scaled"] == header["matrices"]["scores"]
    widget(lesson, "by-hand-columns").set_value(6).run()
    assert len(steps(lesson)["matrices"]["v"][0][0]) == 6
    assert address(lesson).items() >= {
        "cut": "2", "mask": "off", "scale": "off", "values": "6",
    }.items()  # fmt: skip
    lesson.get_by_key("reset").click().run()
    assert not {"cut", "mask", "scale", "values"} & address(lesson).keys()
    assert not lesson.exception


def test_another_example_starts_with_its_own_numbers(lesson: AppTest):
    opened(lesson, preset="cat", cells="x0.0_1", mask="off", values="3")
    widget(lesson, "by-hand-family").set_value("bite").run()
    assert value(lesson) == StepByStep(preset="dog")
    assert widget(lesson, "by-hand-causal").value is False
    widget(lesson, "by-hand-heads").set_value(1).run()
    widget(lesson, "by-hand-preset").set_value("man").run()
    assert (value(lesson).preset, value(lesson).heads) == ("man", 1)
    assert steps(lesson)["tokens"] == ["man", "bites", "dog"]


def test_an_edited_cell_comes_with_the_link(lesson: AppTest):
    opened(lesson, preset="cat", cells="w1.2_9", step="out", cell="out.0.3.0")
    assert "The link's “cells” is not a list of cells" in said(lesson)
    opened(lesson, cells="v0.0_-2~x3.0_0.75")
    header = steps(lesson)
    assert header["start"]["cells"] == [["w_v", 0, 0, -2.0], ["x", 3, 0, 0.75]]
    assert header["start"]["step"] == "out"
    assert header["matrices"]["x"][0][3][0] == 0.75
    assert header["plain"]["x"][0][3][0] == 0.4


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"cells": "x9.0_1"}, "no place for an edited cell"),
        ({"cells": "x0.0_1e999"}, "The link's “cells” is not a list of cells"),
        ({"cells": "<script>"}, "The link's “cells” is not a list of cells"),
        ({"cell": "weights.1.0.0"}, "no such cell"),
        ({"cell": "x.0.9.9"}, "no such cell"),
        ({"lesson": "none"}, "There is no experiment “none” here"),
        ({"preset": "dog<"}, "The link's “preset” is none of"),
        ({"cut": "9"}, "The link's “cut” is not a whole number from 1 to 2"),
    ],
)
def test_a_link_that_does_not_fit_is_one_sentence(lesson: AppTest, query, words: str):
    opened(lesson, **query)
    assert words in said(lesson)
    assert steps(lesson)["start"]["cells"] == []
    lesson.run()
    assert not set(query) & address(lesson).keys()


def test_a_lesson_opens_whole_from_its_name_and_ends_with_a_change(lesson: AppTest):
    opened(lesson, lesson="blur")
    assert value(lesson).heads == 1 and value(lesson).preset == "dog"
    assert "who bites whom is lost" in said(lesson)
    lesson.get_by_key("step-apart").click().run()
    assert "stands apart" in said(lesson)
    assert len(steps(lesson)["matrices"]["z"]) == 2
    widget(lesson, "by-hand-heads").set_value(1).run()
    assert value(lesson).lesson == ""
    assert "stands apart" not in said(lesson)


def test_every_lesson_has_a_button(lesson: AppTest):
    opened(lesson)
    for name in ("tired", "ahead", "where", "blur"):
        button = next(one for one in lesson.button if one.key in (f"try-{name}", f"try-on-{name}"))
        button.click().run()
        assert value(lesson).lesson == name
        assert not lesson.exception


def test_whose_lookup_is_a_choice(lesson: AppTest):
    opened(lesson, preset="dog", query="4", sharp="inf")
    blend = next(header for header in sent(lesson) if "stops" in header)
    assert blend["stop"] == len(blend["stops"]) - 1
    assert blend["weights"][-1] == [0, 0, 1]
    assert blend["columns"] == ["dog bitten", "man bitten"]
    lesson.get_by_key("lookup-query").set_value(1).run()
    blend = next(header for header in sent(lesson) if "stops" in header)
    assert blend["weights"][-1] == [1, 0, 0]
    assert address(lesson)["query"] == "1"


def test_a_fully_masked_row_is_shown_in_four_ways(lesson: AppTest):
    opened(lesson, preset="colours")
    rows = next(header for header in sent(lesson) if "rows" in header)["rows"]
    found = [row["weights"] for row in rows]
    assert found[0] == pytest.approx([1 / 3] * 3)
    assert found[1] == pytest.approx([0.8438, 0.0420, 0.1142], abs=1e-4)
    assert found[2] == [None] * 3
    assert found[3] == [0, 0, 0]


def test_the_numbers_and_the_picture_are_files():
    chosen = StepByStep(preset="colours", step="weights")
    shown = example_of(chosen)
    worked = work(shown.worked)
    kept = files(saved(chosen, figures(shown, worked), shown))
    lines = kept["csv"][0]().decode().splitlines()
    rows = csv.DictReader(io.StringIO("\n".join(line for line in lines if line[0] != "#")))
    weights = [float(row["value"]) for row in rows if row["matrix"] == "weights"]
    assert weights == pytest.approx(worked.weights.flatten().tolist(), rel=1e-8)
    document = json.loads(kept["json"][0]())
    assert document["matrices"]["masked"][0][0][1:] == [None, None]
    assert document["provenance"]["example"] == "colours"
    assert b"0.84" in kept["svg"][0]()
    assert kept["png"][0]().startswith(b"\x89PNG")


def test_a_link_that_names_an_experiment_alone_opens_all_of_it(lesson: AppTest):
    opened(lesson, lesson="blur")
    assert value(lesson) == steps_lessons.named("blur")[1].value
    opened(lesson, lesson="none-such")
    assert value(lesson).lesson == ""
    assert "no experiment “none-such”" in said(lesson)


def test_one_leaves_an_experiment_for_the_panel_that_opens_first(lesson: AppTest):
    opened(lesson, lesson="one-number")
    assert value(lesson).panel == "why"
    widget(lesson, "own_step-by-step_panel").set_value("by-hand").run()
    assert value(lesson).panel == "by-hand"
    assert value(lesson).lesson == ""

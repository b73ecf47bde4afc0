"""A page's own values: in the address, from widgets, from callbacks, and after other pages."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from attnlab.ui.own_link import Page, format_own, one_of, parse, pasted, switch, typed, whole
from tests.widgets import widget

PANELS = ("hand", "real", "why")


@dataclass(frozen=True)
class Steps:
    panel: str = "hand"
    size: int = 4
    note: str = ""
    mask: bool = True


STEPS = Page(
    "steps",
    Steps(),
    {
        "show": one_of("panel", PANELS),
        "size": whole("size", 1, 4096),
        "note": typed("note", 40),
        "mask": switch("mask", "on", "off"),
    },
)
values = some.builds(
    Steps,
    panel=some.sampled_from(PANELS),
    size=some.integers(1, 4096),
    note=some.text(max_size=40),
    mask=some.booleans(),
)


def visit() -> None:
    """One run of a page; which page it is, is a parameter of the test."""
    import streamlit as st

    from attnlab.ui import address, own, state
    from tests.ui.test_own import PANELS, STEPS

    if st.session_state.pop("tells", False):
        address.note_event()
    state.restore(st.session_state.get("open", "steps"))
    for name in ("steps", "elsewhere"):
        st.session_state[f"link to {name}"] = own.link_to(name)
    state.publish(state.current())
    if state.current() and st.session_state.get("open", "steps") == "steps":
        steps = own.restore(STEPS)
        st.segmented_control("Panel", PANELS, key=own.seeded(STEPS, "panel"))
        st.text_input(
            "Note",
            key=own.seeded(STEPS, "note"),
            on_change=own.keep_first,
            args=(STEPS, "note", 40),
        )
        st.button("Nine", on_click=own.choose, args=(STEPS,), kwargs={"size": 9})
        st.button("Real", on_click=own.choose, args=(STEPS,), kwargs={"panel": "real"})
        own.publish(STEPS, steps)
        st.text(f"{steps.panel} {steps.size}")
        for problem in own.problems(STEPS):
            st.text(problem)


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_function(visit)


def told(app: AppTest) -> list[str]:
    assert not app.exception
    return [text.value for text in app.text]


def address(app: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[0] for name, value in query(app)}


def query(app: AppTest):
    return app.query_params.items()


@given(values)
def test_values_survive_their_address(steps: Steps):
    assert parse(STEPS, format_own(STEPS, steps)) == (steps, ())


@given(some.dictionaries(some.sampled_from(list(STEPS.readers)), some.text()))
def test_any_address_gives_usable_values(url: dict[str, str]):
    steps, problems = parse(STEPS, url)
    assert len(problems) <= len(url)
    assert all(problem.endswith(", so it was left out.") for problem in problems)
    assert parse(STEPS, format_own(STEPS, steps)) == (steps, ())


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("show", "<script>", "is none of hand, real, why"),
        ("size", "0", "is not a whole number from 1 to 4,096"),
        ("size", "٤", "is not a whole number"),
        ("size", "9" * 4000, "is longer than 3,000 characters"),
        ("note", "x" * 41, "is longer than 40 characters"),
        ("mask", "maybe", "is neither on nor off"),
    ],
)
def test_a_broken_parameter_is_named_and_the_default_kept(name: str, value: str, why: str):
    steps, problems = parse(STEPS, {name: value})
    assert steps == Steps()
    assert len(problems) == 1 and f"“{name}” {why}" in problems[0]


def test_what_is_too_long_for_a_link_is_left_out_of_it():
    assert format_own(STEPS, replace(Steps(), note="x" * 3001, size=5)) == {"size": "5"}


def test_a_pasted_text_that_is_too_long_leaves_its_name_in_the_link():
    page = Page("steps", Steps(), {"pasted": pasted("note")})
    for text, spelled in (
        ("", {}),
        ("x" * 3000, {"pasted": "x" * 3000}),
        ("x" * 3001, {"pasted": ""}),
    ):
        assert format_own(page, replace(Steps(), note=text)) == spelled
    assert parse(page, {"pasted": "x"}) == (Steps(note="x"), ())
    told = "The link's “pasted” stands for a text that was too long for a link, so it was left out."
    assert parse(page, {"pasted": ""}) == (Steps(), (told,))


@pytest.mark.parametrize(
    "readers", [{"head": one_of("panel", PANELS)}, {"panels": one_of("panels", PANELS)}]
)
def test_a_page_that_cannot_work_is_refused(readers: dict):
    with pytest.raises(ValueError, match=r"head|panels"):
        Page("steps", Steps(), readers)


def test_an_address_opens_what_it_says(app: AppTest):
    app.query_params["show"] = "real"
    app.query_params["size"] = "<b>"
    app.run()
    assert told(app)[0] == "real 4" and "“size”" in told(app)[1]
    assert address(app) == {"show": "real"}
    app.button[0].click().run()
    assert told(app) == ["real 9"]
    assert address(app) == {"show": "real", "size": "9"}


def test_widgets_and_callbacks_change_the_address_and_going_back_changes_the_widgets(app: AppTest):
    app.run()
    widget(app, "own_steps_panel").set_value("why").run()
    app.button[0].click().run()
    assert address(app) == {"show": "why", "size": "9"}
    app.query_params = {"show": "why"}
    app.run()
    assert told(app) == ["why 4"]
    app.query_params = {}
    app.run()
    assert told(app) == ["hand 4"]
    assert widget(app, "own_steps_panel").value == "hand"


def test_an_event_that_was_under_way_undoes_no_choice_of_the_page(app: AppTest):
    app.run()
    before = widget(app, "own_steps_panel")
    before.set_value("why").run()
    app.button[1].click().run()
    assert told(app) == ["real 4"]
    app.session_state[before.key] = "why"  # as a browser says that has not drawn the choice yet
    app.run()
    assert told(app) == ["real 4"]
    widget(app, "own_steps_panel").set_value("why").run()
    assert told(app) == ["why 4"]


@pytest.mark.parametrize("heard", [True, False])
def test_a_picture_that_tells_something_late_asks_not_to_go_back(app: AppTest, heard: bool):
    app.query_params = {"show": "why"}
    app.run()
    app.button[1].click().run()
    assert address(app) == {"show": "real"}
    if heard:
        app.session_state["tells"] = True  # its browser has not heard of the new address yet
    app.query_params = {"show": "why"}
    app.run()
    assert told(app) == ["real 4" if heard else "why 4"]
    app.query_params = {"show": "why"}
    app.run()
    assert told(app) == ["why 4"]  # what was told once counts in one run


def test_of_a_text_that_is_too_long_the_beginning_stays_and_that_is_said(app: AppTest):
    app.run()
    widget(app, "own_steps_note").set_value("a" * 3_000).run()
    assert told(app) == ["hand 4", "That text has 3,000 characters; the first 40 are kept."]
    assert widget(app, "own_steps_note").value == "a" * 40
    assert address(app) == {"note": "a" * 40}
    app.run()
    assert len(told(app)) == 2  # it stands until a choice is made
    widget(app, "own_steps_note").set_value("b" * 40).run()
    assert told(app) == ["hand 4"] and address(app) == {"note": "b" * 40}


def test_values_wait_while_another_page_is_open(app: AppTest):
    app.run()
    widget(app, "own_steps_panel").set_value("why").run()
    app.session_state["open"] = "elsewhere"
    app.query_params = app.session_state["link to elsewhere"]
    app.run()
    assert told(app) == [] and address(app) == {}
    app.session_state["open"] = "steps"
    app.query_params = app.session_state["link to steps"]
    assert address(app) == {"show": "why"}
    app.run()
    assert told(app) == ["why 4"]


def test_a_link_without_a_query_keeps_values_and_selection(app: AppTest):
    app.query_params = {"show": "why", "head": "L1H1"}
    app.run()
    app.session_state["open"], app.query_params = "elsewhere", {}
    app.run()
    assert address(app) == {"head": "L1H1"}
    app.session_state["open"], app.query_params = "steps", {}
    app.run()
    assert told(app) == ["why 4"]
    assert address(app) == {"head": "L1H1", "show": "why"}


def test_what_was_moved_last_is_kept_when_the_page_is_left_at_once(app: AppTest):
    app.run()
    widget(app, "own_steps_panel").set_value("why")
    app.session_state["open"] = "elsewhere"
    app.run()
    assert app.session_state["link to steps"] == {"show": "why"}

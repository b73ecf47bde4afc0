"""Step by step in a link: everything comes back, and what is no link gives a sentence."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention.because import COMPUTED, HEADED, Cell
from attnlab.attention.steps import TYPED
from attnlab.ui import steps_edits
from attnlab.ui.own_link import format_own, parse
from attnlab.ui.steps_edits import Edit
from attnlab.ui.steps_presets import NAMES
from attnlab.ui.steps_selection import (
    PANELS,
    SHARPNESS,
    STEP_BY_STEP,
    StepByStep,
    example_of,
)
from attnlab.viz import steps as drawn

maybe = st.booleans() | st.none()
numbers = st.integers(-1_000_000, 1_000_000).map(lambda n: n / 1000)
edits = st.lists(
    st.builds(Edit, st.sampled_from(TYPED), st.integers(0, 99), st.integers(0, 99), numbers),
    max_size=20,
    unique_by=lambda edit: (edit.matrix, edit.row, edit.column),
).map(tuple)
cells = st.builds(
    Cell, st.sampled_from([*TYPED, *COMPUTED]), st.integers(0, 99), st.integers(0, 99), st.just(0)
)
values = st.builds(
    StepByStep,
    panel=st.sampled_from(PANELS),
    preset=st.sampled_from(NAMES),
    step=st.sampled_from(drawn.STEPS),
    cells=edits,
    cell=cells | st.none(),
    heads=st.sampled_from([None, 1, 2]),
    causal=maybe,
    scaled=maybe,
    values=st.integers(1, 6) | st.none(),
    query=st.integers(0, 99) | st.none(),
    sharp=st.sampled_from(SHARPNESS),
    lesson=st.sampled_from(["", "blur"]),
    d=st.integers(1, 4096),
    scores=st.sampled_from(["random", "six"]),
    draw=st.integers(0, 1023),
)


@given(values)
@settings(deadline=None, max_examples=80)
def test_a_link_reopens_everything_edits_included(value):
    assert parse(STEP_BY_STEP, format_own(STEP_BY_STEP, value)) == (value, ())


def test_what_is_the_example_s_own_is_not_in_the_link():
    assert format_own(STEP_BY_STEP, StepByStep()) == {}
    edited = StepByStep(cells=(Edit("x", 1, 2, 0.75), Edit("w_q", 0, 0, -1.0)))
    assert format_own(STEP_BY_STEP, edited) == {"cells": "x1.2_0.75~q0.0_-1"}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("cells", "x1.2_abc"),
        ("cells", "x1.2_1e999"),
        ("cells", "x1.2_nan"),
        ("cells", "x1.2_1001"),
        ("cells", "z1.2_1"),
        ("cells", "x1_2_1"),
        ("cells", "x-1.2_1"),
        ("cells", "x1.2_١"),
        ("cells", "x0.0_1~" * 201),
        ("cells", "<img src=x onerror=alert(1)>"),
        ("cells", "x" * 5000),
        ("cell", "weights.0.3"),
        ("cell", "nothing.0.3.1"),
        ("cell", "__class__.0.0.0"),
        ("cell", "weights.0.-1.0"),
        ("step", "softmax"),
        ("preset", "dog\x00"),
        ("cut", "3"),
        ("cut", "0"),
        ("mask", "maybe"),
        ("scale", "1"),
        ("values", "7"),
        ("query", "-1"),
        ("sharp", "1e400"),
        ("lesson", "<b>"),
        ("d", "0"),
        ("show", "all"),
    ],
)
def test_what_is_no_link_is_one_sentence_and_the_page_as_it_opens(name, given):
    value, problems = parse(STEP_BY_STEP, {name: given})
    assert value == StepByStep()
    assert len(problems) == 1 and problems[0].startswith(f"The link's “{name}” ")


def test_of_two_edits_of_a_cell_the_last_one_counts():
    assert steps_edits.read("x0.0_1~x0.0_2") == (Edit("x", 0, 0, 2.0),)
    assert steps_edits.read("") == ()


@pytest.mark.parametrize(
    ("value", "text"), [(0.1, "0.1"), (-0.0, "0"), (1000.0, "1000"), (0.000001, "0.000001")]
)
def test_numbers_are_written_in_as_few_characters_as_give_them_back(value, text):
    assert steps_edits.spelled(value) == text
    assert float(text) == value


@pytest.mark.parametrize(
    "given",
    [
        None,
        "x",
        {"0": 1},
        [["x", 0, 0]],
        [["x", 0, 0, "1"]],
        [["x", 0, 0, float("nan")]],
        [["x", 0, 0, float("inf")]],
        [["x", 0.5, 0, 1]],
        [["x", -1, 0, 1]],
        [["x", 0, 100, 1]],
        [["q", 0, 0, 1]],
        [["x", True, 0, 1]],
        [["x", 0, 0, 1001]],
        [["x", 0, 0, 1]] * 201,
        [[["x"], 0, 0, 1]],
    ],
)
def test_what_a_browser_would_never_send_is_nothing(given):
    assert steps_edits.clicked(given) is None


def test_what_a_browser_sends():
    sent = [["x", 1.0, 2, 0.1234567], ["w_o", 0, 0, -3]]
    assert steps_edits.clicked(sent) == (Edit("x", 1, 2, 0.123457), Edit("w_o", 0, 0, -3.0))
    assert steps_edits.clicked([]) == ()


def test_an_edit_without_a_place_is_said_and_left_out():
    cells = (Edit("x", 0, 0, 0.5), Edit("x", 9, 0, 1.0), Edit("w_v", 0, 5, 1.0))
    value = StepByStep(preset="cat", cells=cells)
    example = example_of(value)
    assert example.cells == value.cells[:1]
    assert example.worked.x[0][0] == 0.5
    assert "no place for 2 edited cells" in example.problems[0]
    assert example_of(replace(value, values=6)).problems[0].count("an edited cell")


def test_the_layers_agree_on_the_names_of_steps_and_matrices():
    assert HEADED == drawn.HEADED
    assert set(drawn.TITLES) == {*drawn.STEPS, *TYPED, *COMPUTED}

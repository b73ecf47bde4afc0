"""The selection and its URL: a round trip for every selection, a sentence for every broken link."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from attnlab.ui.selection import (
    ABLATIONS,
    DEFAULT,
    DEVICES,
    DTYPES,
    MAX_CHARACTERS,
    MODES,
    VIEWS,
    Selection,
    format_url,
    parse,
    url_names,
)

texts = some.text(max_size=200)
positions = some.none() | some.integers(0, 999_999)
selections = some.builds(
    Selection,
    model=some.text("abcXYZ019-_./ ", min_size=1, max_size=40).filter(str.strip),
    device=some.sampled_from(DEVICES),
    dtype=some.sampled_from(DTYPES),
    a=texts,
    b=texts,
    view=some.sampled_from(VIEWS),
    drop_first=some.booleans(),
    layer=some.integers(0, 9999),
    head=some.integers(0, 9999),
    mode=some.sampled_from(MODES),
    side=some.sampled_from(("A", "B")),
    position=positions,
    ablation=some.sampled_from(ABLATIONS),
)


@given(selections)
def test_a_selection_survives_its_url(selection: Selection):
    assert parse(format_url(selection)) == (selection, ())


@given(some.dictionaries(some.sampled_from(url_names()), texts))
def test_any_url_gives_a_usable_selection(parameters: dict[str, str]):
    selection, problems = parse(parameters)
    assert len(problems) <= len(parameters)
    assert all(problem.endswith(".") and "\n" not in problem for problem in problems)
    assert parse(format_url(selection)) == (selection, ())


def test_the_default_has_a_clean_address():
    assert format_url(DEFAULT) == {}
    assert parse({}) == (DEFAULT, ())


def test_a_text_too_long_for_a_link_is_left_out_of_it():
    assert format_url(replace(DEFAULT, a="x" * 100_000, b="")) == {"b": ""}


def test_unknown_parameters_are_left_alone():
    assert parse({"embed": "true", "utm": "<b>"}) == (DEFAULT, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("head", "L4"),
        ("head", "L٤H٢"),
        ("head", "L-1H2"),
        ("at", "C3"),
        ("at", "A-1"),
        ("view", "C"),
        ("first", "maybe"),
        ("model", "\n"),
        ("model", "x" * 5000),
        ("a", "x" * (MAX_CHARACTERS + 1)),
        ("dtype", "int3"),
    ],
)
def test_a_broken_parameter_is_named_and_the_default_kept(name: str, value: str):
    selection, problems = parse({name: value, "mode": "matrix"})
    assert len(problems) == 1
    assert f"“{name}”" in problems[0]
    assert selection.mode == "matrix"
    assert {**format_url(selection), "mode": ""} == {"mode": ""}

"""The selection and its URL: a round trip for every selection, a sentence for every broken link."""

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from attnlab.ui.link import (
    LINK_CHARACTERS,
    format_url,
    left_out,
    literal,
    parse,
    spell,
    unspell,
    url_names,
)
from attnlab.ui.selection import (
    ABLATIONS,
    DEFAULT,
    DEVICES,
    DRAWN,
    DTYPES,
    MAX_GONE,
    MAX_PINS,
    MODES,
    PANELS,
    ROLES,
    VIEWS,
    Selection,
)

texts = some.text(max_size=200)
positions = some.none() | some.integers(0, 999_999)
a_head = some.tuples(some.integers(0, 9999), some.integers(0, 9999))
selections = some.builds(
    Selection,
    model=some.text("abcXYZ019-_./ ", min_size=1, max_size=40).filter(str.strip),
    device=some.sampled_from(DEVICES),
    dtype=some.sampled_from(DTYPES),
    ours=some.booleans(),
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
    target_a=texts,
    target_b=texts,
    role=some.sampled_from(ROLES),
    panel=some.sampled_from(PANELS),
    key=positions,
    pins=some.lists(a_head, max_size=MAX_PINS, unique=True).map(tuple),
    drawn=some.sampled_from(DRAWN),
    gone=some.lists(a_head, max_size=MAX_GONE, unique=True).map(tuple),
    experiment=some.text("abcxyz019-", max_size=40),
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
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
    url = format_url(replace(DEFAULT, a="x" * 100_000, b=""))
    assert url == {"b": "", "long": "a"}
    selection, problems = parse(url)
    assert selection == replace(DEFAULT, b="")
    assert len(problems) == 1 and problems[0].startswith("Sentence A was too long")


@given(*[some.text(max_size=4).map(lambda text: text * 750)] * 4)
def test_a_link_always_fits_an_address(a: str, b: str, target_a: str, target_b: str):
    long = replace(DEFAULT, a=a, b=b, target_a=target_a, target_b=target_b)
    assert len(urlencode(format_url(long))) < 60_000


def test_the_longest_texts_leave_first():
    assert left_out(replace(DEFAULT, a="🦄" * 2900, b="🦄" * 2899)) == ("a",)
    assert left_out(replace(DEFAULT, a="x" * 3000, b="x" * 3000, target_a="x" * 3000)) == ()


@given(some.tuples(some.integers(0, 9999), some.integers(0, 9999)))
def test_a_head_is_read_as_it_is_written(head: tuple[int, int]):
    assert unspell(spell(head)) == head


@pytest.mark.parametrize("written", ["l4h2", " L4 H2", "L4·H2", "4.2", "4 2", "L4, H2"])
def test_a_head_is_read_as_people_write_it(written: str):
    assert unspell(written) == (4, 2)


@pytest.mark.parametrize("written", ["", "42", "L4", "H2", "L٤H٢", "L99999H1", "L4H2H3"])
def test_what_names_no_head_is_none(written: str):
    assert unspell(written) is None


def test_lone_surrogates_are_replaced_and_pairs_are_kept():
    assert literal("a\ud800b") == "a\ufffdb"
    assert literal("\ud83e\udd84🦄") == "🦄🦄"
    assert parse({"a": "\udfff"})[0].a == "\ufffd"


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
        ("a", "x" * (LINK_CHARACTERS + 1)),
        ("ta", "x" * (LINK_CHARACTERS + 1)),
        ("role", "encoder,decoder"),
        ("panel", "cockpit"),
        ("key", "-1"),
        ("key", "٦"),
        ("pins", "L1H1,L2H2"),
        ("pins", ".".join(f"L{n}H0" for n in range(MAX_PINS + 1))),
        ("gone", "L1H1."),
        ("drawn", "circles"),
        ("try", "<script>"),
        ("dtype", "int3"),
        ("ours", "yes"),
    ],
)
def test_a_broken_parameter_is_named_and_the_default_kept(name: str, value: str):
    selection, problems = parse({name: value, "mode": "matrix"})
    assert len(problems) == 1
    assert f"“{name}”" in problems[0]
    assert selection.mode == "matrix"
    assert {**format_url(selection), "mode": ""} == {"mode": ""}


def test_a_head_named_twice_counts_once():
    assert parse({"pins": "L1H1.L1H1.L2H2"}) == (replace(DEFAULT, pins=((1, 1), (2, 2))), ())


def test_no_tray_means_the_chosen_head():
    assert DEFAULT.taken_away == ((4, 2),)
    assert replace(DEFAULT, gone=((1, 1),)).taken_away == ((1, 1),)

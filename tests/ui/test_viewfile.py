"""A saved view reopens as it was; whatever else is opened gives sentences, never an exception."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.ui import viewfile
from attnlab.ui.selection import DEFAULT, MAX_CHARACTERS, Selection

FULL = Selection(
    model="all-minilm-l6-v2",
    device="cpu",
    dtype="float32",
    a="word " * 4000,
    b="<script>alert(1)</script>\u202e\x00\n",
    target_a="t",
    target_b="",
    role="cross",
    view="A",
    drop_first=False,
    layer=3,
    head=1,
    panel="find",
    mode="difference",
    side="A",
    position=7,
    key=2,
    pins=((16, 0), (13, 8)),
    drawn="arcs",
    gone=((4, 2),),
    ablation="mean",
    experiment="street",
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


def test_every_field_comes_back():
    assert viewfile.load(viewfile.dump(FULL)) == (FULL, ())
    for field in fields(Selection):
        changed = replace(DEFAULT, **{field.name: getattr(FULL, field.name)})
        assert viewfile.load(viewfile.dump(changed)) == (changed, ()), field.name


def test_the_same_view_gives_the_same_file():
    assert viewfile.dump(FULL) == viewfile.dump(replace(FULL))


@settings(deadline=None)
@given(st.text(), st.text(), st.integers(0, 9999), st.none() | st.integers(0, 999_999))
def test_any_text_comes_back(a, b, layer, position):
    chosen = replace(DEFAULT, a=a, b=b, layer=layer, position=position)
    assert viewfile.load(viewfile.dump(chosen)) == (chosen, ())


def test_a_lone_surrogate_is_replaced_and_breaks_nothing():
    loaded, problems = viewfile.load(viewfile.dump(replace(DEFAULT, a="a\ud800b")))
    assert loaded.a == "a\ufffdb" and problems == ()


@settings(deadline=None)
@given(st.binary() | st.text())
def test_any_content_gives_sentences(content):
    selection, problems = viewfile.load(content)
    assert selection == DEFAULT
    assert len(problems) == 1 and problems[0].endswith(".")
    assert not viewfile.is_view(content)


@settings(deadline=None)
@given(anything, anything, anything, anything)
def test_any_document_gives_a_selection_and_sentences(version, texts, view, more):
    document = {"attnlab": "view", "version": version, "texts": texts, "view": view, "more": more}
    selection, problems = viewfile.load(json.dumps(document))
    assert isinstance(selection, Selection)
    assert all(isinstance(said, str) and said.endswith(".") for said in problems)


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(["head", "pins", "at", "model", "mode"]), st.text(max_size=20))
)
def test_hostile_settings_are_left_out_with_a_sentence(view):
    texts = dict.fromkeys(("a", "b", "ta", "tb"), "x")
    document = {"attnlab": "view", "version": 1, "texts": texts, "view": view}
    selection, problems = viewfile.load(json.dumps(document))
    assert selection.a == "x"
    assert all(said.startswith("The file's “") for said in problems)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[" * 100_000, "not a view"),
        ("{}", "not a view"),
        ('{"attnlab": "numbers"}', "not a view"),
        (b"\xff\xfe\x00", "not a view"),
        ("x" * (viewfile.MAX_BYTES + 1), "larger than"),
    ],
)
def test_what_is_no_view_opens_nothing(content, words):
    selection, problems = viewfile.load(content)
    assert selection == DEFAULT and words in problems[0]


def test_texts_that_cannot_be_shown_are_left_out():
    texts = {"a": "x" * (MAX_CHARACTERS + 1), "b": 5, "ta": "", "tb": None}
    selection, problems = viewfile.load(
        json.dumps({"attnlab": "view", "version": 1, "texts": texts, "view": {}})
    )
    assert (selection.a, selection.b) == (DEFAULT.a, DEFAULT.b)
    assert len(problems) == 3

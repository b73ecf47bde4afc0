"""A saved study reopens as it was; whatever else is opened gives sentences, never an exception."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.trace import MeanHead, Pattern, edit_from_json
from attnlab.ui import study
from attnlab.ui.ablate_selection import Ablate, metrics_of
from attnlab.ui.masks_cells import painted
from attnlab.ui.selection import DEFAULT, Selection

CHOSEN = Selection(a="The capital of France is", gone=((23, 4),), layer=23, head=4)
VALUE = Ablate(fill="mean", metric="difference", at=3, answer=" Paris", other="</script>")


def saved(**found) -> bytes:
    edits = [MeanHead(23, 4, "decoder").to_json()]
    found = {"together": 1.2, "alone": {"L23H4": 1.2}, "random": [0.1]} | found
    return study.dump(CHOSEN, VALUE, edits=edits, metric={"kind": "kl"}, found=found, provenance={})


def test_a_study_reopens_as_it_was():
    opened = study.load(saved())
    assert (opened.selection, opened.value) == (CHOSEN, VALUE)
    assert opened.together == 1.2 and opened.problems == ()
    document = json.loads(saved())
    assert edit_from_json(document["edits"][0]) == MeanHead(23, 4, "decoder")


def test_a_pattern_that_is_too_long_for_a_link_is_kept():
    every = painted({(q, k): True for q in range(64) for k in range(0, 64, 2)})
    rows = "\n".join(["0.12345 " * 64] * 30)
    for value in (Ablate(fill="pattern", cells=every), Ablate(fill="pattern", rows=rows)):
        content = study.dump(CHOSEN, value, edits=[], metric={}, found={}, provenance={})
        opened = study.load(content)
        assert opened.value == value and opened.problems == ()


def test_a_pattern_of_many_heads_leaves_a_file_that_opens():
    rows = tuple((1 / 3,) * 64 for _ in range(64))
    edits = [Pattern(0, head, rows).to_json() for head in range(16)]
    value = Ablate(fill="pattern", start="everywhere")
    known = {"metric": {}, "found": {"together": 1.5}}
    for count in (1, 16):
        some = edits[:count]
        content = study.dump(CHOSEN, value, edits=some, provenance={"edits": some}, **known)
        opened, document = study.load(content), json.loads(content)
        assert opened.value == value and opened.together == 1.5
        kept = 1 if count == 1 else 0
        assert len(document["edits"]) == len(document["provenance"]["edits"]) == kept
        assert ("left_out" in document) == (not kept)


def test_feed_forwards_of_a_set_reopen():
    value = Ablate(layers=(2, 11))
    content = study.dump(CHOSEN, value, edits=[], metric={}, found={}, provenance={})
    assert json.loads(content)["ablate"]["mlp"] == "2.11"
    assert study.load(content).value == value


def test_a_study_says_which_texts_it_holds():
    assert study.load(saved()).texts == {"a", "b", "target_a", "target_b"}
    document = json.loads(saved()) | {"texts": [1, 2]}
    opened = study.load(json.dumps(document).encode())
    assert not opened.texts and "This file holds no text that can be read." in opened.problems


def test_what_is_no_study_is_one_sentence():
    for content in (b"", b"[]", b"{}", b"\xff", b"[" * 9_000, b'{"attnlab": "view"}'):
        assert "not a study" in study.load(content)
    assert "larger than" in study.load(b" " * 1_000_001)


@pytest.mark.parametrize("together", [None, "1.2", True, [1.2], float("nan"), 10**400])
def test_a_figure_that_is_none_is_not_compared(together):
    assert study.load(saved(together=together)).together is None


def test_a_setting_that_is_no_text_is_said():
    opened = study.load(json.dumps({"attnlab": "study", "ablate": {"cells": 5, "fill": "mean"}}))
    assert opened.value.fill == "mean"
    assert "Some settings of this study are not text, so they were left out." in opened.problems


def test_what_it_cannot_mean_is_said_as_of_a_file():
    document = json.loads(saved())
    document["ablate"] = {"fill": "burn", "after": "4", "metric": 7}
    opened = study.load(json.dumps(document).encode())
    assert opened.value == Ablate(at=4)
    assert next(text for text in opened.problems if "“fill”" in text).startswith("The file's")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.sampled_from(["texts", "view", "ablate", "found", "version"]), anything))
def test_any_document_opens_something(parts):
    opened = study.load(json.dumps({"attnlab": "study"} | parts).encode())
    assert isinstance(opened.value, Ablate) and isinstance(opened.selection, type(DEFAULT))


def test_each_kind_of_model_has_measures():
    assert metrics_of("causal") == metrics_of("seq2seq") == ("kl", "token", "difference", "loss")
    assert "loss" not in metrics_of("masked") and metrics_of("none") == ("cosine",)

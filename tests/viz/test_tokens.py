"""How tokens are written: nothing invisible, nothing that steers other text, nothing lost."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.viz.svg.text import told_apart
from attnlab.viz.tokens import identity, label, row

HOSTILE = '<b>x</b> " onmouseover="alert(1)'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" street", "street"),
        ("street", "street"),
        ("  two", "␣two"),
        ("end ", "end␣"),
        (" ", "␣"),
        ("   ", "␣×3"),
        ("", "∅"),
        ("\n", "↵"),
        ("\t\r\n", "⇥↵↵"),
        ("↵", "↵"),
        ("\x00\x1b", "␀␛"),
        ("\x7f", "␡"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u200b", "⟨U+200B⟩"),
        ("\u200d", "⟨U+200D⟩"),
        ("\u200d\u200d", "⟨U+200D⟩⟨U+200D⟩"),
        ("\u200d\ufe0f", "⟨U+200D⟩⟨U+FE0F⟩"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("\u0301", "◌\u0301"),
        ("\ud83d", "\ufffd"),
        (HOSTILE, HOSTILE),
        (" $5 :smile: **x**", "$5 :smile: **x**"),
    ],
)
def test_labels(text, shown):
    assert label({"text": text}) == shown


@given(st.text())
def test_a_label_is_never_empty_and_never_starts_or_ends_blank(text):
    shown = label({"text": text})
    assert shown
    assert not shown.startswith(" ") and not shown.endswith(" ")


def test_a_row_is_the_same_from_an_object_and_from_a_dict():
    values = {"text": " I", "raw": "ĠI", "id": 42, "special": False, "piece": (2, 3)}
    assert row(values) == row(SimpleNamespace(**values)) == ["I", " I", "ĠI", 42, 2, 3, False]
    assert row({"text": "x"}) == ["x", "x", "x", None, 1, 1, False]


def test_identity_is_the_id_or_else_the_raw_string():
    assert identity({"text": "a", "id": 0}) == 0
    assert identity({"text": "a", "raw": "▁a", "id": None}) == "▁a"


def test_different_tokens_never_read_alike():
    def token(text, number, raw=None):
        return {"text": text, "raw": text if raw is None else raw, "id": number}

    the, spaced, cat = token("the", 1), token(" the", 2), token(" cat", 3)
    assert told_apart([the, spaced, spaced, cat]) == ["the", "␣the", "␣the", "cat"]
    assert told_apart([spaced, cat, spaced]) == ["the", "cat", "the"]
    assert told_apart([the, token("the", 4, "##the")]) == ["the", "##the"]
    assert told_apart([token("\u202e", 5)]) == ["⟨U+202E⟩"]
    parts = [token("□", 6) | {"piece": (2, 2)}, token("□", 7) | {"piece": (2, 2)}]
    assert told_apart(parts) == ["□ 2/2", "□ 2/2"]

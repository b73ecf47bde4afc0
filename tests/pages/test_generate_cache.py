"""Generate with caches that forget: what is drawn of them, said, kept in a link, refused."""

import json
from functools import partial

import pytest

import attnlab as al
from attnlab.ui.export.menu import files
from tests.pages.generating import matrices, press, texts
from tests.pages.reading import opened, said, sent
from tests.widgets import widget

TINY = "w5 w6 w7 w8 w9"
LAST = {"cache": "last", "hold": "4"}
ENDS = {"cache": "ends", "hold": "5", "begin": "2"}


@pytest.fixture
def generate(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, "pages/generate.py")


def headers(app, *names):
    """What was sent to the pictures that have all of these in their header."""
    return [header for header in sent(app) if all(name in header for name in names)]


def caches(app):
    """What was sent to the drawing of each cache."""
    return [one for one in headers(app, "shapes") if "The cache holds" in one["label"]]


@pytest.mark.parametrize(
    ("query", "keep", "gone"),
    [(LAST, al.KeepLast(4), "“w5” to"), (ENDS, al.KeepLast(3, sinks=2), "“w7” to")],
)
def test_a_cache_forgets_while_it_writes(generate, tiny_llama, query, keep, gone):
    app = generate(model=tiny_llama, a=TINY, made="6", **query)
    right = al.load(tiny_llama).steps(TINY, cache=keep)
    list(right.play(6))
    assert texts(app) == [" ".join(token.text.strip() for token in right.tokens)]
    weights, seen = matrices(app)["a"], keep.pattern.table(range(11), range(11))[0, 0].numpy()
    assert ((weights > 0) == seen).all()
    forgets = [keep.window, keep.sinks]
    assert headers(app, "given")[0]["forgets"] == forgets
    assert headers(app, "mode")[0]["forgets"] == {"a": forgets}
    assert said(app, "one more pushes another out") and said(app, f"forgotten: {gone}")
    (before,) = caches(app)
    (after,) = caches(press(app, "step"))
    assert after["shapes"] == before["shapes"]
    again = generate(model=tiny_llama, a=TINY, made="7", **query)
    assert texts(again) == texts(app) and app.query_params["cache"] == query["cache"]


def test_until_it_is_full_nothing_is_forgotten(generate, tiny_llama):
    app = generate(model=tiny_llama, a=TINY, made="2", cache="last", hold="16")
    plain = generate(model=tiny_llama, a=TINY, made="2")
    assert texts(app) == texts(plain) and said(app, "until it holds 16 tokens")
    assert not said(app, "forgotten:")


def test_a_cache_that_forgets_beside_one_that_keeps_all(generate, tiny_llama):
    query = {"runs": "edited", "made": "20", "made2": "20", "heat": "3", "seed": "2"}
    app = generate(model=tiny_llama, a=TINY, **LAST, **query)
    plain, forgetful = texts(app)
    assert plain == texts(generate(model=tiny_llama, a=TINY, made="20", heat="3", seed="2"))[0]
    assert plain != forgetful and said(app, "in the forgetting run")
    assert not said(app, "Nothing is changed yet")
    assert [header["kind"] for header in headers(app, "given")] == ["a", "edit"]
    assert headers(app, "mode")[0]["forgets"] == {"b": [4, 0]}
    assert said(app, "25 tokens; one more adds") and said(app, "21 tokens forgotten")
    widget(app, "own_generate_cache").set_value("all").run()
    assert len(set(texts(app))) == 1 and said(app, "Nothing is changed yet")


def test_two_caches_share_a_scale(generate, tiny_llama):
    query = {"runs": "edited", "made": "9", "made2": "9", **LAST}
    app = generate(model=tiny_llama, a=TINY, **query)
    pictures = caches(app)
    ends = [[s[3] for s in one["shapes"] if s[0] == "words"] for one in pictures]
    assert len(pictures) == 2 and ends[0] == ends[1]
    boxes = [sum(s[3] for s in one["shapes"] if s[0] == "box") for one in pictures]
    assert boxes[0] > boxes[1]


def test_undo_remembers_what_was_forgotten(generate, tiny_llama):
    app = generate(model=tiny_llama, a=TINY, made="6", **LAST)
    before = texts(app)
    press(press(app, "step"), "undo")
    assert texts(app) == before


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"edits": "window"}, "A window over the text counts all tokens"),
        ({"edits": "order"}, "A text without positions counts all tokens"),
        ({"cache": "some"}, "The link's “cache”"),
        ({"hold": "0"}, "The link's “hold”"),
        ({"cache": "ends"}, "A cache of 4 tokens has no room beside the first 4"),
    ],
)
def test_what_does_not_go_together_is_said(generate, tiny_llama, query, sentence):
    app = generate(model=tiny_llama, a=TINY, **{**LAST, **query})
    assert said(app, sentence), [element.value for element in app.text]


@pytest.mark.parametrize("edits", ["heads", "sharp.flat"])
def test_other_changes_go_with_it(generate, tiny_llama, edits):
    query = {"runs": "edited", "made": "9", "made2": "9", "edits": edits, **ENDS}
    app = generate(model=tiny_llama, a=TINY, head="L1H1", **query)
    assert [len(text.split()) for text in texts(app)] == [14, 14]
    assert said(app, "edited run") and headers(app, "mode")[0]["forgets"] == {"b": [3, 2]}


@pytest.mark.parametrize("role", ["decoder", "cross"])
def test_what_an_encoder_decoder_forgets_is_its_own_text(generate, role):
    app = generate(model="dates", ours="1", a="3 May 1994", made="9", role=role, **LAST)
    (text,) = headers(app, "given")
    assert text["forgets"] == ([4, 0] if role == "decoder" else None)
    assert said(app, "the last 4 kept") and said(app, "The source takes")


@pytest.mark.parametrize("model", ["tiny_gemma", "tiny_t5"])
def test_a_model_that_cannot_forget_says_so(generate, model, request):
    app = generate(model=request.getfixturevalue(model), a=TINY, **LAST)
    assert said(app, "does not run right with a cache that drops tokens")


def test_files_say_what_was_kept(generate, tiny_llama, monkeypatch):
    from attnlab.ui import export

    kept = {}
    monkeypatch.setattr(export, "menu", lambda key, savable, *more: kept.update({key: savable}))
    query = {"made": "7", "made2": "7", "runs": "edited", "every": "shown", **ENDS}
    generate(model=tiny_llama, a=TINY, **query)
    for one in kept.values():
        for kind, (make, *_) in files(one).items():
            assert make(), kind
    make, *_ = files(kept["save-generated"])["json"]
    runs = json.loads(make())["runs"]
    assert [run["cache"] for run in runs] == [None, {"window": 3, "sinks": 2}]
    make, *_ = files(kept["save-cache"])["json"]
    rows = json.loads(make())["rows"]
    assert {row["tokens"] for row in rows if row["run"] == "B"} == {5}
    assert {row["tokens"] for row in rows if row["run"] == "A"} == {12}
    make, *_ = files(kept["save-generated"])["svg"]
    assert "cache: the first 2 and the last 3" in make().decode()

"""The page Generate under AppTest: models of every kind, steps, choices, links, refusals."""

import json
from functools import partial

import numpy as np
import pytest

from attnlab.ui.export.menu import files
from tests.pages.generating import matrices, press, sent, texts
from tests.pages.reading import opened, said

TINY = "w5 w6 w7 w8 w9"
OTHER = "w5 w6 w20 w8 w9"


@pytest.fixture
def generate(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, "pages/generate.py")


def test_the_prompt_is_read_before_anything_is_written(generate, tiny_gemma):
    app = generate(model=tiny_gemma, a=TINY)
    assert texts(app) == [TINY] and matrices(app)["a"].shape == (5, 5)
    assert said(app, "Step writes one token") and said(app, "one more adds")


def test_step_undo_and_start_over(generate, tiny_gemma):
    app = generate(model=tiny_gemma, a=TINY)
    one = texts(press(app, "step"))
    two = texts(press(app, "step"))
    assert two[0].startswith(one[0]) and len(two[0].split()) == 7
    assert app.query_params["made"] == "2" and matrices(app)["a"].shape == (7, 7)
    assert texts(press(app, "undo")) == one
    assert texts(press(app, "start-over")) == [TINY] and "made" not in app.query_params


def test_a_link_opens_just_what_was_seen(generate, tiny_gemma):
    drawn = {"heat": "1.5", "topk": "20", "topp": "0.95", "seed": "3"}
    app = generate(model=tiny_gemma, a=TINY, **drawn)
    for _ in range(3):
        press(app, "step")
    again = generate(model=tiny_gemma, a=TINY, made="3", **drawn)
    assert texts(again) == texts(app)
    assert (matrices(again)["a"] == matrices(app)["a"]).all()
    other = generate(model=tiny_gemma, a=TINY, made="3", **{**drawn, "seed": "4"})
    assert texts(other) != texts(app)


def test_a_chosen_token_stands_in_the_link(generate, tiny_gemma):
    app = generate(model=tiny_gemma, a=TINY, made="4", chose="1.20")
    words = texts(app)[0].split()
    assert len(words) == 9 and words[6] == "w20"
    assert app.query_params["chose"] == "1.20"
    press(press(press(app, "undo"), "undo"), "undo")
    assert "chose" not in app.query_params


def test_playing_ends_by_itself(generate, tiny_gemma, monkeypatch):
    monkeypatch.setattr("attnlab.ui.generate_play.MOST", 6)
    app = press(generate(model=tiny_gemma, a=TINY), "play-stop")
    assert len(texts(app)[0].split()) <= 11 and int(app.query_params["made"]) <= 6
    assert any(button.label == "Play" for button in app.button)


def test_another_prompt_begins_anew(generate, tiny_gemma):
    app = generate(model=tiny_gemma, a=TINY, made="3")
    next(box for box in app.text_input if box.label == "Sentence A").set_value("w9 w8").run()
    assert texts(app) == ["w9 w8"] and "made" not in app.query_params


@pytest.mark.parametrize("edits", ["heads", "window", "order", "sharp", "flat", "heads.window"])
def test_edits_stay_on_beside_a_plain_run(generate, tiny_gemma, edits):
    query = {"runs": "edited", "made": "4", "made2": "4", "edits": edits, "w": "2"}
    app = generate(model=tiny_gemma, a=TINY, head="L1H1", gone="L0H0", **query)
    plain, edited = texts(app)
    assert len(plain.split()) == len(edited.split()) == 9
    both = matrices(app)
    assert (both["a"][:5, :5] != both["b"][:5, :5]).any()
    assert said(app, "They part at") or said(app, "The two are the same")
    assert not said(app, "Nothing is changed yet")


def test_two_prompts_share_their_luck(generate, tiny_gemma):
    same = {"made": "5", "made2": "5", "heat": "2", "seed": "7", "runs": "two"}
    app = generate(model=tiny_gemma, a=TINY, b=TINY, **same)
    assert len(set(texts(app))) == 1 and said(app, "The two are the same in all 5")
    app = generate(model=tiny_gemma, a=TINY, b=OTHER, **same)
    press(app, "step")
    assert [len(text.split()) for text in texts(app)] == [11, 11]


def test_every_kind_of_writer(generate, tiny_bloom, tiny_t5):
    app = generate(model=tiny_bloom, a=TINY, made="2")
    assert len(texts(app)[0].split()) == 7
    for role, keys in (("cross", 5), ("decoder", 4)):
        app = generate(model=tiny_t5, a=TINY, ta="w8 w9", made="1", role=role)
        assert matrices(app)["a"].shape == (4, keys)
    app = generate(ours="1", a="The capital of France is", made="1")
    assert "Paris" in texts(app)[0]


@pytest.mark.parametrize("model", ["minilm-l6", "tiny_bert"])
def test_what_does_not_write_says_so(generate, model, request):
    model = request.getfixturevalue(model) if model.startswith("tiny") else model
    assert said(generate(model=model, a=TINY), "does not write")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"a": ""}, "Sentence A"),
        ({"made": "900"}, "The link's “made”"),
        ({"chose": "1.a"}, "is not a list of steps and tokens"),
        ({"heat": "9"}, "is not a number from 0 to 3"),
        ({"edits": "soul"}, "holds others than"),
        ({"lesson": "none"}, "There is no experiment"),
        ({"made": "2", "chose": "0.999999"}, "is no token id"),
        ({"a": "w5 " * 900}, "takes at most"),
    ],
)
def test_what_does_not_fit_is_a_sentence(generate, tiny_gemma, query, sentence):
    app = generate(**{"model": tiny_gemma, "a": TINY, **query})
    assert said(app, sentence), [element.value for element in app.text]


def test_hostile_words_are_words(generate, tiny_gemma):
    hostile = "<img src=x onerror=alert(1)> **w5** $w6$ [x](y)"
    app = generate(model=tiny_gemma, a=hostile, b=hostile, made="1", made2="1", runs="two")
    bodies = [e.value for e in (*app.markdown, *app.caption)]
    assert not any("onerror" in body for body in bodies)


def test_every_picture_is_kept_and_the_trace_is_in_it(generate, tiny_gemma, monkeypatch):
    from attnlab.ui import export

    kept = {}
    monkeypatch.setattr(export, "menu", lambda key, savable, *more: kept.update({key: savable}))
    query = {"made": "3", "made2": "3", "runs": "edited", "edits": "sharp", "every": "shown"}
    app = generate(model=tiny_gemma, a=TINY, **query)
    assert len(kept) == 7
    for one in kept.values():
        for kind, (make, *_) in files(one).items():
            assert make(), kind
    make, *_ = files(kept["save-generated"])["json"]
    found = json.loads(make())
    assert (np.float32(found["weights"]["A"]) == matrices(app)["a"]).all()
    assert found["runs"][1]["edits"] and not found["runs"][0]["edits"]
    make, *_ = files(kept["save-writing"])["json"]
    assert len(json.loads(make())["rows"]) == 6


def test_every_head_is_drawn_where_it_is_wanted(generate, tiny_gemma):
    app = generate(model=tiny_gemma, a=TINY, made="2", every="shown")
    grids = [header for header, arrays in sent(app) if "layers" in header]
    assert [header["view"] for header in grids] == ["A"]
    both = {"runs": "two", "made2": "2", "b": OTHER}
    app = generate(model=tiny_gemma, a=TINY, made="2", every="shown", **both)
    grids = [header for header, arrays in sent(app) if "layers" in header]
    assert [header["view"] for header in grids] == ["A", "B"]


def test_a_long_prompt_keeps_one_head(generate, tiny_gemma, monkeypatch):
    monkeypatch.setattr("attnlab.ui.engine.underway._MOST_BYTES", 1000)
    app = generate(model=tiny_gemma, a=TINY, made="2", every="shown")
    assert matrices(app)["a"].shape == (7, 7) and said(app, "one head is kept")


def test_a_character_that_several_tokens_spell_is_written_once(generate, monkeypatch):
    from attnlab.ui import export

    kept = {}
    monkeypatch.setattr(export, "menu", lambda key, savable, *more: kept.update({key: savable}))
    query = {"made": "3", "made2": "3", "chose": "0.34", "chose2": "0.10813_1.235_2.115"}
    app = generate(model="smollm2-135m", a="Two", runs="edited", edits="sharp", **query)
    assert said(app, "“2” in the plain run, “👥 1/3” in the edited run")
    make, *_ = files(kept["save-writing"])["json"]
    tokens = [row["token"] for row in json.loads(make())["rows"] if row["run"] == "B"]
    assert tokens == ["👥 1/3", "👥 2/3", "👥 3/3"]
    make, *_ = files(kept["save-writing"])["svg"]
    assert ">👥</text>" in make().decode()

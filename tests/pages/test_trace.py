"""The page Trace a prediction under AppTest: models of every kind, every view, links, refusals."""

from functools import partial

import pytest

from attnlab.ui.export.menu import files
from attnlab.ui.trace_selection import STAGES
from tests.pages.reading import clickable, opened, said, written

TINY = "w5 w6 w7 w8 w9 w10 w11"
OTHER = "w5 w6 w20 w8 w9 w10 w11"
SHORT = "w5 w20 w21 w8 w9"


@pytest.fixture
def trace(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, "pages/trace.py")


def test_a_prediction_is_taken_apart(trace, tiny_gemma):
    app = trace(model=tiny_gemma, a=TINY)
    lens, parts = clickable(app)
    assert len(lens["spots"]) % 7 == 0 and len(parts["spots"]) > 4
    assert said(app, "at the end") and said(app, "The parts add up to the logit within")
    assert said(app, "The whole prediction moves by") and said(app, "On the direct way it adds")


def test_every_effect_stands_beside_random_ones(trace, tiny_gemma):
    app = trace(model=tiny_gemma, a=TINY)
    assert said(app, "without one of 1") and said(app, "random heads: ")
    assert said(app, "half by less than") and "random heads" in " ".join(written(app))
    assert said(app, "A head drawn at random moves it by less than")
    app = trace(model=tiny_gemma, a=TINY, feed="1")
    assert said(app, "random feed-forwards: ") and said(app, "feed-forward")
    for stage, what in (("z", "head"), ("mlp_out", "square")):
        app = trace(model=tiny_gemma, a=TINY, b=OTHER, show="pair", stage=stage)
        assert said(app, f"A {what} drawn at random moves it by less than")


def test_random_heads_wait_to_be_asked_on_a_long_text(trace, tiny_gemma, monkeypatch):
    monkeypatch.setattr("attnlab.ui.engine.WHOLE_TOKENS", 6)
    app = trace(model=tiny_gemma, a="w40 w41 w42 w43 w44 w45 w46 w47")
    assert said(app, "The whole prediction moves by") and not said(app, "random heads: ")
    app.button(key="compare-without").click().run()
    assert said(app, "random heads: ")


@pytest.mark.parametrize(
    "query",
    [
        {"after": "2"},
        {"answer": "w9", "other": "w10"},
        {"feed": "1"},
        {"after": "900", "head": "L99H99"},
        {"a": " ".join(f"w{5 + at % 60}" for at in range(40)), "after": "3"},
    ],
)
def test_whatever_is_asked_of_one_prediction(trace, tiny_gemma, query):
    app = trace(**{"model": tiny_gemma, "a": TINY, **query})
    assert said(app, "The whole prediction moves by") and said(app, "The parts add up")


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("into", ["A", "B"])
def test_every_stage_goes_into_either_sentence(trace, tiny_gemma, stage, into):
    spot = {"spot": "L0P2"}
    app = trace(model=tiny_gemma, a=TINY, b=OTHER, show="pair", stage=stage, into=into, **spot)
    (picture,) = clickable(app)
    assert picture["spots"] and said(app, "of the way")


def test_what_takes_long_waits_to_be_asked(trace, tiny_gemma, monkeypatch):
    monkeypatch.setattr("attnlab.ui.engine.WHOLE_TOKENS", 6)
    a, b = "w50 w51 w52 w53 w54 w55 w56", "w50 w51 w57 w53 w54 w55 w56"
    asked = {"show": "pair", "stage": "mlp_out", "spot": "L0P2", "answer": "w9", "other": "w10"}
    app = trace(model=tiny_gemma, a=a, b=b, **asked)
    assert not clickable(app) and not said(app, "of the way")
    assert "A into B, one at a time: " in app.button(key="pair-run").label
    app.button(key="pair-run").click().run()
    assert clickable(app) and said(app, "of the way to A (a square drawn at random")


def test_rows_that_are_left_out_are_said(trace, tiny_gemma):
    app = trace(model=tiny_gemma, a=TINY, b=OTHER, show="pair", stage="mlp_out")
    assert said(app, "What comes before “w20” is the same in both sentences")
    long = [f"w{5 + at % 60}" for at in range(30)]
    other = " ".join(["w90", *long[1:]])
    app = trace(model=tiny_gemma, a=" ".join(long), b=other, show="pair", stage="mlp_out")
    assert said(app, "The last 16 of 30 words have a row")
    app = trace(model=tiny_gemma, a=" ".join(long))
    assert said(app, "Words 18 to 29 of 30: 12 have a row")


def test_sentences_of_two_lengths(trace, tiny_gemma):
    for stage in ("z", "mlp_out"):
        app = trace(model=tiny_gemma, a=TINY, b=SHORT, show="pair", stage=stage)
        assert said(app, "in A,") or said(app, "lies between")


def test_ours_and_models_whose_softmax_alone_is_seen(trace, tiny_bloom):
    app = trace(ours="1", a="The capital of France is", after="3")
    assert said(app, "The parts add up to the logit within")
    app = trace(model=tiny_bloom, a=TINY, b=OTHER)
    assert app.text
    trace(model=tiny_bloom, a=TINY, b=OTHER, show="pair")


@pytest.mark.parametrize("show", ["one", "pair", "word", "head"])
def test_masked_models_and_encoder_decoders(trace, tiny_bert, tiny_t5, show):
    app = trace(model=tiny_bert, a="w5 <mask> w7 w8", b="w5 <mask> w9 w8", show=show)
    assert not said(app, "Traceback")
    target = {"ta": "w10 w11 w12", "tb": "w10 w13 w12"}
    for role in ("encoder", "decoder", "cross"):
        trace(model=tiny_t5, a=TINY, b=OTHER, show=show, role=role, **target)


def test_an_encoder_has_words_and_vectors_but_predicts_nothing(trace):
    app = trace(model="minilm-l6")
    assert said(app, "predicts no word")
    app = trace(model="minilm-l6", show="word", toward="animal")
    assert said(app, "differs most after 3 of 6 layers: cosine 0.80")
    app = trace(model="minilm-l6", show="pair", stage="mlp_out")
    assert said(app, "of the way")
    app = trace(model="minilm-l6", show="head", a="The cat sat")
    assert said(app, "it looks at") and said(app, "is still itself")
    assert said(app, "MiniLM L6 writes no logits: it turns a text into vectors")


def test_a_head_looks_hard_and_takes_little(trace):
    app = trace(show="head", a="The capital of France is", head="L23H1")
    assert said(app, "looks at “The” with 0.79, and takes 27% from there; it takes most from")
    assert said(app, "At distance 1, ") and said(app, "copying") and "0.79" in written(app)
    assert said(app, "after all 30 layers 100% of it is “The”")


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ({"words": "w5 w9", "apart": "3"}, "At distance 3, “w"),
        ({"words": "w5 w9", "apart": "0"}, "At distance 0"),
        ({"words": " ".join(f"w{at}" for at in range(5, 20))}, "up to 8 have room"),
        ({"after": "2"}, "From “w7” it looks at"),
        ({"a": " ".join(f"w{5 + at % 60}" for at in range(40))}, "Listed: 14 of 40 words."),
        ({"a": "w5"}, "From “w5”"),
    ],
)
def test_whatever_is_asked_of_a_head(trace, tiny_gemma, query, part):
    app = trace(**{"model": tiny_gemma, "a": TINY, "show": "head", **query})
    assert said(app, part)


def test_a_bare_link_of_an_experiment_opens_its_model(trace):
    app = trace(lesson="it")
    assert app.query_params["model"] == "minilm-l6" and app.query_params["lesson"] == "it"
    assert said(app, "differs most after 3 of 6 layers") and not said(app, "sets up something else")
    app = trace(lesson="it", model="smollm2-135m")  # that which names another one keeps it
    assert said(app, "sets up something else") and "lesson" not in app.query_params


def test_a_causal_model_cannot_know_what_comes(trace):
    app = trace(show="word")
    assert said(app, "is the same in both, in every layer")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"a": ""}, "Sentence A"),
        ({"b": "", "show": "pair"}, "Write a sentence B"),
        ({"b": "w30 w31", "show": "word"}, "share no word"),
        ({"show": "word", "word": "w44"}, "does not stand in “"),
        ({"answer": "w9", "other": "w9"}, "compared with itself"),
        ({"answer": "w9 w10"}, "an answer is one: try “"),
        ({"answer": "w9 w10"}, "The parts add up"),
        ({"answer": "w9 w10", "show": "pair"}, "of the way"),
        ({"feed": "77"}, "has no feed-forward in layer 77 (there are: 0 to "),
        ({"feed": "77"}, "The whole prediction moves by"),
        ({"stage": "resid_post", "show": "pair", "spot": "L99P2"}, "No square stands at layer 99"),
        ({"stage": "resid_post", "show": "pair", "spot": "L0P0"}, "No square stands at layer 0"),
        ({"stage": "soul"}, "The link's “stage”"),
        ({"spot": "here"}, "is not a layer and a position"),
        ({"lesson": "none"}, "There is no experiment"),
        ({"after": "900"}, "has no token 900; the last is 6"),
        ({"head": "L99H99"}, "has no head L99 H99; L0 H0 is shown instead"),
        ({"a": "w5 " * 130, "show": "pair"}, "takes at most 64"),
    ],
)
def test_what_does_not_fit_is_a_sentence(trace, tiny_gemma, query, sentence):
    app = trace(**{"model": tiny_gemma, "a": TINY, "b": OTHER, **query})
    assert said(app, sentence)


@pytest.mark.parametrize(
    ("show", "most"),
    [("one", "one.MOST_TOKENS"), ("pair", "pair.MOST_TOKENS"), ("head", "inside.MOST_TOKENS")],
)
def test_what_is_too_long_says_how_much(trace, tiny_gemma, monkeypatch, show, most):
    monkeypatch.setattr(f"attnlab.ui.cards.trace.{most}", 5)
    app = trace(model=tiny_gemma, a=TINY, b=OTHER, show=show)
    assert said(app, "leave out its first 2 or more" if show == "one" else "leave out 2 or more")


def test_hostile_words_are_words(trace, tiny_gemma):
    hostile = "<img src=x onerror=alert(1)> **w5** $w6$ [x](y)"
    for show in ("one", "pair", "word", "head"):
        app = trace(model=tiny_gemma, a=f"{hostile} w7", b=f"{hostile} w8", show=show)
        bodies = [e.value for e in (*app.markdown, *app.caption)]
        assert not any("onerror" in body for body in bodies)


@pytest.mark.parametrize("show", ["one", "pair", "word", "head"])
def test_every_picture_is_kept(trace, tiny_gemma, show, monkeypatch):
    from attnlab.ui import export

    kept = []
    monkeypatch.setattr(export, "menu", lambda key, savable, *more: kept.append(savable))
    trace(model=tiny_gemma, a=TINY, b=OTHER, show=show)
    assert len(kept) == {"one": 5, "pair": 2, "word": 1, "head": 3}[show]
    if show in ("pair", "word"):
        texts = [[(text.name, text.text) for text in one.numbers().texts] for one in kept]
        assert texts == [[("A", TINY), ("B", OTHER)]] * len(kept)
    for one in kept:
        for kind, (make, *_) in files(one).items():
            assert make(), kind

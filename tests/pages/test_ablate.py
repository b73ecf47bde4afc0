"""The page Ablate under AppTest: models of every kind, fills, measures, stopped sweeps, links."""

import json
from functools import partial

import pytest

from attnlab.analysis.metrics import KL
from attnlab.ui.ablate_measure import Measured
from attnlab.ui.cards.ablate import found, grid
from attnlab.ui.engine.sweep import Swept
from attnlab.ui.export.menu import files
from tests.pages.reading import opened, said, squares, written
from tests.widgets import widget

TINY = "w5 w6 w7 w8 w9 w10 w11"


@pytest.fixture
def ablate(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, "pages/ablate.py")


def test_a_decoder_s_heads_are_all_measured(ablate, tiny_gemma):
    app = ablate(model=tiny_gemma, a=TINY)
    spots = squares(app)["spots"]
    assert all(len(spot[5]) == 3 for spot in spots)  # exact, estimate, what a click does
    assert said(app, f"All {len(spots)} heads, exactly") and said(app, "checked singly, within")
    assert said(app, "Rank correlation") and said(app, "Alone it ranks")
    assert said(app, "random single heads") and said(app, "nats a token")
    assert not said(app, "are rounding")


@pytest.mark.parametrize(("noise", "rounding"), [(0.0053, True), (1e-6, False), (None, False)])
def test_effects_that_are_rounding_are_said(noise, rounding):
    """As in half precision, where the same head in another batch does otherwise."""
    swept = Swept({(0, 1): 0.2}, KL(), None, 1, "", None if noise is None else 0.36, noise)
    measured = Measured(KL(), "the prediction", ("more", "less"), ("", ""), -1)
    how = found.how_found(found.Found(swept.exact, {}, swept), measured)
    assert ("Effects below 0.0053 nats are rounding." in how) == rounding


@pytest.mark.parametrize(
    "query",
    [
        {"metric": "token"},
        {"metric": "token", "token": "w9"},
        {"metric": "difference", "answer": "w9", "other": "w10"},
        {"metric": "loss"},
        {"fill": "mean", "after": "2"},
        {"fill": "resample", "b": "w5 w6 w20 w8 w9 w10 w11"},
        {"fill": "resample", "b": "w5 w20 w7"},
        {"fill": "keys", "b": "w5 w6 w20 w8 w9 w10 w11"},
        {"fill": "values", "b": "w5 w20 w7"},
        {"fill": "corpus"},
        {"fill": "uniform"},
        {"fill": "previous", "metric": "token"},
        {"fill": "first", "a": "w5 w6 w7", "gone": "L0H0.L1H1"},
    ],
)
def test_every_fill_and_measure(ablate, tiny_gemma, query):
    app = ablate(**{"model": tiny_gemma, "a": TINY, **query})
    assert said(app, "heads, exactly")
    assert said(app, f"in {'logits' if query.get('metric') == 'difference' else 'nats'}")


def test_feed_forwards_are_taken_away_too(ablate, tiny_gemma):
    app = ablate(model=tiny_gemma, a=TINY, feed="1")
    spots = squares(app)["spots"]
    layers = [spot for spot in spots if "feed-forward" in spot[4]]
    assert layers and len(spots) == len(squares(ablate(model=tiny_gemma, a=TINY))["spots"]) + len(
        layers
    )
    assert all(len(spot[5]) == 3 for spot in layers)  # exact, estimate, what a click does
    assert said(app, f"and {len(layers)} feed-forwards, exactly")
    assert said(app, "Of the feed-forwards that of layer")
    for fill in ("mean", "resample"):
        app = ablate(model=tiny_gemma, a=TINY, b=TINY.replace("w7", "w20"), feed="1", fill=fill)
        assert said(app, "Of the feed-forwards that of layer")
    app = ablate(model=tiny_gemma, a=TINY, feed="1", fill="uniform")
    assert said(app, "heads, exactly") and not said(app, "Of the feed-forwards")


def test_an_empty_target_is_no_trouble(ablate, tiny_t5):
    app = ablate(model=tiny_t5, a=TINY, ta="")
    assert not said(app, "There is no text") and said(app, "heads, exactly")
    app = ablate(model=tiny_t5, a=TINY, ta="", metric="loss")
    assert said(app, "The target is empty, so no word of it has a loss")


def test_an_encoder_s_vector_turns(ablate, tiny_bert):
    app = ablate(model=tiny_bert, a=TINY, metric="cosine")
    assert said(app, "how far the text’s mean vector turns") and said(app, "heads, exactly")
    app = ablate(model=tiny_bert, a="w5 <mask> w7")
    assert said(app, "how far the prediction at “<mask>” moves")
    assert widget(app, "ablate-after").value == 1


def test_our_transformer_is_measured_too(ablate):
    app = ablate(model="minilm-l6", ours="1", a="Hi there")
    assert said(app, "All 72 heads, exactly") and said(app, "Our transformer.")


def test_an_encoder_decoder_is_measured_on_its_decoder(ablate, tiny_t5):
    for role in ("encoder", "cross", "decoder"):
        app = ablate(model=tiny_t5, a=TINY, ta="w5 w6", role=role)
        assert said(app, "heads, exactly") and said(app, "after “w6”")
        assert said(app, "The mean vector of the text turned by")


def test_what_a_role_cannot_be_set_to_is_said(ablate, tiny_t5):
    app = ablate(model=tiny_t5, a=TINY, ta="w5 w6", role="cross", fill="previous")
    assert said(app, "cannot be set to “looking one word back”") and said(app, "heads, exactly")


def test_a_model_whose_softmax_alone_is_seen_says_so(ablate, tiny_bloom):
    app = ablate(model=tiny_bloom, a=TINY)
    assert said(app, "tier") or said(app, "softmax") or said(app, "z")


def test_on_a_long_text_a_sweep_waits_to_be_asked(ablate, tiny_gemma, monkeypatch):
    monkeypatch.setattr("attnlab.ui.engine.WHOLE_TOKENS", 6)
    app = ablate(model=tiny_gemma, a="w40 w41 w42 w43 w44 w45 w46 w47", gone="L0H0.L1H1")
    assert said(app, "if added up; together") and not said(app, "random sets")
    app.button(key="compare-sets").click().run()
    assert said(app, "random sets of 2 heads")
    assert not said(app, "heads, exactly") and said(app, "Estimated:")
    assert all(len(spot[5]) == 2 for spot in squares(app)["spots"])
    app.button(key="sweep-run").click().run()
    assert said(app, "heads, exactly")


def test_a_sweep_that_is_cancelled_keeps_what_it_has(ablate, tiny_gemma, monkeypatch):
    from attnlab.errors import Cancelled
    from attnlab.ui.engine import sweep

    real, text = sweep.swept, "w30 w31 w32 w33"

    def stopped(ask, partly):
        partly({ask.heads[0]: 0.5})
        raise Cancelled("Stopped.")

    monkeypatch.setattr(sweep, "swept", stopped)
    app = ablate(model=tiny_gemma, a=text)
    assert said(app, "Stopped at 0 of") and not said(app, "heads, exactly")
    monkeypatch.setattr(sweep, "swept", real)
    app.run()
    assert said(app, "Stopped at 0 of")
    app.button(key="sweep-run").click().run()
    assert said(app, "heads, exactly")


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ({"a": ""}, "is empty"),
        ({"gone": "L99H99"}, "were left out"),
        ({"head": "L99H99"}, "has no head L99 H99; L0 H0 is shown instead"),
        ({"metric": "token", "token": "two words"}, "an answer is one: try “"),
        ({"metric": "difference", "answer": "w5", "other": "w5"}, "Both answers are “w5”"),
        ({"after": "900"}, "has no token 900; the last is"),
        ({"fill": "burn"}, "The link's “fill”"),
        ({"lesson": "nothing"}, "no experiment"),
        ({"fill": "resample", "b": ""}, "is empty"),
        ({"a": "w5 " * 600}, "shorten it"),
        ({"a": "w5"}, "heads, exactly"),
        ({"a": "w5", "metric": "loss"}, "no next token"),
    ],
)
def test_what_does_not_fit_is_a_sentence(ablate, tiny_gemma, query, part):
    app = ablate(**({"model": tiny_gemma, "a": TINY} | query))
    assert said(app, part)


def test_an_answer_that_does_not_fit_leaves_the_rest_standing(ablate, tiny_gemma):
    query = {"metric": "difference", "answer": "w9", "other": "two words"}
    app = ablate(model=tiny_gemma, a=TINY, **query)
    assert said(app, "an answer is one: try “") and said(app, "Until then: the lead of “w9” over")
    assert said(app, "heads, exactly") and app.button(key="toggle-head")
    labels = [element.value for element in app.markdown]
    assert "Lead of" in labels and "over" in labels


@pytest.mark.parametrize(
    ("fill", "metric", "part"),
    [("resample", "loss", "loss rises with the head as in B"), ("mean", "loss", "the head’s mean")],
)
def test_a_head_that_is_not_gone_is_not_called_so(ablate, tiny_gemma, fill, metric, part):
    query = {"fill": fill, "metric": metric, "b": "w5 w6 w20 w8 w9 w10 w11", "gone": "L0H0"}
    app = ablate(model=tiny_gemma, a=TINY, **query)
    assert any(part in word for word in written(app))
    assert not any("without the head" in word for word in written(app))


def test_hostile_words_stay_words(ablate, tiny_gemma):
    hostile = "<img src=x onerror=hit()> **bold** </script>"
    app = ablate(model=tiny_gemma, a=hostile, metric="token", token=hostile[:40])
    bodies = [element.value for element in (*app.markdown, *app.caption)]
    bodies += [element.proto.body for element in app.get("html")]
    assert not any("onerror" in body for body in bodies)


def test_files_hold_every_head(ablate, tiny_gemma, monkeypatch):
    kept = {}
    monkeypatch.setattr(
        "attnlab.ui.export.menu", lambda key, what, label="Save": kept.update({key: what})
    )
    app = ablate(model=tiny_gemma, a=TINY, gone="L0H0.L1H1")
    count = len(squares(app)["spots"])
    made = {kind: build() for kind, (build, *_) in files(kept["save-effects"]).items()}
    document = json.loads(made["json"])
    assert len(document["rows"]) == count and document["metric"]["kind"] == "kl"
    assert made["png"].startswith(b"\x89PNG") and b"What each head does" in made["svg"]
    tray = json.loads(files(kept["save-tray"])["json"][0]())
    assert [row["what"] for row in tray["rows"]][:3] == ["together", "alone", "alone"]
    assert len(tray["rows"]) == 23


def test_a_sweep_that_was_stopped_starts_again(monkeypatch):
    """Its work was stopped as well, and would not start before it is let."""
    held = {"_stopped_work": "key", "_sweep_stopped": "key"}
    monkeypatch.setattr(grid.st, "session_state", held)
    grid._run("key")
    assert held == {"_sweep_wanted": "key"}

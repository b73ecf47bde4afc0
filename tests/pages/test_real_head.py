"""Step by step, “A real head”: the head of the shared selection, opened on the page."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnlab.ui.selection import SENTENCE_B
from attnlab.viz.payload import unpack
from tests import families
from tests.pages.test_heads import address, interpreted, said, words
from tests.widgets import widget

LABELLED = "step by step"


def opened(app: AppTest, **query: str) -> AppTest:
    """The panel under this query; the first run is what opens the app itself."""
    app.switch_page("pages/step-by-step.py")
    app.query_params = {"show": "real", **query}
    app.run()
    assert not app.exception
    return app


def sent(app: AppTest) -> tuple[dict, dict[str, np.ndarray]]:
    """What the strips were sent."""
    for element in app.get("bidi_component"):
        if element.proto.bytes:
            header, arrays = unpack(element.proto.bytes)
            if "sections" in header:
                return header, arrays
    raise AssertionError("no strips on the page")


def section(header: dict, title: str) -> dict:
    return next(part for part in header["sections"] if part["title"] == title)


def titles(app: AppTest) -> list[str]:
    return [part["title"] for part in sent(app)[0]["sections"]]


def weights_of(header: dict) -> dict[int, float]:
    return {word[1]: word[3] for word in section(header, "Scaled, masked, softmax")["words"]}


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The app, its frame drawn once without a model being asked for anything."""
    app.query_params["b"] = ""
    return app.run()


def test_the_head_of_heads_is_opened_with_the_traces_numbers(page: AppTest, smollm2):
    app = opened(page, b=SENTENCE_B)
    assert "Layer 4 · Head 2" in interpreted(app)
    trace = smollm2.run(SENTENCE_B)
    row = trace.weights[4, 2][11]
    assert said(app, f"“wide” → “street” {float(row[6]):.4f} in B")
    header, arrays = sent(app)
    assert (header["side"], header["chosen"]) == ("b", 6)
    assert list(weights_of(header).values()) == pytest.approx(row.tolist(), abs=1e-5)
    assert said(app, "our own transformer") and said(app, "Largest logit difference")
    # q and k before the rotation, grouped heads named, RoPE a step of its own.
    first = section(header, "Query and key")
    assert "Query head 2 reads key/value head 0, shared with heads 0 and 1." in first["note"]
    dials = section(header, "Turned by position (RoPE)")
    assert len(dials["pairs"]) == 32 and dials["positions"] == [11, 6]
    turned = section(header, "Multiplied, number by number")["strips"]
    assert arrays[turned[0]["values"]] == pytest.approx(_stage(smollm2, "q", 2)[11], abs=1e-3)
    score = section(header, "Added up: the score")
    products = arrays[turned[2]["values"]].astype(float)
    assert products.sum() == pytest.approx(score["total"], abs=1e-3)
    assert len(arrays[section(header, "Through W_O")["strips"][0]["values"]]) == 576


def _stage(lab, stage: str, head: int) -> np.ndarray:
    return getattr(lab.run(SENTENCE_B, capture=stage), stage)[4, head].numpy()


def test_layer_head_and_pair_are_chosen_and_in_the_address(page: AppTest):
    app = opened(page, head="L9H4", at="A8", key="1")
    assert said(app, "“it” → “animal”")
    assert "shared with heads 3 and 5" in section(sent(app)[0], "Query and key")["note"]
    widget(app, "sel_head").set_value(7).run()
    widget(app, "sel_layer").set_value(13).run()
    assert not app.exception
    assert address(app) == {"show": "real", "head": "L13H7", "at": "A8", "key": "1"}
    assert "Layer 13 · Head 7" in interpreted(app)


def test_a_key_that_comes_later_is_put_right_aloud(page: AppTest):
    app = opened(page, at="A3", key="9")
    assert said(app, "no word of A sees the words after it")
    assert "key" not in address(app)


def test_an_encoder_has_no_rotation_and_special_tokens(page: AppTest, minilm):
    app = opened(page, model="minilm-l6", head="L3H1", at="A9", key="2")
    header, _ = sent(app)
    assert titles(app)[0] == "Query and key, multiplied"
    row = section(header, "Scaled, masked, softmax")
    assert row["words"][0][0][6] is True  # [CLS]
    trace = minilm.run("The animal didn't cross the street because it was too tired.")
    assert list(weights_of(header).values()) == pytest.approx(
        trace.weights[3, 1][9].tolist(), abs=1e-5
    )


@pytest.mark.parametrize("role", ["encoder", "decoder", "cross"])
def test_an_encoder_decoder_in_each_role(page: AppTest, tiny_t5: str, role: str):
    texts = {"a": "w9 w8 w7", "ta": "w20 w21"}
    app = opened(page, model=tiny_t5, head="L1H1", b="", role=role, **texts)
    header, _ = sent(app)
    assert "Query and key, multiplied" in titles(app)
    columns = section(header, "Scaled, masked, softmax")["columns"]
    assert columns == ["q · k", "× 1"] + ["with bias"] * (role != "cross")


def test_a_model_that_shows_weights_only_says_so(page: AppTest, tiny_bloom: str):
    app = opened(page, model=tiny_bloom, head="L1H1", a="w9 w8 w7", b="")
    assert said(app, "This model computes attention in code of its own")
    assert titles(app)[0] == "Scaled, masked, softmax"


def test_a_model_that_ours_cannot_take_shows_what_attention_received(page, tiny_gemma: str):
    app = opened(page, model=tiny_gemma, head="L1H1", a="w9 w8 w7 w6", b="")
    assert said(app, "These are q and k as attention received them") and said(app, "gemma")
    assert titles(app)[0] == "Query and key, multiplied"


def test_hostile_words_stay_words(page: AppTest):
    text = "<script>pwned()</script> ![x](http://pwned) \u202e pwned"
    app = opened(page, a=text, b="")
    assert "pwned" not in interpreted(app)
    assert any("pwned" in value for value in words(app)) or sent(app)


def test_a_long_text_lists_the_largest_weights(page: AppTest):
    app = opened(page, model="minilm-l6", a="The cat sat down. " * 50, b="", head="L3H1")
    row = section(sent(app)[0], "Scaled, masked, softmax")
    assert len(row["words"]) == 24 and re.search(r"Listed: the 24 of \d+ keys", row["note"])
    total = sum(word[3] for word in row["words"]) + row["others"][1]
    assert total == pytest.approx(1, abs=1e-4)


def test_a_text_of_one_token(page: AppTest):
    app = opened(page, a="The", b="")
    header, _ = sent(app)
    assert weights_of(header) == {0: pytest.approx(1)}
    assert section(header, "Turned by position (RoPE)")["positions"] == [0, 0]


def test_no_text_is_a_sentence(page: AppTest):
    app = opened(page, a="", b="")
    assert said(app, "Sentence A")
    assert not [e for e in app.get("bidi_component") if b"sections" in e.proto.bytes]


def test_families_build_what_the_page_is_tested_with():
    assert {"bloom", "gemma2", "t5"} <= set(families.names())


def test_the_text_that_was_typed_is_the_one_that_is_opened(page: AppTest):
    app = opened(page, b=SENTENCE_B, at="B11", key="6")
    assert said(app, "in B")
    widget(app, "sel_a").set_value("I like cheese.").run()
    assert not app.exception
    assert app.session_state["_selection"].side == "A"
    assert said(app, "in A")


def test_it_says_whose_numbers_these_are_and_the_sidebar_whose_those(app: AppTest):
    """With the toggle off the model itself runs elsewhere; here our transformer does, and why."""
    opened(app)
    here = "These numbers are from our own transformer with the same weights"
    (told,) = [one for one in words(app) if one.startswith(here)]
    assert re.search(r"Largest logit difference from transformers: \S+ \(float32\)\.", told)
    assert [one for one in words(app) if one.startswith("Our attention runs inside this model.")]
    opened(app, ours="1")
    assert not [one for one in words(app) if one.startswith(here)]
    assert sum(one.startswith("Our transformer. Largest logit") for one in words(app)) == 2

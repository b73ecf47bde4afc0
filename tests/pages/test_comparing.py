"""Two sentences that differ in every way: what can be compared, from which word, and the way on."""

import pytest
from streamlit.testing.v1 import AppTest

from attnlab.errors import Cancelled
from attnlab.ui import models, work
from tests.pages.test_heads import address, box, header, interpreted, payloads, said, words
from tests.widgets import widget

LONG = "The cat sat on the mat and looked out of the window. " * 7


def opened(app: AppTest, **link: str) -> AppTest:
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("Hi", "A dog ran home today", "none but the first word of A and B"),
        ("The dog", "The dog ran", "continues the other"),
    ],
)
def test_texts_that_cannot_be_compared_say_so_and_show_b(app: AppTest, a: str, b: str, why: str):
    opened(app, a=a, b=b)
    assert sum(why in text and text.endswith("This is B.") for text in words(app)) == 1
    assert header(payloads(app)[0])["view"] == "B"
    assert app.get_by_key("view_possible").value == "B"
    assert not said(app, "the same on both")
    app.get_by_key("view_possible").set_value("A").run()
    assert header(payloads(app)[0])["view"] == "A"
    assert not said(app, "This is B.")


def test_the_wish_for_the_difference_outlives_a_text_that_has_none(app: AppTest):
    opened(app, a="The dog", b="The dog ran")
    box(app, "a").set_value("The dog sat").run()
    assert header(payloads(app)[0])["view"] == "B-A"


@pytest.mark.parametrize(
    ("a", "b", "rows"),
    [
        ("Cats sleep.", "Dogs bark loudly.", {"a": 1, "b": 2}),  # the first word differs
        ("It was wide.", "It was very wide.", {"a": 2, "b": 3}),  # a word more
        ("It was wide today.", "It was tired today.", {"a": 2, "b": 2}),
    ],
)
def test_both_sides_look_from_a_word_that_makes_sense(app: AppTest, a, b, rows: dict[str, int]):
    opened(app, a=a, b=b)
    sent = header(payloads(app)[1])
    found = {side: sent["tokens"][side][row][0] for side, row in sent["rows"].items()}
    wanted = {side: sent["tokens"][side][row][0] for side, row in rows.items()}
    assert found == wanted


def test_a_button_leads_to_the_head_that_changes_most(app: AppTest):
    opened(app)
    way = app.button(key="way-on")
    assert way.label.startswith("Go to the head that changes most: L")
    layer, head = way.label.split("L")[-1].split(" H")
    way.click().run()
    assert f"Layer {layer} · Head {head}" in interpreted(app)
    assert "way-on" not in [button.key for button in app.button]


def test_with_one_sentence_the_button_leads_to_a_head_that_looks_past_the_first_word(app: AppTest):
    opened(app, b="")
    assert "looks hardest past the first word: L" in app.button(key="way-on").label


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("MiniLM", "minilm-l6"),
        ("minilm l6", "minilm-l6"),
        ("GPT-2 small", "gpt2"),
        ("GPT-2", "gpt2"),
        ("pythia", "pythia-70m"),
        ("  SMOLLM2-135M ", "smollm2-135m"),
        ("huggingfacetb/smollm2-135m-instruct", "smollm2-135m"),
        ("qwen", "qwen3-0.6b"),
        ("smollm2", "smollm2"),  # two of them
        ("somebody/gpt2", "somebody/gpt2"),
        ("distilgpt2", "distilgpt2"),
        ("t", "t"),
        ("/etc/gpt2", "/etc/gpt2"),
        ("x" * 5000, "x" * 5000),
        ("gpt\x00", "gpt2"),
    ],
)
def test_what_was_typed_is_the_model_that_it_means(typed: str, meant: str):
    assert models.resolved(typed) == meant


def test_a_folder_that_is_there_means_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt").mkdir()
    assert models.resolved("gpt") == "gpt"


def test_a_title_in_a_link_opens_the_model(app: AppTest):
    opened(app, model="MiniLM")
    assert widget(app, "sel_model").value == "minilm-l6"
    assert address(app)["model"] == "minilm-l6"
    assert said(app, "6 layers, left to right")


@pytest.mark.parametrize(
    "name", ["HuggingFaceTB/SmolLM2-135M-Instruct", "SmolLM2-135M", " smollm2 135m"]
)
def test_a_hosted_server_knows_its_models_by_every_spelling(app: AppTest, monkeypatch, name: str):
    monkeypatch.setenv("ATTNLAB_HOSTED", "1")
    opened(app, model=name)
    assert len(payloads(app)) == 3
    assert "model" not in address(app)


@pytest.mark.parametrize("path", ["/etc/passwd", "~/secret", "C:\\\\x", "../up", "a/b/c"])
def test_a_hosted_server_says_no_path_back(app: AppTest, monkeypatch, path: str):
    monkeypatch.setenv("ATTNLAB_HOSTED", "1")
    opened(app, model=path)
    assert said(app, "so a folder was not loaded.")
    assert not any(path in text for text in words(app))


def test_a_text_beyond_the_model_is_named_with_the_limit_of_the_page(app: AppTest):
    opened(app, a="🦄" * 3000, b="")
    assert sum("Sentence A" in text and "2,048" in text for text in words(app)) == 1


def test_what_was_stopped_runs_again_after_another_text(app: AppTest, fresh_caches, monkeypatch):
    opened(app, a="One text.", b="")
    real = work.perform

    def stopped(key, words, *rest, **options):
        if getattr(getattr(key, "passage", None), "text", "") == "Another text.":
            work._stop(key)
            raise Cancelled("Stopped: reading sentence A.")
        return real(key, words, *rest, **options)

    with monkeypatch.context() as patch:
        patch.setattr(work, "perform", stopped)
        box(app, "a").set_value("Another text.").run()
    app.run()
    assert said(app, "Stopped: reading sentence A.")
    box(app, "a").set_value("One text.").run()
    box(app, "a").set_value("Another text.").run()
    assert not said(app, "Stopped")
    assert len(payloads(app)) == 3


def test_over_64_tokens_random_heads_run_once_they_are_asked_for(app: AppTest):
    opened(app, a=LONG, b="")
    assert not said(app, "random heads, half move it")
    assert "compare-random" in [button.key for button in app.button]

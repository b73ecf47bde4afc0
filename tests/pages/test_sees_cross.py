"""Architecture, who sees what and cross-attention: what is said is what was computed."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attnlab as al
from attnlab.viz.payload import unpack
from tests.pages.conftest import APP
from tests.pages.test_heads import address, interpreted, payloads, said, words
from tests.widgets import widget

PAGE = str(APP.parent / "pages" / "architecture.py")


@pytest.fixture
def visit(app: AppTest):
    """Opens the page with a query, as a link does in a new session."""

    def open_page(**query: str) -> AppTest:
        app.query_params = query
        app.switch_page(PAGE).run()
        assert not app.exception
        return app

    return open_page


def drawn(app: AppTest, part: str) -> tuple[dict, dict]:
    """The payload of the picture whose header holds `part`."""
    return next(found for found in map(unpack, payloads(app)) if part in found[0])


def test_the_three_kinds_and_the_loaded_model_s_own_mask(visit):
    app = visit(show="sees", a="The cat sat down.", at="A1")
    header, arrays = drawn(app, "sights")
    assert [one["title"] for one in header["sights"]] == [
        *("Encoder", "Decoder", "Encoder-decoder"),
        "SmolLM2 135M",
    ]
    assert "the mask of a decoder, in all 30 layers" in header["sights"][3]["about"]
    tables = {name: one.astype(bool) for name, one in arrays.items()}
    read = len(header["read"])
    assert tables["0"].all() and tables["0"].shape == (read, read)
    assert (tables["1"] == np.tri(read, dtype=bool)).all()
    assert (tables["3"] == tables["1"]).all()
    assert tables["2"][:, :read].all() and not tables["2"][:read, read:].any()
    assert header["row"] == 1


def test_an_encoder_s_own_mask_and_other_words(visit):
    app = visit(show="sees", model="minilm-l6", a="The cat sat down.", written="A b c")
    header, _ = drawn(app, "sights")
    assert "the mask of an encoder, in all 6 layers" in header["sights"][3]["about"]
    assert [row[1].strip() for row in header["written"]] == ["a", "b", "c"]
    assert address(app)["written"] == "A b c"


def test_an_encoder_decoder_s_own_mask_is_put_together(visit):
    app = visit(show="sees", model="dates", a="3 May 2001", written="2001")
    header, arrays = drawn(app, "sights")
    assert "the mask of an encoder-decoder." in header["sights"][3]["about"]
    assert (arrays["3"] == arrays["2"]).all()
    assert header["written"][0][0] == "<s>"


@pytest.mark.parametrize("text", ["", "   ", "w " * 60])
def test_a_text_that_is_empty_or_long(visit, text: str):
    app = visit(show="sees", a=text)
    if text.strip():
        header, _ = drawn(app, "sights")
        assert len(header["read"]) == 32 and said(app, "Up to 32 words")
    else:
        assert said(app, "Sentence A")


def test_a_date_is_written_and_the_sentences_hold_the_weights(visit):
    app = visit(show="cross", date="July 20, 1969", look="L0H1")
    lab = al.load("dates")
    trace = lab.generate("July 20, 1969", max_new_tokens=16, capture=al.Capture("weights"))
    text = "".join(token.text for token in trace.tokens if not token.special)
    assert text in words(app)
    weights = trace.role("cross").weights[0, 1].numpy()
    sent = drawn(app, "difference")[1]["a"]
    assert np.allclose(sent, weights, atol=1e-6)
    told = [re.search(r"looks at “(.+)” with (\d\.\d\d)", text) for text in words(app)]
    assert len(list(filter(None, told))) >= 1
    start = {"July": range(4), "20": range(5, 7), "1969": range(9, 13)}
    for found in filter(None, told):
        assert found[1] in start
    assert address(app) == {"show": "cross", "date": "July 20, 1969", "look": "L0H1"}


def test_an_example_fills_the_box_and_another_head_can_be_chosen(visit):
    app = visit(show="cross", row="2")
    app.get_by_key("try-date-2").click().run()
    assert not app.exception
    assert widget(app, "own_architecture_date").value == "25.12.1999"
    assert address(app) == {"show": "cross", "date": "25.12.1999"}
    widget(app, "choice-cross").set_value((0, 2)).run()
    assert address(app)["look"] == "L0H2"
    assert "Layer 0 · Head 2" in interpreted(app)
    widget(app, "own_architecture_drawn").set_value("words").run()
    assert address(app)["as"] == "words"
    assert drawn(app, "difference")[0]["mode"] == "words"


@pytest.mark.parametrize("date", ["  ", "<img src=x onerror=pwned()>", "?!", "٣ مايو 💩"])
def test_what_is_no_date_gives_a_sentence_and_no_traceback(visit, date: str):
    app = visit(show="cross", date=date)
    assert any(text.endswith(".") for text in words(app))
    assert "pwned" not in interpreted(app)


def test_malformed_parameters_are_sentences_and_the_defaults(visit):
    broken = {"look": "L9H9x", "as": "arcs", "row": "x", "date": "x" * 61, "written": "y" * 201}
    app = visit(show="cross", **broken)
    assert all(said(app, f"The link's “{name}”") for name in broken)
    assert address(app) == {"show": "cross"}


def test_a_head_and_a_row_that_are_not_there_are_the_best_ones(visit):
    app = visit(show="cross", look="L7H7", row="900")
    assert drawn(app, "difference")[0]["rows"]["a"] < 12


def test_another_encoder_decoder_that_is_loaded_is_used_itself(visit, tiny_t5: str):
    app = visit(show="cross", model=tiny_t5, a="w5 w6 w7 w8")
    header, arrays = drawn(app, "difference")
    assert [row[1].strip() for row in header["sources"]["a"]][:4] == ["w5", "w6", "w7", "w8"]
    assert arrays["a"].shape[0] == len(header["tokens"]["a"])
    assert widget(app, "sel_a").value == "w5 w6 w7 w8"

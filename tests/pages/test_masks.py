"""The page Masks under AppTest: on paper, in models of every kind, on a long text; links, files."""

import json
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnlab.analysis.masking import Pattern
from attnlab.ui.export import masks as export
from attnlab.ui.export.menu import files
from attnlab.ui.masks_cells import NOTHING, Painted
from attnlab.ui.masks_selection import Masks
from attnlab.ui.masks_view import Sheet, counted, formulas
from attnlab.viz import payload
from tests.pages.reading import opened, said
from tests.widgets import widget

TINY = "w5 w6 w7 w8 w9 w10 w11 w12"


@pytest.fixture
def masks(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, "pages/masks.py")


def sent(app: AppTest) -> list[tuple[dict, dict]]:
    """What was sent to each component: header and arrays."""
    bodies = [element.proto.bytes for element in app.get("bidi_component")]
    return [payload.unpack(bytes(body)) for body in bodies if body]


def painted(app: AppTest) -> tuple[dict, np.ndarray]:
    """The header of the painted grid, and the mask before anything was painted."""
    header, arrays = next((h, a) for h, a in sent(app) if "predicts" in h)
    return header, arrays["base"].astype(bool)


def words(app: AppTest) -> list[str]:
    return [element.value for element in app.text]


def test_the_first_view_counts_seventy_of_136(masks):
    app = masks()
    assert "70 of 136" in words(app) and "528,611,328 of 8,590,000,128" in words(app)
    header, base = painted(app)
    assert len(header["words"]) == 16 and base.sum() == 70
    cone = next(h for h, _ in sent(app) if "formulas" in h)
    assert cone["formulas"][2].startswith("Window: 3 × (4 − 1) = 9 back.")


@pytest.mark.parametrize(
    ("kind", "small", "large"),
    [
        ("causal", "136 of 136", "8,590,000,128 of 8,590,000,128"),
        ("window", "58 of 136", "528,484,352 of 8,590,000,128"),
        ("strided", "82 of 136", "of 8,590,000,128"),
        ("bidirectional", "256 of 136", "17,179,869,184 of 8,590,000,128"),
    ],
)
def test_each_pattern_is_counted_here_and_far(masks, kind, small, large):
    """numbers.md, Scores computed, as they are read on the page."""
    app = masks(mask=kind)
    assert small in words(app) and said(app, large)


def test_a_million_tokens_are_counted(masks):
    app = masks(mask="sinks", sinks="4", n="1048576", far="4096")
    assert said(app, f"{4_286_580_736 + 4 * (1_048_576 - 4_096) - 6:,} of 549,756,338,176")


def test_three_words_show_their_weights(masks):
    app = masks(lesson="three-words")
    header, arrays = next((h, a) for h, a in sent(app) if "predicts" in h)
    right = [[1, 0, 0], [0.6, 0.4, 0], [0.2, 0.5, 0.3]]
    assert np.allclose(arrays["weights"], right) and header["weighed"]
    assert said(app, "there is nothing to learn")


def test_painted_cells_are_counted_and_can_be_taken_back(masks):
    app = masks(words="a b c d", mask="causal", cells="0s1-3_3h0")
    assert "12 of 10" in words(app)
    assert painted(app)[0]["cells"] == [[0, 1, 1], [0, 2, 1], [0, 3, 1], [3, 0, 0]]
    app.button(key="unpaint").click().run()
    assert "10 of 10" in words(app)


def test_cells_and_rows_beyond_the_text_are_said(masks):
    app = masks(words="a b", mask="causal", cells="5s0", row="9")
    assert said(app, "no place for 1 of the painted cells")
    assert said(app, "no word numbered 9") and painted(app)[0]["row"] == 1


@pytest.mark.parametrize(
    "query",
    [
        {"words": "  "},
        {"words": "<img src=x onerror=hit()> **bold** $x$ </script>"},
        {"words": "ab " * 90},
        {"mask": "global", "global": ""},
        {"mask": "prefix", "prefix": "0"},
        {"mask": "document", "docs": "4096"},
        {"mask": "window", "w": "4096"},
        {"mask": "<b>", "cells": "x", "lesson": "nothing", "show": "no"},
    ],
)
def test_any_words_and_any_link_give_a_page(masks, query):
    app = masks(**query)
    bodies = [element.value for element in (*app.markdown, *app.caption)]
    bodies += [element.proto.body for element in app.get("html")]
    assert not any("onerror" in body for body in bodies)
    assert app.text


def test_a_decoder_under_a_mask_and_its_own_windows(masks, tiny_gemma):
    app = masks(show="model", model=tiny_gemma, a=TINY, mask="window", w="2")
    header, base = painted(app)
    assert header["predicts"] and np.array_equal(base, Pattern("window", 2).table(8).numpy())
    assert said(app, "nats a token") and said(app, "KL")
    assert widget(app, "own_masks_native").value  # it has windows of its own, which stay
    widget(app, "own_masks_native").set_value(False).run()
    assert not app.exception and app.query_params["windows"] == "lifted"


def test_an_encoder_moves_and_predicts_no_next_word(masks, tiny_bert):
    app = masks(show="model", model=tiny_bert, a=TINY, mask="causal")
    header, base = painted(app)
    assert not header["predicts"] and not np.triu(base, 1).any()
    assert said(app, "The mean vector of the text turned by")


def test_an_encoder_decoder_s_decoder_is_masked(masks, tiny_t5):
    app = masks(show="model", model=tiny_t5, a=TINY, ta="w5 w6 w7", mask="window", w="1")
    assert len(painted(app)[0]["words"]) == 4  # what is written, its start token first
    assert not said(app, "The target is empty")
    app = masks(show="model", model=tiny_t5, a=TINY, ta="", mask="window", w="1")
    assert said(app, "The target is empty: one token stands for its start.")


def test_where_only_the_softmax_is_seen_nothing_can_be_shown(masks, tiny_bloom):
    """Hiding works there; a mask that opens the future is refused in a sentence."""
    app = masks(show="model", model=tiny_bloom, a=TINY, mask="window", w="3")
    assert said(app, "nats a token")
    app = masks(show="model", model=tiny_bloom, a=TINY, mask="bidirectional")
    assert said(app, "keys can be hidden and not shown")


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ({"a": ""}, "is empty"),
        ({"heads": "99"}, "were left out"),
        ({"from": "99", "to": "99"}, "nats a token"),
        (
            {"from": "9999"},
            "There are no layers from 9,999 to 9,999 here, so every layer is changed.",
        ),
        ({"from": "3", "to": "1"}, "There are no layers from 3 to 1 here"),
        (
            {"mask": "global", "global": "0.31"},
            "no word numbered 31, so nothing is seen by all there",
        ),
        ({"mask": "global", "global": "30.31"}, "no words 30, 31, so"),
        ({"paint": "31s0"}, "no place for some"),
    ],
)
def test_what_does_not_fit_the_model_is_said(masks, tiny_gemma, query, part):
    app = masks(show="model", model=tiny_gemma, **({"a": TINY} | query))
    assert said(app, part)
    assert "from" not in app.query_params and "31" not in app.query_params.get("global", "")


def test_long_texts_through_a_window(masks, tiny_gemma):
    text = " ".join(f"w{5 + at % 90}" for at in range(120))
    query = {"model": tiny_gemma, "text": "pasted", "pasted": text, "wide": "16", "length": "256"}
    app = masks(show="sinks", **query)
    assert said(app, "tokens are read: the text, or the model")
    assert {"full", "window", "window + 1 sink"} <= set(words(app))
    assert said(app, "StreamingLLM")
    app = masks(show="layouts", every="2", hold="1", **query)
    assert {"full", "window everywhere", "every 2nd full"} <= set(words(app))


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ({"text": "pasted"}, "Paste a text"),
        ({"text": "pasted", "pasted": "w5 w6"}, "at least 16"),
    ],
)
def test_a_long_text_that_is_none_is_said(masks, tiny_gemma, query, part):
    assert said(masks(show="sinks", model=tiny_gemma, **query), part)


def test_an_encoder_has_no_loss_by_position(masks, tiny_bert):
    assert said(masks(show="sinks", model=tiny_bert), "choose a decoder")


def sheet(cells: Painted = NOTHING) -> Sheet:
    return Sheet(("The", "cat", "sat"), Pattern("causal").table(3).numpy(), cells, 2)


def test_files_hold_the_mask_and_what_was_painted():
    of = sheet(Painted(shown=((0, 2),)))
    made = {kind: build() for kind, (build, *_) in files(export.mask(Masks(), of)).items()}
    assert made["png"].startswith(b"\x89PNG") and b"1 cell was painted" in made["svg"]
    document = json.loads(made["json"])
    assert document["may_look"] == [[1, 0, 1], [1, 1, 0], [1, 1, 1]]
    assert b'0,"""The""",2,"""sat""",1,0' in made["csv"]
    held = np.stack([np.eye(3, dtype=bool), of.seen])
    reached = json.loads(files(export.reach(Masks(layers=1), of, held))["json"][0]())
    assert reached["rows"][-1]["words_heard"] == 3


def test_words_about_a_mask():
    assert counted(sheet()) == "6 of 6"
    assert formulas(Masks(kind="causal"), sheet()) == []
    told = formulas(Masks(kind="window", window=2), sheet())
    assert told[0] == "Window: 1 × (2 − 1) = 1 back."
    assert told[2] == "Window: 3 × (2 − 1) = 3 back (the text is shorter)."

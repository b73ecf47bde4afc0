"""Inputs that broke other tools, where the page is where they broke: one test a row, at least.

The rows of the core are in tests/test_bad_inputs.py, which also checks that no row is without a
test; what only a browser can tell is in tests/browser/test_hostile.py and test_long.py.
"""

import time
from collections.abc import Iterator
from dataclasses import fields, replace
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
import tokenizers
import torch
from streamlit.testing.v1 import AppTest

import attnlab as al
from attnlab.pretrained.load import load
from attnlab.ui import engine
from attnlab.ui.engine import LabKey
from attnlab.ui.selection import PANELS
from attnlab.viz.payload import unpack
from tests import families
from tests.pages.test_comparing import opened
from tests.pages.test_heads import address, box, header, interpreted, payloads, said, words
from tests.widgets import widget

HOSTILE = '<b>x</b> " onmouseover="alert(1)'
REPEATED = "the cat the cat the"
MARKED_UP = "cost $5 and $6 email:a@b :red[x] ![](http://example.com/x.png)"
LABEL, TEXT, RAW, ID, PART, PARTS, SPECIAL = range(7)  # of a token in a payload


def in_every_picture(app: AppTest, side: str, **link: str) -> Iterator[list[list]]:
    """The tokens of text `side` in each picture of each panel."""
    for panel in PANELS:
        opened(app, panel=panel, pins="L0H0.L1H1", **link)
        for sent in map(header, payloads(app)):
            tokens = sent.get("tokens")
            tokens = tokens.get(side) if isinstance(tokens, dict) else tokens
            if tokens and str(sent.get("side", side)).lower() == side:
                yield tokens


def folder(path: Path, name: str, tokenizer=None, **changes) -> str:
    """A tiny model of a family, saved with a tokenizer."""
    families.build(name, **changes).save_pretrained(path)
    (tokenizer or families.tokenizer()).save_pretrained(path)
    return str(path)


def marked_words(path: Path) -> str:
    """A tiny T5 whose tokenizer writes ▁ before a word and puts </s> at the end."""
    marked = families.tokenizer()
    vocabulary = {(f"▁{w}" if w[0] == "w" else w): i for w, i in marked.get_vocab().items()}
    core = marked.backend_tokenizer
    core.model = tokenizers.models.WordLevel(vocabulary, unk_token="<unk>")
    core.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    core.decoder = tokenizers.decoders.Metaspace()
    core.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 2)]
    )
    return folder(path, "t5", type(marked)(tokenizer_object=core, eos_token="</s>"))


def test_row_1_accents_and_greek_are_readable_in_every_picture(app: AppTest, smollm2):
    text = "Seán Γεια σου"
    ids = smollm2.tokenizer(text)["input_ids"]
    seen = list(in_every_picture(app, "a", a=text, b=""))
    assert len(seen) == 2 * len(PANELS)
    for tokens in seen:
        assert [token[ID] for token in tokens] == ids
        assert any("Ã" in token[RAW] for token in tokens)  # told on hover
        assert "".join(token[TEXT] for token in tokens if token[PART] == 1) == text
        assert not any(set(token[LABEL]) & set("Ãĵ�") for token in tokens)


def test_row_2_a_character_over_several_tokens_is_marked_in_every_picture(app: AppTest):
    for tokens in in_every_picture(app, "a", a="I 💩 日本", b=""):
        parts = [(token[PART], token[PARTS]) for token in tokens if "💩" in token[LABEL]]
        assert parts == [(1, 3), (2, 3), (3, 3)]
        assert not any("�" in token[LABEL] for token in tokens)


@pytest.mark.parametrize("model", ["smollm2-135m", "minilm-l6", "t5"])
def test_row_3_no_marker_of_a_tokenizer_is_on_the_page(app: AppTest, tmp_path, model: str):
    text = "w5 w6\nw7" if model == "t5" else "tokenization of a\n street"
    model = marked_words(tmp_path) if model == "t5" else model
    for tokens in in_every_picture(app, "a", model=model, a=text, b=""):
        assert not any(sign in token[LABEL] for token in tokens for sign in "▁ĠĊ")
        assert not any(token[LABEL].startswith("##") for token in tokens)
    assert not any(sign in text for text in words(app) for sign in ("▁", "Ġ", "Ċ", "##"))


@pytest.mark.parametrize(
    "text", [HOSTILE, REPEATED, MARKED_UP], ids=["row_4_html", "row_5_repeated", "row_6_markdown"]
)
@pytest.mark.parametrize("panel", PANELS)
def test_row_4_to_6_typed_text_is_never_interpreted(app: AppTest, panel: str, text: str):
    opened(app, a=text, b=text + " end", panel=panel, pins="L0H0", at="A2", key="1")
    assert box(app, "a").value == text
    assert len(payloads(app)) >= 3
    for part in ("onmouseover", "<b>x", "email", "the cat", "example.com", "$5"):
        assert part not in interpreted(app)


def test_row_5_repeated_words_keep_one_place_each(app: AppTest):
    for tokens in in_every_picture(app, "a", a=REPEATED, b=""):
        assert [token[LABEL] for token in tokens] == REPEATED.split()
    assert [token[ID] for token in tokens].count(tokens[1][ID]) == 2  # " cat" is one word


def test_row_7_512_tokens_say_what_they_reduce(app: AppTest):
    opened(
        app, a="The cat sat on the mat and looked out. " * 52, b="", panel="compare", pins="L4H2"
    )
    grid, beside = map(header, payloads(app)[:2])
    count = len(grid["tokens"]["a"])
    assert 450 < count <= 2048
    for sent in (grid, beside):
        (shape,) = [place["shape"] for place in sent["arrays"].values() if len(place["shape"]) > 2]
        assert shape[-2] <= 64  # never all of it at once
    widget(app, "sel_panel").set_value("circuits").run()
    assert said(app, f"CircuitsVis takes up to 64 tokens, and this text has {count}")
    widget(app, "sel_panel").set_value("head").run()
    assert header(payloads(app)[1])["arrays"]["a"]["shape"] in (
        [count, count],
        [count * (count + 1) // 2],
    )


@pytest.mark.parametrize("panel", PANELS)
def test_row_10_a_row_that_sees_nothing_is_empty_and_never_nan(
    app: AppTest, monkeypatch, panel: str
):
    """No typed text is masked, so one row of what was read is emptied."""
    real = engine.read

    def emptied(*given, **named):
        reading = real(*given, **named)
        maps = reading.maps.copy()
        maps[:, :, 2] = 0
        return replace(reading, maps=maps)

    monkeypatch.setattr("attnlab.ui.engine.read", emptied)
    opened(app, panel=panel, pins="L0H0.L1H1", b="", at="A2", key="1")
    for payload in payloads(app):
        arrays = unpack(payload)[1].values()
        assert all(np.isfinite(array).all() for array in arrays)
    if panel == "head":
        assert not unpack(payloads(app)[1])[1]["a"][2].any()


def test_row_17_a_learned_sink_has_its_share_on_the_page(app: AppTest, tmp_path):
    opened(app, model=folder(tmp_path, "gpt_oss"), a="w5 w6 w7 w8", b="", head="L1H1")
    sent, arrays = unpack(payloads(app)[1])
    sums = arrays["a"].sum(-1)
    assert (sums < 0.95).any()  # shown as it is, not made to add up to 1
    assert sent["sink"] is True  # so that the words say who takes the rest
    opened(app, model="smollm2-135m")
    assert header(payloads(app)[1])["sink"] is False


@pytest.mark.parametrize("model", ["smollm2-135m", "minilm-l6"])
def test_row_18_the_ids_on_screen_are_the_ids_fed(app: AppTest, smollm2, minilm, model: str):
    ours, added = {"smollm2-135m": (smollm2, 0), "minilm-l6": (minilm, 2)}[model]
    for tokens in in_every_picture(app, "a", model=model, a="hello world!", b=""):
        assert [token[ID] for token in tokens] == ours.tokenizer("hello world!")["input_ids"]
        assert sum(token[SPECIAL] for token in tokens) == added


def test_row_20_a_model_is_kept_under_everything_it_was_loaded_by(app: AppTest):
    arguments = set(signature(load).parameters) - {"tokenizer", "inputs", "progress"}
    assert {field.name for field in fields(LabKey)} == (arguments - {"source"}) | {"model", "ours"}
    opened(app, model="minilm-l6", head="L3H1")
    first = unpack(payloads(app)[1])[1]["b"]
    widget(app, "sel_dtype").set_value("bfloat16").run()
    assert not app.exception
    assert "bfloat16" in app.sidebar.text[0].value
    rounded = unpack(payloads(app)[1])[1]["b"]
    assert 0 < np.abs(rounded - first).max() < 0.05
    widget(app, "sel_dtype").set_value("auto").run()
    assert np.array_equal(unpack(payloads(app)[1])[1]["b"], first)
    absent = "mps" if torch.cuda.is_available() else "cuda"
    widget(app, "sel_device").set_value(absent).run()
    assert not app.exception
    assert said(app, absent) and not payloads(app)


@pytest.mark.parametrize("source", ["nobody/there-is-no-such-model", "gpt2", "t5-small"])
def test_row_21_without_a_network_one_sentence_and_the_packaged_models_work(
    app: AppTest, source: str
):
    start = time.perf_counter()
    opened(app, model=source)
    assert time.perf_counter() - start < 15
    told = app.get_by_key("problem-page")
    assert len(told.text) == 1 and told.text[0].value.count(".") == 1
    assert not payloads(app)
    widget(app, "sel_model").set_value("smollm2-135m").run()
    assert len(payloads(app)) == 3


def test_row_22_a_folder_with_a_fine_tuned_model_opens(app: AppTest, tmp_path):
    made = families.build("gpt2")
    with torch.no_grad():
        made.transformer.h[0].mlp.c_fc.weight.mul_(1.5)  # fine-tuned
    made.save_pretrained(tmp_path)
    families.tokenizer().save_pretrained(tmp_path)
    opened(app, model=str(tmp_path), a="w7 w11 w96 w5", b="", head="L1H2")
    assert [token[ID] for token in header(payloads(app)[1])["tokens"]["a"]] == [7, 11, 96, 5]
    right = al.load(tmp_path).run("w7 w11 w96 w5").weights[1, 2].numpy()
    assert np.allclose(unpack(payloads(app)[1])[1]["a"], right, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Sentence A is empty: type a few words."),
        ("    ", "Sentence A holds only spaces: type at least one word."),
        ("x" * 100_000, "Sentence A has 100,000 characters; up to 20,000"),
        ("word " * 2049, "tokens; up to 2,048"),
    ],
)
def test_row_23_a_text_that_cannot_be_shown_gets_one_sentence_and_is_kept(
    app: AppTest, text: str, sentence: str
):
    app.run()
    box(app, "a").set_value(text).run()
    assert not app.exception
    assert sum(sentence in text for text in words(app)) == 1
    assert box(app, "a").value == text
    assert not payloads(app)
    box(app, "a").set_value("The cat sat.").run()
    assert len(payloads(app)) == 3


@pytest.mark.parametrize(
    "text", ["Hi", "💩", "\x00", "a\x00b", "\x07\x1b[31m", "\u202eabc", "\n\nx"]
)
@pytest.mark.parametrize("model", ["smollm2-135m", "minilm-l6"])
def test_row_23_an_odd_text_is_shown_or_refused_in_a_sentence(app: AppTest, text: str, model: str):
    for panel in PANELS:
        opened(app, model=model, a=text, b="", panel=panel, pins="L0H0")
        assert box(app, "a").value == text
        # A WordPiece tokenizer drops control characters, so nothing may be left to read.
        assert len(payloads(app)) >= 2 or said(app, "makes no token of this text")


def test_row_24_more_than_ten_heads_at_once_are_told_apart(app: AppTest):
    heads = [(layer, head) for layer in range(4) for head in range(3)]
    spelled = ".".join(f"L{layer}H{head}" for layer, head in heads)
    opened(app, gone=spelled, pins="L0H0.L1H1.L2H2.L3H0.L4H1.L5H2", panel="compare")
    chips = [widget(app, "sel_gone").options[i] for i in range(len(heads))]
    assert len(set(chips)) == len(heads) and chips[0] == "L0 H0"  # by name, not by colour
    assert address(app)["gone"] == spelled
    assert said(app, f"these {len(heads)} heads")
    beside = header(payloads(app)[1])["heads"]
    assert len({tuple(tile[:2]) for tile in beside}) == len(beside) == 6

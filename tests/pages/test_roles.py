"""Encoder-decoders and masked models: targets, whose attention, fills. Tiny random models."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.test_comparing import opened
from tests.pages.test_heads import address, box, header, interpreted, payloads, said, words

SOURCE = {"a": "w5 w6 w7 w8", "b": "w5 w6 w9 w8", "ta": "w10 w11", "tb": "w10 w12"}


def tokens(app: AppTest, what: str = "tokens") -> dict[str, list[str]]:
    """The words along the sides of the grid."""
    sides = header(payloads(app)[0])[what]
    return {side: [word[0] for word in row] for side, row in sides.items() if row}


def test_an_encoder_decoder_has_a_box_for_each_target(app: AppTest, tiny_t5: str):
    opened(app, model=tiny_t5, **SOURCE)
    assert box(app, "target_a").value == "w10 w11"
    assert box(app, "target_b").value == "w10 w12"
    assert tokens(app)["a"] == SOURCE["a"].split()
    assert said(app, "The next word of its answer to B")
    box(app, "b").set_value("").run()
    assert "sel_target_b" not in [line.key for line in app.text_input]


def test_other_models_have_no_target(app: AppTest):
    opened(app, ta="once upon a time")
    assert [line.key for line in app.text_input] == ["sel_a", "sel_b"]


def test_whose_attention_is_a_choice(app: AppTest, tiny_t5: str):
    opened(app, model=tiny_t5, at="B2", key="1", **SOURCE)
    app.get_by_key("role-encoder").set_value("cross").run()
    assert not app.exception
    assert address(app)["role"] == "cross"
    assert address(app).get("at") is None  # a word of the source is no word of the target
    assert tokens(app)["a"][-2:] == ["w10", "w11"]
    assert tokens(app, "sources")["a"] == SOURCE["a"].split()
    app.get_by_key("role-cross").set_value("decoder").run()
    assert tokens(app)["b"][-1] == "w12"
    assert said(app, "(the end of B’s target)")


@pytest.mark.parametrize("role", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize("panel", ["head", "compare", "find", "circuits"])
def test_every_panel_shows_every_role(app: AppTest, tiny_t5: str, role: str, panel: str):
    opened(app, model=tiny_t5, role=role, panel=panel, pins="L0H0.L1H1", **SOURCE)
    assert len(payloads(app)) >= 2
    if (role, panel) == ("cross", "circuits"):
        assert said(app, "CircuitsVis draws squares of one text")


def test_an_encoder_decoder_without_a_target_starts_its_answer(app: AppTest, tiny_t5: str):
    opened(app, model=tiny_t5, role="decoder", a="w5 w6", b="")
    assert len(tokens(app)["a"]) == 1


def test_a_role_that_a_model_lacks_is_one_sentence(app: AppTest):
    opened(app, role="cross")
    assert sum("has no cross attention, only decoder." in text for text in words(app)) == 1
    assert "role" not in address(app)


def test_a_masked_model_fills_its_mask(app: AppTest, tiny_bert: str):
    opened(app, model=tiny_bert, a="w5 <mask> w7 w8", b="")
    assert said(app, "The word predicted at “<mask>”")
    told = [element.proto.help for element in app.text if element.proto.help]
    assert any("fills gaps" in text for text in told)
    box(app, "a").set_value("w5 w6 w7").run()
    assert said(app, "The word predicted at “w7”")
    assert said(app, "Write <mask> in the text")


def test_an_encoder_says_how_far_each_token_moves(app: AppTest):
    opened(app, model="minilm-l6", head="L3H1")
    assert said(app, "The vector of B moves a little")
    assert "**Cosine distance 0.0020**" in interpreted(app)
    rows = header(payloads(app)[2])["rows"]
    assert len(rows) == 16 and max(rows, key=lambda row: row[1])[0][0] == "[SEP]"
    assert said(app, "Of 20 random heads, half move it by less than")

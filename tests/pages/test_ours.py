"""The Heads page in our own transformer: every panel, the same figures, and what refuses."""

import pytest
from streamlit.testing.v1 import AppTest

from attnlab.ui.engine import roles
from tests.pages.test_comparing import opened
from tests.pages.test_heads import address, interpreted, payloads, said
from tests.pages.test_roles import SOURCE
from tests.widgets import widget

OURS = "Our transformer. Largest logit difference from transformers: "


def sidebar(app: AppTest) -> str:
    return "\n".join(text.value for text in app.sidebar.text)


def test_the_switch_in_the_sidebar_runs_the_page_in_our_transformer(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    # Of one of the two the roles of heads may be known already, which are badges more.
    monkeypatch.setattr(roles, "known", lambda _: None)
    opened(app)
    before = payloads(app)
    assert OURS not in sidebar(app)
    widget(app, "sel_ours").set_value(True).run()
    assert not app.exception
    assert address(app) == {"ours": "1"}
    assert OURS in sidebar(app) and "(float32)." in sidebar(app)
    assert said(app, "changes most on wide → street")
    assert "**KL 0.0076** nats" in interpreted(app)
    assert [len(payload) for payload in payloads(app)] == [len(payload) for payload in before]
    widget(app, "sel_ours").set_value(False).run()
    assert address(app) == {} and OURS not in sidebar(app)


@pytest.mark.parametrize("model", ["smollm2-135m", "minilm-l6"])
def test_every_panel(app: AppTest, model: str):
    opened(app, model=model, ours="1", head="L3H1", pins="L3H1.L4H2", gone="L3H1.L2H0")
    for panel in ("compare", "find", "circuits", "head"):
        widget(app, "sel_panel").set_value(panel).run()
        assert not app.exception
        assert "Our transformer." in sidebar(app)
        assert len(payloads(app)) >= 2


@pytest.mark.parametrize("role", ["encoder", "decoder", "cross"])
def test_every_role_of_an_encoder_decoder(app: AppTest, tiny_t5: str, role: str):
    opened(app, model=tiny_t5, ours="1", role=role, panel="compare", pins="L0H0.L1H1", **SOURCE)
    assert OURS in sidebar(app)
    assert len(payloads(app)) >= 2


def test_a_long_text(app: AppTest):
    opened(app, ours="1", a="word " * 90, b="", head="L13H8")
    assert OURS in sidebar(app)


def test_what_it_refuses_is_shown_as_it_is_and_a_sentence_says_why(app: AppTest, tiny_gemma: str):
    opened(app, model=tiny_gemma, ours="1", a="w5 w6 w7", b="")
    assert "Our transformer takes models of GPT-2, " in sidebar(app)
    assert "is a Gemma2ForCausalLM, which is none. The model itself is shown." in sidebar(app)
    assert "Our attention runs inside this model." in sidebar(app)
    assert len(payloads(app)) >= 2


def test_a_wrong_value_in_a_link_is_one_sentence(app: AppTest):
    opened(app, ours="yes")
    assert OURS not in sidebar(app)
    assert said(app, "The link's “ours”")

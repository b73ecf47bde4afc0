"""A model that was made for other texts than the opening ones says so, and shows one by a click."""

from streamlit.testing.v1 import AppTest

from attnlab.pretrained import catalogue
from tests.pages.test_comparing import opened
from tests.pages.test_heads import address, box, header, interpreted, payloads, said

EXAMPLE = catalogue.entry("dates").example
LINE = "Dates (ours) was made for other texts."


def test_the_opening_sentences_are_not_for_a_model_of_dates(app: AppTest):
    opened(app, model="dates")
    assert said(app, LINE)
    app.button(key="open-made-for").click().run()
    assert not app.exception and not said(app, LINE)
    assert [box(app, name).value for name in ("a", "b", "target_a", "target_b")] == [
        EXAMPLE.a,
        EXAMPLE.b,
        EXAMPLE.target_a,
        EXAMPLE.target_b,
    ]
    assert address(app)["role"] == "cross"
    layer, head = EXAMPLE.head
    assert f"Layer {layer} · Head {head}" in interpreted(app)
    sent = header(payloads(app)[1])
    assert "".join(token[0] for token in sent["tokens"]["a"]) == "<s>" + EXAMPLE.target_a


def test_other_texts_and_other_models_are_left_alone(app: AppTest):
    opened(app)
    assert not said(app, "was made for other texts")
    opened(app, model="dates", a="3 May 1999", b="")
    assert not said(app, LINE)


def test_the_example_is_among_the_examples_too(app: AppTest):
    app.session_state["examples"] = True
    opened(app, model="dates", a="3 May 1999", b="")
    assert said(app, "What Dates (ours) was made for.")
    app.button(key="open-pair-made-for").click().run()
    assert box(app, "a").value == EXAMPLE.a

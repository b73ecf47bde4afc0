"""Step by step, “Why √d”: the slider, the six scores, a link, what is saved."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnlab.analysis import scaling
from attnlab.ui import export
from attnlab.ui.export.menu import files
from attnlab.ui.root_d import about_curves, charts
from attnlab.viz.payload import unpack
from tests.pages.test_heads import address, said
from tests.ui.test_export import words_of
from tests.widgets import widget


@pytest.fixture(scope="module")
def drawn() -> scaling.Sample:
    return scaling.sample()


@pytest.fixture(scope="module")
def curves(drawn) -> scaling.Curves:
    return scaling.curves(drawn)


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The panel, opened straight from its address: no model is loaded for it."""
    return opened(app)


def opened(app: AppTest, **query: str) -> AppTest:
    app.switch_page("pages/step-by-step.py")
    app.query_params = {"show": "why", **query}
    app.run()
    assert not app.exception
    return app


def strips(app: AppTest) -> tuple[list[dict], dict[str, np.ndarray]]:
    """The rows of scores and of weights that were sent, and their arrays."""
    for element in app.get("bidi_component"):
        if element.proto.bytes:
            header, arrays = unpack(element.proto.bytes)
            if "sections" in header:
                return [strip for part in header["sections"] for strip in part["strips"]], arrays
    raise AssertionError("no strips on the page")


def test_the_slider_moves_scores_entropy_and_the_address(page: AppTest, drawn, curves):
    for d in (64, 1024):
        if d != 64:
            widget(page, "own_step-by-step_d").set_value(d).run()
        row = scaling.compared(drawn.of(d, 0), d)
        assert said(page, f"{row.entropy[1]:.3f} nats as they are, {row.entropy[0]:.3f} divided")
        for sentence in about_curves(curves, d):
            assert said(page, sentence)
        named, arrays = strips(page)
        sent = [arrays[strip["values"]] for strip in named]
        assert sent[0] == pytest.approx(row.scores[1], rel=1e-6)
        assert sent[1] == pytest.approx(row.scores[0], rel=1e-6)
        assert sent[2] == pytest.approx(row.weights[1], rel=1e-6)
        assert sent[3] == pytest.approx(row.weights[0], rel=1e-6)
    assert address(page) == {"show": "why", "d": "1024"}
    assert said(page, "√d is 32.")


def test_the_six_scores(page: AppTest):
    widget(page, "own_step-by-step_scores").set_value("six").run()
    assert not page.exception
    named, arrays = strips(page)
    hard, soft = (arrays[strip["values"]] for strip in named[2:])
    assert hard[0] == pytest.approx(0.9997, abs=1e-4)
    assert soft == pytest.approx([0.495, 0.016, 0.066, 0.163, 0.102, 0.157], abs=1e-3)
    assert address(page) == {"show": "why", "scores": "six"}
    assert not page.select_slider


def test_another_draw_has_other_scores_and_its_own_link(page: AppTest, drawn):
    page.button(key="draw-again").click().run()
    assert address(page) == {"show": "why", "draw": "1"}
    named, arrays = strips(page)
    assert arrays[named[0]["values"]] == pytest.approx(drawn.of(64, 1), rel=1e-6)


def test_a_length_between_the_steps_is_the_nearest_and_said(app: AppTest):
    opened(app, d="100")
    assert said(app, "The slider has no d = 100; this is the nearest, 96.")
    assert address(app) == {"show": "why", "d": "96"}
    opened(app, d="0")
    assert said(app, "The link's “d”")


def test_the_files_hold_the_curves_and_the_row(drawn, curves):
    row = scaling.compared(drawn.of(256, 3), 256)
    what = export.scaling(curves, row, 256, {"of": "random", "draw": 3}, charts(curves, 256))
    built = {kind: build() for kind, (build, *_) in files(what).items() if kind != "png"}
    body = json.loads(built["json"])
    assert body["shown"]["d"] == 256 and body["shown"]["draw"] == 3
    assert body["entropy"]["as they are"] == pytest.approx(curves.entropy[1].tolist(), rel=1e-8)
    assert body["shown"]["weights"]["divided by √d"] == pytest.approx(row.weights[0].tolist())
    assert built["csv"].decode().count("\n") > 4 * 2 * len(curves.sizes)
    assert "Entropy of the weights, in nats" in words_of(built["svg"])

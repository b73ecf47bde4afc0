"""Ablate with several heads and feed-forwards at once, and studies of them, under AppTest."""

from dataclasses import replace
from functools import partial

import pytest

from attnlab.ui import study
from attnlab.ui.ablate_selection import Ablate
from attnlab.ui.selection import Selection
from tests.pages.reading import opened, said
from tests.widgets import widget

TINY = "w5 w6 w7 w8 w9 w10 w11"


@pytest.fixture
def ablate(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, "pages/ablate.py")


def test_feed_forwards_join_the_heads_of_a_set(ablate, tiny_gemma):
    app = ablate(model=tiny_gemma, a=TINY, gone="L0H0", mlp="1")
    assert said(app, "random sets of 1 head and 1 feed-forward") and said(app, "; together")
    assert list(widget(app, "ablate-gone").value) == [(0, 0), (1, -1)]
    widget(app, "ablate-gone").set_value([(1, -1)]).run()
    assert "gone" not in app.query_params and "1" in app.query_params["mlp"]
    assert said(app, "random single feed-forwards")
    app.button(key="give-all-back").click().run()
    assert "mlp" not in app.query_params and said(app, "random single heads")


def test_a_feed_forward_that_cannot_be_set_so_stays(ablate, tiny_gemma):
    app = ablate(model=tiny_gemma, a=TINY, mlp="1", fill="uniform")
    assert said(app, "1 feed-forward of the set left as trained") and said(app, "heads, exactly")
    app = ablate(model=tiny_gemma, a=TINY, mlp="1.99")
    assert said(app, "Feed-forwards that this model does not have") and said(app, "single feed")
    assert "1" in app.query_params["mlp"]


def test_feed_forwards_that_are_not_in_the_box_stay_in_the_address(ablate, tiny_gemma):
    app = ablate(model=tiny_gemma, a=TINY, mlp="1", fill="uniform", gone="L0H0")
    widget(app, "ablate-gone").set_value([(0, 1)]).run()
    assert "L0H1" in app.query_params["gone"] and "1" in app.query_params["mlp"]


def test_a_set_is_no_larger_than_its_box(ablate, tiny_gemma, monkeypatch):
    monkeypatch.setattr("attnlab.ui.cards.ablate.gone.MAX_GONE", 2)
    monkeypatch.setattr("attnlab.ui.cards.ablate.tray.MAX_GONE", 2)
    app = ablate(model=tiny_gemma, a=TINY, gone="L0H0.L0H1", mlp="1")
    assert said(app, "Feed-forwards beyond the 2 parts of a set were left out")
    assert "mlp" not in app.query_params and said(app, "random sets of 2 heads")


def test_a_square_takes_a_head_or_a_feed_forward_away(monkeypatch):
    from attnlab.ui.cards.ablate import gone

    chosen = {"shared": Selection(gone=((2, 1),)), "own": Ablate(layers=(0,))}
    monkeypatch.setattr(gone.state, "chosen_now", lambda: chosen["shared"])
    monkeypatch.setattr(gone.own, "chosen_now", lambda page: chosen["own"])
    monkeypatch.setattr(
        gone.state, "choose", lambda **new: chosen.update(shared=replace(chosen["shared"], **new))
    )
    monkeypatch.setattr(
        gone.own, "choose", lambda page, **new: chosen.update(own=replace(chosen["own"], **new))
    )
    gone.toggle((3, -1))
    assert chosen["own"].layers == (0, 3) and chosen["shared"].gone == ((2, 1),)
    gone.toggle((2, 1))
    assert chosen["shared"].gone == () and chosen["shared"].chosen == (2, 1)
    gone.toggle((0, -1))
    assert chosen["own"].layers == (3,)


def test_a_study_of_a_model_that_is_not_there_leaves_the_page_as_it_was(ablate, tiny_gemma):
    from attnlab.ui.cards.ablate import study as card

    app = ablate(model=tiny_gemma, a=TINY, fill="mean")
    before = (Selection(model=tiny_gemma, a=TINY), Ablate(fill="mean"))
    app.session_state[card._BEFORE] = ("no/such-model", *before)
    app.query_params["model"] = "no/such-model"
    app.run()
    assert said(app, "The study was not opened:") and said(app, "heads, exactly")
    assert tiny_gemma in app.query_params["model"] and "mean" in app.query_params["fill"]
    app.session_state[card._BEFORE] = ("no/such-model", *before)  # its load was stopped
    app.query_params["model"] = "no/other-model"
    app.run()
    assert not said(app, "The study was not opened:") and not said(app, "heads, exactly")


def test_a_set_is_shown_beside_its_sum_and_given_back(ablate, tiny_gemma):
    app = ablate(model=tiny_gemma, a=TINY, gone="L0H0.L1H1")
    assert said(app, "if added up; together") and said(app, "random sets of 2 heads")
    app.button(key="give-all-back").click().run()
    assert "gone" not in app.query_params and said(app, "random single heads")
    app.button(key="toggle-head").click().run()
    assert app.query_params["gone"]


def test_figures_that_differ_are_told_apart():
    from attnlab.ui.cards.ablate.study import _apart

    assert _apart(0.19, 0.19003) == ("0.19", "0.19003")
    assert _apart(1.0, 1.0) == ("1.000", "1.000")


def test_a_study_opens_and_is_compared_with_its_new_run(ablate, tiny_gemma):
    from attnlab.ui.cards.ablate import study as card

    chosen = Selection(model=tiny_gemma, a=TINY, gone=((0, 0),))
    content = study.dump(
        chosen,
        Ablate(fill="mean"),
        edits=[],
        metric={},
        found={"together": 7.0},
        provenance={},
    )
    opened = study.load(content)
    app = ablate(model=tiny_gemma, a=TINY, gone="L0H0", fill="mean")
    app.session_state[card._SAVED] = {"together": opened.together, "of": None}
    app.run()
    assert said(app, "Saved: 7.000 nats; run again:") and said(app, "not the same")
    widget(app, "own_ablate_fill").set_value("zero").run()
    assert not said(app, "Saved: 7.000") and said(app, "heads, exactly")

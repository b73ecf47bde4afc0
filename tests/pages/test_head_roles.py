"""The page Head roles: the map, one head, made texts, the typed text; models of every kind."""

import json
from functools import partial

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from attnlab.analysis import roles
from attnlab.errors import Cancelled
from attnlab.ui import export
from attnlab.ui.engine import roles as engine_roles
from attnlab.ui.export.menu import files
from tests.pages.conftest import APP
from tests.pages.reading import diagrams, opened, said, sent, written

PAGE = "pages/head-roles.py"


@pytest.fixture
def page(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, PAGE)


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory):
    """Nothing is read from, or left in, the cache of whoever runs the tests."""
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("cache")
    patch.setattr("attnlab.ui.engine.kept.cache_folder", lambda: folder)
    yield
    patch.undo()


def test_an_encoder_and_what_its_heads_look_for(page):
    app = page(model="minilm-l6", head="L0H2")
    assert said(app, "from its threshold on: 0.15 to 0.7 of attention")
    assert said(app, "of 72 heads named") and said(app, "at most one is named")
    assert "previous token · 1" in written(app, 0) and "induction · 0" in written(app, 0)
    spots = diagrams(app)[0]["spots"]
    assert spots[2][4] == "L0 H2" and "previous token 1.00" in spots[2][5]
    assert said(app, "previous token · position only")
    assert {"previous token", "1.00", "threshold"} <= set(written(app, 1))
    assert said(app, "No next token is predicted here") and said(app, "gives each text a vector")
    assert said(app, "half move it by less than")
    heads = [header for header in sent(app) if "tokens" in header and "rows" in header]
    assert len(heads) == 2  # on the made text, and on the typed one

    # One role alone; of a head that is no match its text is shown all the same.
    app = page(model="minilm-l6", head="L0H2", only="next token")
    assert said(app, "Next token: the weight on the token just after") and said(app, "from 0.4 on")
    listed = next(header for header in sent(app) if "columns" in header)
    assert listed["columns"][0]["rows"][0][:2] == [1, 8]
    app.get_by_key("all-roles").click().run()
    assert "only" not in app.query_params and said(app, "Each square is a head")


def test_every_picture_is_kept_with_its_numbers(page, monkeypatch):
    kept = {}
    monkeypatch.setattr(export, "menu", lambda key, what, *rest: kept.update({key: what}))
    page(model="minilm-l6", head="L0H2")
    names = {"save-atlas", "save-scores", "save-probe", "save-typed", "save-gone"}
    assert set(kept) == names
    for what in kept.values():
        found = {kind: build() for kind, (build, *_) in files(what, dark=True).items()}
        assert {"png", "svg", "csv", "json"} <= set(found)
        assert b"</svg>" in found["svg"] and found["png"][1:4] == b"PNG"
    document = json.loads(files(kept["save-atlas"])["json"][0]())
    assert document["probes"]["induction"] == 12
    first = {"layer": 0, "head": 0, "role": "previous token"}
    assert first.items() <= document["rows"][0].items()
    assert len(document["rows"]) == 72 * 12


def test_an_encoder_decoder_has_roles_for_each_stack(page, tiny_t5):
    app = page(model=tiny_t5, a="w5 w6 w7", ta="w8 w9")
    assert said(app, "heads named") and said(app, "Not tried: ")
    app = page(model=tiny_t5, a="w5 w6 w7", ta="w8 w9", role="cross")
    assert said(app, "within one text") and not diagrams(app)
    app = page(model=tiny_t5, a="w5 w6 w7", ta="w8 w9", role="decoder", probe="induction")
    assert said(app, "Random words, then the same again.")
    assert any("as trained" in shape for header in diagrams(app) for shape in header["shapes"])


@pytest.mark.parametrize("family", ["tiny_bert", "tiny_bloom", "tiny_gemma"])
def test_models_of_other_kinds(page, request, family):
    app = page(model=request.getfixturevalue(family), a="w5 w6 w7 w8")
    assert said(app, "heads named")
    assert said(app, "has no loss") if family == "tiny_bert" else said(app, "The next word after")


def test_our_transformer_is_scored_by_itself(page, tiny_bert):
    app = page(model=tiny_bert, a="w5 w6 w7", ours="1")
    assert said(app, "heads named")


def test_stopped_it_is_asked_for_again(page, monkeypatch, tiny_gemma):
    st.cache_resource.clear()

    def stopped(*args, **options):
        raise Cancelled("Stopped.")

    with monkeypatch.context() as patch:
        patch.setattr(engine_roles.kept, "read", lambda *args: None)
        patch.setattr(engine_roles.roles, "measure", stopped)
        app = page(model=tiny_gemma, a="w5 w6 w7", only="itself")
        assert said(app, "Stopped.") and not diagrams(app)
    app.get_by_key("resume").click().run()
    assert not app.exception and said(app, "heads named")


def test_the_grid_of_heads_has_dots_once_roles_are_known(page, tiny_gemma, monkeypatch):
    page(model=tiny_gemma, a="w5 w6 w7")
    row = roles.HeadRole(1, 1, "induction", 0.9, 0.1, 0.3, None)
    found = roles.HeadRoles("tiny", "decoder", 0, (row,), (("induction", 12),))
    monkeypatch.setattr(engine_roles, "known", lambda reader: found)
    app = AppTest.from_file(str(APP), default_timeout=180)
    app.query_params["model"], app.query_params["a"] = tiny_gemma, "w5 w6 w7"
    app.run()
    assert not app.exception
    grid = next(header for header in sent(app) if "badges" in header)
    assert [badge[:3] for badge in grid["badges"]] == [[1, 1, "induction"]]


def test_a_link_that_is_not_understood_is_answered(page, tiny_gemma):
    app = page(model=tiny_gemma, a="w5 w6", only="nonsense", lesson="none")
    assert said(app, "“only” is none of") and said(app, "There is no experiment “none”")


def test_hostile_words_stay_words(page, tiny_gemma):
    app = page(model=tiny_gemma, a="<script>alert(1)</script> w5 **w6**")
    assert not app.exception and said(app, "The next word after")

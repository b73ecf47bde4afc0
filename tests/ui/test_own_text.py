"""A text that a model writes itself, to be read again: what it is, how long, and in a link."""

from dataclasses import replace

import pytest

from attnlab.ui import engine, own_link
from attnlab.ui.cost_selection import COST, HEATS, LONG, OWN, TEXTS, Cost
from attnlab.ui.engine import owntext
from attnlab.ui.engine.owntext import OPENING
from attnlab.ui.selection import DEFAULT


@pytest.fixture(scope="module")
def reader() -> engine.Reader:
    return engine.reader(replace(DEFAULT, model="schemes/rope"))


def test_it_is_what_the_model_generates_with_this_seed(reader):
    ids = owntext.ids_of(reader, 40, 0.7, 3)
    lab = reader.lab
    given = len(lab.tokens(OPENING))
    options = {"max_new_tokens": 40 - given, "capture": (), "temperature": 0.7, "seed": 3}
    assert ids == tuple(token.id for token in lab.generate(OPENING, **options).tokens)
    assert len(ids) == 40
    assert owntext.spelled(reader, ids[:given]) == f"<s>{OPENING}"


def test_another_seed_or_temperature_writes_another(reader):
    texts = {owntext.ids_of(reader, 40, *drawn) for drawn in ((0.7, 3), (0.7, 4), (1.3, 3))}
    assert len(texts) == 3


def test_it_writes_on_where_it_would_have_put_an_end(reader, monkeypatch):
    ids = owntext.ids_of(reader, 41, 0.7, 5)
    monkeypatch.setattr(reader.lab.model.config, "eos_token_id", ids[20], raising=False)
    assert len(owntext.ids_of(reader, 43, 0.7, 5)) == 43


def test_no_more_is_written_than_the_model_takes(reader, monkeypatch):
    monkeypatch.setattr(reader.lab, "longest", 37)
    assert len(owntext.ids_of(reader, 128, 1.0, 6)) == 37


@pytest.mark.parametrize(
    "value", [Cost(text=OWN, long=128, heat=1.0, luck=12), Cost(text=OWN, long=512)]
)
def test_a_link_keeps_how_it_was_drawn(value):
    assert own_link.parse(COST, own_link.format_own(COST, value)) == (value, ())


def test_what_a_link_cannot_mean_is_left_out():
    found, problems = own_link.parse(COST, {"heat": "9.9", "write": "127", "seed": "-1"})
    assert found == Cost() and len(problems) == 3
    assert Cost().heat in HEATS and Cost().long in LONG and Cost().text in TEXTS

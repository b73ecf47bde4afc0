"""What a model was made for, as a selection."""

from dataclasses import replace

import pytest

from attnlab.pretrained import catalogue
from attnlab.ui import example, link
from attnlab.ui.selection import DEFAULT, Selection

WITH = [item.name for item in catalogue.CATALOGUE.values() if item.example is not None]


def test_only_models_that_need_one_have_an_example():
    assert {"dates", "t5-small"} <= set(WITH)
    assert example.of("smollm2-135m") is example.of("nobody/nothing") is None


@pytest.mark.parametrize("name", WITH)
def test_it_is_offered_while_an_opening_sentence_stands(name: str):
    opening = replace(DEFAULT, model=name)
    shown = example.applied(example.wanted(opening), opening)
    assert example.wanted(shown) is None
    assert example.wanted(replace(opening, a="3 May 1999")) is not None  # B is still there
    assert example.wanted(replace(opening, a="3 May 1999", b="")) is None


@pytest.mark.parametrize("name", WITH)
def test_it_is_the_whole_of_the_texts_and_survives_a_link(name: str):
    before = Selection(model=name, position=3, key=1, gone=((0, 0),), experiment="street")
    shown = example.applied(example.of(name), before)
    wanted = catalogue.entry(name).example
    assert (shown.a, shown.b, shown.target_a, shown.target_b) == (
        wanted.a,
        wanted.b,
        wanted.target_a,
        wanted.target_b,
    )
    assert (shown.model, shown.key, shown.gone) == (name, None, ())
    assert shown.position == wanted.position
    assert shown.experiment == ""
    assert link.parse(link.format_url(shown)) == (shown, ())


def test_an_encoder_decoder_opens_at_its_cross_attention():
    shown = example.applied(example.of("dates"), replace(DEFAULT, model="dates"))
    assert (shown.role, shown.view, shown.mode) == ("cross", "A", "matrix")
    assert shown.chosen == example.of("dates").head
    assert example.applied(example.of("bert-base-uncased"), DEFAULT).role == ""

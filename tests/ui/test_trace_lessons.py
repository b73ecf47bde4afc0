"""The experiments of Trace a prediction: every claim recomputed; their links; when they end."""

import dataclasses

import pytest

import attnlab as al
from attnlab.analysis.attribution import attribute
from attnlab.analysis.effects import compare
from attnlab.analysis.lens import lens
from attnlab.analysis.meaning import meaning
from attnlab.analysis.metrics import LogitDifference, token_id
from attnlab.analysis.patching import activation_patching
from attnlab.ui import own_link
from attnlab.ui.selection import Selection
from attnlab.ui.trace_lessons import LESSONS, active, named
from attnlab.ui.trace_selection import TRACE, Traced


def texts(name: str) -> tuple[str, str]:
    shared = named(name).shared
    return shared["a"], shared.get("b", "")


def test_paris_leads_after_the_last_layer_and_one_head_puts_most_into_it(smollm2):
    words, _ = texts("paris")
    paris, berlin = (token_id(smollm2, word) for word in (" Paris", " Berlin"))
    assert lens(smollm2, words, (-1,), answer=paris).knew() == 29
    found = attribute(smollm2, words, paris, against=berlin).heads("decoder")
    assert found.loc[23, 4] == found.to_numpy().max() == pytest.approx(3.27, abs=0.01)
    token, before, after = compare(smollm2, words, al.ZeroHead(23, 4)).rows[0]
    assert token.text == " Paris"
    assert (before, after) == (pytest.approx(0.77, abs=0.01), pytest.approx(0.14, abs=0.01))


def test_one_head_carries_the_country(smollm2):
    metric = LogitDifference(" Paris", " Berlin")
    table = activation_patching(smollm2, *texts("country"), "z", metric=metric).table
    best = table.sort_values("share", ascending=False)
    first, second = best.iloc[0], best.iloc[1]
    assert (first.layer, first["head"]) == (23, 4)
    assert first.share == pytest.approx(0.89, abs=0.01)
    assert second.share == pytest.approx(0.25, abs=0.01)


def test_the_fact_leaves_its_word_after_layer_22(smollm2):
    a, b = texts("layers")
    metric = LogitDifference(" Paris", " Berlin")
    options = {"metric": metric, "positions": 3}
    stream = activation_patching(smollm2, a, b, "resid_post", **options).table
    assert (stream.token.str.strip() == "Germany").all()
    share = stream.set_index("layer").share
    assert share[:23].min() > 0.95 and share[23:].abs().max() < 0.07
    feeds = activation_patching(smollm2, a, b, "mlp_out", layers=0, **options).table
    assert float(feeds.share.iloc[0]) == pytest.approx(1.0, abs=0.02)


def test_it_becomes_two_words(minilm):
    found = meaning(minilm, *texts("it"), "it", toward=("animal",))
    assert found.lowest == (3, pytest.approx(0.80, abs=0.005))
    tired, wide = found.toward["animal"]
    assert (tired[3:] > wide[3:]).all()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_survives_its_link_and_ends_with_what_it_set_up(lesson):
    url = own_link.format_own(TRACE, lesson.value)
    assert own_link.parse(TRACE, url) == (lesson.value, ())
    shared = dataclasses.replace(Selection(), **lesson.shared)
    assert active(lesson.value, shared) == lesson
    assert active(lesson.value, dataclasses.replace(shared, a="Another text")) is None
    other = "one" if lesson.value.view == "word" else "word"
    assert active(dataclasses.replace(lesson.value, view=other), shared) is None
    assert not any(sign in lesson.look_for for sign in ("<", "*", "$"))


@pytest.mark.parametrize(
    ("name", "given"),
    [("show", "all"), ("stage", "x"), ("after", "-2"), ("spot", "3.4"), ("answer", "a" * 61)],
)
def test_what_a_link_cannot_mean_is_said_and_left_out(name, given):
    found, problems = own_link.parse(TRACE, {name: given})
    assert found == Traced() and len(problems) == 1 and f"“{name}”" in problems[0]

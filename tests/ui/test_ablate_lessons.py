"""The experiments of the page Ablate: every claim recomputed; their links; when they end."""

import dataclasses

import pytest

import attnlab as al
from attnlab.analysis.effects import compare
from attnlab.analysis.grow import grown
from attnlab.analysis.metrics import KL, LogitDifference
from attnlab.analysis.tray import together
from attnlab.ui import own_link
from attnlab.ui.ablate_lessons import LESSONS, active, named
from attnlab.ui.ablate_pattern import table, weights
from attnlab.ui.ablate_selection import ABLATE, Ablate
from attnlab.ui.masks_cells import Painted, applied
from attnlab.ui.selection import Selection


def text(name: str) -> str:
    return named(name).shared["a"]


def effects_of(lab, words, make, metric):
    heads = [(site.layer, head) for site in lab.sites for head in range(site.heads)]
    found = grown(lab, words, [(make(*head),) for head in heads], metric).values[0].tolist()
    return dict(zip(heads, found, strict=True))


@pytest.fixture(scope="module")
def zeroed(smollm2):
    return effects_of(smollm2, text("one-head"), al.ZeroHead, KL())


def test_two_squares_stand_out_and_one_of_them_hardly_counts_for_its_mean(smollm2, zeroed):
    assert len(zeroed) == 270
    first, second, third = sorted(zeroed, key=zeroed.get, reverse=True)[:3]
    assert (first, second) == ((23, 4), (0, 4))
    assert zeroed[second] > 0.7 * zeroed[first] and zeroed[third] < 0.3 * zeroed[second]
    token, before, after = compare(smollm2, text("one-head"), al.ZeroHead(23, 4)).rows[0]
    assert token.text == " Paris"
    assert (before, after) == (pytest.approx(0.773, abs=0.01), pytest.approx(0.141, abs=0.01))
    mean = compare(smollm2, text("one-head"), al.MeanHead(0, 4)).kl
    assert mean / zeroed[0, 4] == pytest.approx(0.1, abs=0.03)


def test_a_set_is_not_the_sum_of_its_heads(smollm2, zeroed):
    lesson = named("not-the-sum")
    heads = lesson.shared["gone"]
    found = together(smollm2, lesson.shared["a"], al.ZeroHead, heads, KL(), count=1)
    assert found.singles == (pytest.approx(0.24, abs=0.01), pytest.approx(1.20, abs=0.01))
    assert (found.sum, found.effect) == (
        pytest.approx(1.44, abs=0.02),
        pytest.approx(2.06, abs=0.02),
    )


def test_one_head_carries_the_country(smollm2):
    lesson = named("italy")
    a, b = lesson.shared["a"], lesson.shared["b"]
    metric = LogitDifference(" Paris", " Rome").resolved(smollm2)
    plain, other = (smollm2.run(words, capture=(), logits="last") for words in (a, b))
    apart = float(metric.value(plain) - metric.value(other))
    edit = al.ResampleHead(23, 4, b)
    changed = smollm2.run(a, capture=(), logits="last", edits=(edit,))
    lost = float(metric.value(plain) - metric.value(changed))
    assert (lost, apart) == (pytest.approx(12.8, abs=0.1), pytest.approx(13.3, abs=0.1))
    assert changed.next_tokens(1)[0][0].text == " Rome"
    # No other head comes near: four late ones, which the page shows next.
    for head in ((29, 1), (29, 0), (29, 2), (23, 5)):
        edited = smollm2.run(a, capture=(), logits="last", edits=(al.ResampleHead(*head, b),))
        assert abs(float(metric.value(plain) - metric.value(edited))) < 4


def test_a_head_that_looks_does_little(smollm2):
    lesson = named("looks")
    words, head = lesson.shared["a"], (lesson.shared["layer"], lesson.shared["head"])
    trace, at = smollm2.run(words), lesson.value.at
    street = next(place for place, token in enumerate(trace.tokens) if token.text == " street")
    assert trace.tokens[at].text == " wide"
    assert float(trace.weights[head][at, street]) == pytest.approx(0.46, abs=0.01)
    little = compare(smollm2, words, al.ZeroHead(*head), position=at).kl
    much = compare(smollm2, words, al.ZeroHead(25, 3), position=at).kl
    assert little == pytest.approx(0.008, abs=0.001) and 55 < much / little < 65


def test_made_to_look_elsewhere_a_head_says_something_else(smollm2):
    lesson = named("elsewhere")
    words, (head,) = lesson.shared["a"], lesson.shared["gone"]
    trace = smollm2.run(words)
    names = [token.text.strip() for token in trace.tokens]
    assert (names[2], names[3], names[4]) == ("of", "France", "is")
    assert int(trace.weights[head][4].argmax()) == 3

    def paris(cells):
        made = weights(applied(table(lesson.value.start, (5, 5), False), cells))
        edit = al.Pattern(*head, made.rows, positions=made.places)
        token, _, after = compare(smollm2, words, edit).rows[0]
        assert token.text == " Paris"
        return after

    assert paris(lesson.value.cells) == pytest.approx(0.023, abs=0.003)
    assert paris(Painted(shown=((4, 3),))) == pytest.approx(0.77, abs=0.01)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_survives_its_link_and_ends_with_what_it_set_up(lesson):
    url = own_link.format_own(ABLATE, lesson.value)
    assert own_link.parse(ABLATE, url) == (lesson.value, ())
    shared = dataclasses.replace(Selection(), **lesson.shared)
    assert active(lesson.value, shared) == lesson
    assert active(dataclasses.replace(lesson.value, metric="loss"), shared) is None
    assert active(lesson.value, dataclasses.replace(shared, a="Another text")) is None
    assert not any(sign in lesson.look_for for sign in ("<", "*", "$"))


def test_the_first_lesson_lives_through_what_it_asks_for():
    lesson = named("one-head")
    shared = dataclasses.replace(Selection(), **lesson.shared)
    assert active(dataclasses.replace(lesson.value, fill="mean"), shared) == lesson
    assert active(Ablate(), Selection()) is None and named("nothing") is None


@pytest.mark.parametrize(
    ("name", "given"),
    [("fill", "burn"), ("metric", "x"), ("after", "-2"), ("token", "a" * 61), ("after", "9" * 9)],
)
def test_what_a_link_cannot_mean_is_said_and_left_out(name, given):
    found, problems = own_link.parse(ABLATE, {name: given})
    assert found == Ablate() and len(problems) == 1 and f"“{name}”" in problems[0]

"""The experiments of Generate: every claim recomputed; their links; when they end."""

import dataclasses

import pytest

import attnlab as al
from attnlab.ui import own_link
from attnlab.ui.generate_lessons import LESSONS, active, named
from attnlab.ui.generate_runs import keep_of
from attnlab.ui.generate_selection import GENERATE, Generate, until, with_choice
from attnlab.ui.selection import Selection


def run(lab, name: str, edits=(), *, head=True, **more):
    """The text of an experiment's prompt, as far as it is written, and its head's weights."""
    lesson = named(name)
    value, shared = lesson.value, lesson.shared
    roles = {"roles": shared["role"]} if "role" in shared else {}
    of = {"layers": shared["layer"], "heads": shared["head"], **roles}
    generation = lab.steps(
        shared["a"],
        cache=more.get("cache"),
        capture=al.Capture("weights", **of),
        edits=edits,
        temperature=value.heat,
        top_p=value.topp if value.topp < 1 else None,
        seed=value.seed,
    )
    list(generation.play(more.get("count", value.made)))
    return generation, generation.weights(shared["layer"], shared["head"], shared.get("role"))


def written(generation) -> str:
    return "".join(token.text for token in generation.tokens[generation.prompt :])


def test_it_copies_with_a_head_that_is_one_ahead(smollm2):
    generation, weights = run(smollm2, "copy")
    assert written(generation) == " tulip."
    words = [token.text for token in generation.tokens]
    for place, looked in ((-4, " tul"), (-3, "ip"), (-2, ".")):
        most = int(weights[place, 1:].argmax()) + 1
        assert words[most] == looked and weights[place, most] > 0.8
        assert words[len(words) + place + 1] == looked


def test_the_same_draw_gives_another_word_without_the_head(smollm2):
    plain, _ = run(smollm2, "luck")
    edited, _ = run(smollm2, "luck", (al.ZeroHead(23, 4),))
    assert plain.steps()[0].token.text == " Paris"
    assert edited.steps()[0].token.text == " Rome"


def test_a_cache_without_the_first_token_falls_apart_and_with_it_holds(smollm2):
    value = named("sinks").value
    last, ends = (keep_of(dataclasses.replace(value, cache=cache)) for cache in ("last", "ends"))
    assert last.capacity == ends.capacity == 12
    plain, resting = run(smollm2, "sinks")
    broken, lost = run(smollm2, "sinks", cache=last)
    held, kept = run(smollm2, "sinks", cache=ends)
    assert written(held) == written(plain) != written(broken)
    same = [one == other for one, other in zip(broken.ids, plain.ids, strict=True)]
    assert all(same[: last.capacity + 1])  # what is written while the first token is there
    assert "HeHe" in written(broken)
    loss = [_loss(smollm2, one) for one in (plain, broken)]
    assert loss[1] > loss[0] + 2
    assert min(resting[:, 0].min(), kept[:, 0].min()) > 0.99 and lost[last.capacity, 0] == 0


def _loss(lab, generation) -> float:
    """Nats a token that the model as trained gives a continuation."""
    trace = lab.run(generation.ids, capture=(), logits="loss")
    return float(trace.losses[generation.prompt - 1 :].mean())


def test_a_date_is_read_while_it_is_written():
    generation, weights = run(al.load("dates"), "date", count=20)
    assert written(generation).startswith("1994-05-03")
    (row,) = [at for at, token in enumerate(generation.tokens) if token.text == "5"]
    source = [token.text for token in generation.source_tokens]
    assert source[int(weights[row - 1].argmax())] == "M" and weights[row - 1].max() > 0.99


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_survives_its_link_and_ends_with_what_it_set_up(lesson):
    url = own_link.format_own(GENERATE, lesson.value)
    assert own_link.parse(GENERATE, url) == (lesson.value, ())
    shared = dataclasses.replace(Selection(), **lesson.shared)
    assert active(lesson.value, shared) == lesson
    assert active(lesson.value, dataclasses.replace(shared, a="Another text")) is None
    assert active(dataclasses.replace(lesson.value, made=9, at=2), shared) == lesson
    assert active(dataclasses.replace(lesson.value, edits=("flat",)), shared) is None
    assert not any(sign in lesson.look_for for sign in ("<", "*", "$"))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *[("runs", "three"), ("made", "-1"), ("chose", "300.1"), ("chose", "x")],
        *[("heat", "0.123"), ("topp", "0"), ("edits", "heads.x"), ("as", "x"), ("every", "1")],
    ],
)
def test_what_a_link_cannot_mean_is_said_and_left_out(name, given):
    found, problems = own_link.parse(GENERATE, {name: given})
    assert found == Generate() and len(problems) == 1 and f"“{name}”" in problems[0]


def test_every_value_survives_its_link():
    value = Generate("two", 7, 9, ((0, 5), (3, 99)), ((2, 1),), 0.85, 40, 0.9, 12)
    value = dataclasses.replace(value, edits=("heads", "flat"), window=3, sinks=2, at=4, every=True)
    value = dataclasses.replace(value, cache="ends", held=9, first=3)
    assert own_link.parse(GENERATE, own_link.format_own(GENERATE, value)) == (value, ())
    assert until(value.chose, 3) == ((0, 5),)
    assert with_choice(value.chose, 3, 8) == ((0, 5), (3, 8))

"""The experiments of the page Masks: every claim recomputed; their links; when they end."""

import dataclasses

import numpy as np
import pytest

from attnlab.analysis import effects, masking, reach
from attnlab.analysis.by_position import loss_by_position
from attnlab.analysis.edited import edited
from attnlab.analysis.passage import passage
from attnlab.ui import masks_lessons, masks_long, own_link
from attnlab.ui.masks_cells import NOTHING
from attnlab.ui.masks_lessons import LESSONS, active, named
from attnlab.ui.masks_long import Mean, means, repaired
from attnlab.ui.masks_selection import MASKS, PANELS, SOURCES, Masks
from attnlab.ui.selection import Selection


def test_three_words_and_the_answer_that_is_painted_in():
    value = named("three-words").value
    visible = value.pattern.table(len(value.words.split()))
    weights = masking.weigh(masking.THREE_SCORES, visible)
    assert weights[0].tolist() == [1, 0, 0]
    visible[0, 1] = True
    assert masking.weigh(masking.THREE_SCORES, visible)[0, 1] > 0.5


def test_seventy_of_136_and_one_in_16():
    value = named("seventy").value
    n = len(value.words.split())
    assert (value.pattern.count(n), masking.full_count(n)) == (70, 136)
    assert masking.full_count(value.far) / value.far_pattern.count(value.far) == pytest.approx(
        16, abs=0.5
    )


def test_five_layers_reach_the_first_of_sixteen_words():
    value = named("layers").value
    held = reach.reached(value.pattern.table(16), value.layers)
    back = [reach.reach(one, value.row).back for one in held]
    assert back == [0, 3, 6, 9, 12, 15]


def _mask_of(lesson, lab):
    """The edit that an experiment of "In the model" makes."""
    value, text = lesson.value, lesson.shared["a"]
    cells = {"shown": value.painted.shown, "hidden": value.painted.hidden}
    return text, value.pattern.mask(len(lab.tokens(text)), **cells)


def test_one_hidden_cell_takes_paris_away(smollm2):
    text, mask = _mask_of(named("one-cell"), smollm2)
    assert (len(mask.hidden), smollm2.tokens(text)[0].text) == (1, "The")
    found = effects.compare(smollm2, text, mask)
    token, before, after = found.rows[0]
    assert token.text == " Paris" and before == pytest.approx(0.773, abs=0.01) and after < 0.005


def test_with_the_answer_in_sight_the_loss_falls_to_a_tenth(smollm2):
    text, mask = _mask_of(named("answer"), smollm2)
    found = edited(smollm2, text, (mask,), "decoder")
    assert 0.05 < found.after.mean() / found.before.mean() < 0.15


@pytest.fixture(scope="module")
def long_text(smollm2):
    """Means of the second half of Ruth's first 512 tokens: of the ways of both experiments."""
    first, layouts = named("first-word").value, named("layouts").value
    assert (first.length, first.wide) == (layouts.length, layouts.wide) == (512, 64)
    ids = [token.id for token in smollm2.tokens(passage(first.source))][: first.length]
    ways = (*masks_long.sinks(first), masks_long.layouts(layouts, smollm2.layers())[2])
    curves = [loss_by_position(smollm2, ids, edits=way.edits).values.numpy() for way in ways]
    return {one.name: one.nats for one in means(ways, curves, len(ids))}


def test_one_kept_word_undoes_most_of_what_the_window_does(long_text):
    whole, lost, kept, mixed = long_text.values()
    assert lost - whole > 2
    assert 0.8 < (lost - kept) / (lost - whole) < 0.95
    # Full attention in every fifth layer: some of it, and far less.
    assert 0.3 < (lost - mixed) / (lost - whole) < 0.5


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_survives_its_link_and_ends_with_what_it_set_up(lesson):
    url = own_link.format_own(MASKS, lesson.value)
    assert own_link.parse(MASKS, url) == (lesson.value, ())
    shared = dataclasses.replace(Selection(), **lesson.shared)
    assert active(lesson.value, shared) == lesson
    other = next(panel for panel in PANELS if panel != lesson.value.panel)
    assert active(dataclasses.replace(lesson.value, panel=other), shared) is None
    assert not any(sign in lesson.look_for for sign in ("<", "*", "$"))


def test_what_a_lesson_does_not_speak_of_may_change():
    lesson = named("seventy")
    assert active(dataclasses.replace(lesson.value, far=1_000), Selection()) == lesson
    assert active(dataclasses.replace(lesson.value, window=5), Selection()) is None
    assert active(Masks(), Selection()) is None and masks_lessons.named("nothing") is None


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("mask", "round"),
        ("w", "0"),
        ("cells", "x"),
        ("n", "1048577"),
        ("length", "1000"),
        ("global", "0.99"),
        ("heads", "0..1"),
        ("windows", "open"),
        ("text", "moby-dick"),
    ],
)
def test_what_a_link_cannot_mean_is_said_and_left_out(name, given):
    found, problems = own_link.parse(MASKS, {name: given})
    assert found == Masks()
    assert len(problems) == 1 and f"“{name}”" in problems[0]


def test_the_defaults_can_be_chosen():
    value = Masks()
    assert value.cells is NOTHING and value.source in SOURCES
    assert len(value.words.split()) == 16


def test_full_layers_are_the_last_of_each_group():
    assert masks_long.full_layers(range(30), 5) == (4, 9, 14, 19, 24, 29)
    assert masks_long.full_layers(range(3), 5) == ()
    ways = masks_long.layouts(dataclasses.replace(Masks(), every=2, hold=3), range(4))
    assert [way.name for way in ways] == ["full", "window everywhere", "every 2nd full"]
    assert ways[2].edits[0].layers == (0, 2) and ways[2].edits[0].sinks == 3


@pytest.mark.parametrize(
    ("nats", "said"),
    [
        ((2.8, 3.8, 2.9), "takes 90% of that back"),
        ((2.8, 3.8, 4.0), "makes it worse"),
        ((2.8, 2.8, 2.8), "nothing to repair"),
    ],
)
def test_what_is_repaired_is_said_as_it_is(nats, said):
    ways = [Mean(name, value) for name, value in zip("abc", nats, strict=True)]
    assert said in repaired(ways)
    assert repaired(ways[:2]) == ""


def test_means_are_of_the_second_half():
    way = masks_long.full()
    (found,) = means([way], [np.array([9.0, 9.0, 1.0, 3.0])], 4)
    assert found == Mean("full", 2.0)

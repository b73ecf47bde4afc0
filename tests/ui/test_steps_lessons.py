"""The experiments of Step by step: what each sentence claims is computed again."""

from dataclasses import replace

import pytest
import torch

from attnlab.attention.because import Cell, why
from attnlab.attention.steps import Steps, multiplications, work
from attnlab.ui import steps_lessons
from attnlab.ui.selection import DEFAULT
from attnlab.ui.steps_presets import NAMES, PRESETS, families, preset, variants
from attnlab.ui.steps_selection import STEP_BY_STEP, StepByStep, example_of

DOG, BITES, MAN = range(3)


def opened(name: str) -> Steps:
    """The example that a lesson shows."""
    return work(example_of(steps_lessons.named(name)[1].value).worked)


def test_every_lesson_opens_something_that_is_there():
    names = [one.name for lesson in steps_lessons.LESSONS for one in lesson.stages]
    assert len(set(names)) == len(names)
    assert 2 <= len(steps_lessons.of("by-hand")) <= 4
    for name in (one.name for lesson in steps_lessons.of("by-hand") for one in lesson.stages):
        value = steps_lessons.named(name)[1].value
        assert example_of(value).problems == ()
        assert why(opened(name), value.cell)
        assert steps_lessons.active(value, DEFAULT)[1].name == name
        assert value.step == value.cell.matrix  # the cell is on the picture


def test_a_lesson_ends_when_what_it_set_up_is_changed():
    value = steps_lessons.named("blur")[1].value
    assert steps_lessons.active(replace(value, step="q", cell=None, sharp="4"), DEFAULT)
    for change in ({"heads": 2}, {"causal": True}, {"preset": "cat"}, {"values": 2}):
        assert steps_lessons.active(replace(value, **change), DEFAULT) is None


def test_one_word_decides():
    tired, wide = opened("tired"), opened("wide")
    assert tired.weights[0, 2, 0] > 0.9 and wide.weights[0, 2, 1] > 0.9
    assert tired.weights[0, 2, 0] == wide.weights[0, 2, 1]  # "the same weight"
    for name in ("w_q", "w_k", "w_v", "w_o", "k", "v"):  # "only the question"
        assert torch.equal(getattr(tired, name), getattr(wide, name))
    assert torch.equal(tired.x[:2], wide.x[:2])


def test_not_looking_ahead():
    ahead, masked = opened("ahead"), opened("masked")
    assert (ahead.weights[0, 0] > 0.1).all()
    assert masked.weights[0, 0].tolist() == [1, 0, 0, 0]
    assert torch.equal(ahead.weights[0, 3], masked.weights[0, 3])
    assert torch.equal(ahead.z[0, 3], masked.z[0, 3])


def test_where_to_look_and_what_to_take():
    where, take = opened("where"), opened("take")
    assert torch.equal(where.weights, take.weights)
    assert (where.z[0, 3] != take.z[0, 3]).any()
    assert int((where.w_v != take.w_v).sum()) == 1


def test_one_head_blurs_what_two_keep_apart():
    blur, turned, apart = opened("blur"), opened("blur-turned"), opened("apart")
    one = blur.weights[0, BITES]
    assert one[DOG] == one[MAN] and one[DOG] > 0.49
    assert blur.joined[BITES].unique().numel() == 1  # dog and man alike, biting and bitten
    assert torch.equal(blur.joined[BITES], turned.joined[BITES])
    before, after = apart.weights[:, BITES]
    assert before[DOG] > 0.95 and after[MAN] > 0.95
    bites, man_bites, dog_bitten, bitten = apart.joined[BITES]
    assert min(bites, bitten) > 0.95 and max(man_bites, dog_bitten) < 0.05
    for name in ("x", "w_q", "w_k", "w_v", "w_o", "q", "k", "v"):
        assert torch.equal(getattr(blur, name), getattr(apart, name))
    assert multiplications(blur.example) == multiplications(apart.example)


def test_one_head_has_to_blur_whatever_its_matrices_are():
    """A row of weights adds up to 1: of two relations, one gets half of it at most."""
    draw = torch.Generator().manual_seed(0)
    start = replace(preset("dog").example, heads=1)
    for _ in range(200):
        w_q, w_k = (8 * torch.randn(5, 2, generator=draw, dtype=torch.float64) for _ in "qk")
        tried = replace(start, w_q=as_rows(w_q), w_k=as_rows(w_k))
        row = work(tried).weights[0, BITES]
        assert min(row[DOG], row[MAN]) <= 0.5 + 1e-12


def as_rows(matrix: torch.Tensor) -> tuple:
    return tuple(map(tuple, matrix.tolist()))


def test_presets_have_names_for_all_or_none_of_their_numbers():
    assert len(set(NAMES)) == len(PRESETS)
    for one in PRESETS:
        example = one.example
        sizes = (
            (one.features, example.size("x")[1]),
            (one.asks, example.size("w_q")[1]),
            (one.hands_on, example.size("w_v")[1]),
            (one.results, example.size("w_o")[1]),
        )
        assert all(len(names) in (0, size) for names, size in sizes)
        assert one in variants(one.family) and variants(one.family)[0] in families()
    assert [one.family for one in families()] == ["decides", "cat", "colours", "bite"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("values", [None, 1, 3, 6])
def test_every_setting_of_the_switches_gives_an_example(name, heads, values):
    example = example_of(StepByStep(preset=name, heads=heads, values=values))
    columns = example.worked.size("w_v")[1]
    assert columns % heads == 0
    assert work(example.worked).out.isfinite().all()


def test_the_page_opens_on_what_its_readers_can_spell():
    assert STEP_BY_STEP.default == StepByStep()
    assert example_of(StepByStep()).worked == preset("tired").example == PRESETS[0].example
    assert Cell("weights", 2, 0) == steps_lessons.named("tired")[1].value.cell

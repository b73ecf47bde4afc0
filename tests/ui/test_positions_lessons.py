"""The experiments of the Positions page: every claim recomputed; their links; when they end."""

import dataclasses

import numpy as np
import pytest

from attnlab.analysis import by_position, effects, passage, permuted
from attnlab.analysis.edited import edited
from attnlab.pretrained.load import load
from attnlab.trace import Positions as Edit
from attnlab.ui import own_link, positions_lessons
from attnlab.ui.engine import positions as engine
from attnlab.ui.engine.schemes import SCHEMES, TRAINED
from attnlab.ui.positions_lessons import LESSONS, active, named
from attnlab.ui.positions_selection import POSITIONS
from attnlab.ui.selection import SENTENCE_A, Selection


def test_attention_without_positions_and_mask_cannot_tell_who_bit_whom():
    value = named("who-bit-whom").value
    words = value.words.split()
    places = permuted.ordered(value.order, len(words))
    assert [words[at] for at in places] == ["man", "bites", "dog"]
    assert permuted.ours(words, places, "bare").largest < 1e-5
    assert permuted.ours(words, places, "mask").largest > 0.1


def test_the_angle_from_p_to_p_plus_k_is_the_same_everywhere():
    value = named("going-on").value
    turned = [
        engine.angles(value.width, value.base, p + value.by)
        - engine.angles(value.width, value.base, p)
        for p in (0, value.at, 100)
    ]
    assert np.ptp(np.stack(turned), axis=0).max() < 1e-9
    assert turned[0].min() > 0


def test_interpolation_leaves_no_angle_that_training_never_showed():
    value = named("stretched").value
    length = value.trained * value.factor
    assert (value.trained, length) == (128, 512)
    options = (value.long, value.base)
    scaled = engine.turned(*options, value.scaling, value.factor, value.trained, length)[2]
    plain = engine.turned(*options, "none", 1, value.trained, length)[2]
    assert not any(scaled) and any(plain)
    # "the slow ones": the pairs that meet new angles are the last of all.
    assert plain == sorted(plain)


def test_told_that_all_stands_a_hundred_further_on_smollm2_predicts_the_same(smollm2):
    value = named("shift").value
    moved = effects.compare(smollm2, SENTENCE_A, (Edit("shifted", offset=value.offset),))
    assert moved.kl < 1e-6


def test_without_positions_the_heads_that_look_one_word_back_change_most(smollm2):
    assert named("untold").value.edit == "none"
    found = edited(smollm2, SENTENCE_A, (Edit("none"),), "decoder")
    plain, bare = (
        smollm2.run(SENTENCE_A, edits=edits, logits=None) for edits in ((), (Edit("none"),))
    )

    def back(trace, layer, head):
        return float(trace.weights[layer, head].diagonal(-1).mean())

    every = [(back(plain, layer, head), (layer, head)) for layer, head, _ in found.order]
    one_back = {head for weight, head in every if weight > 0.5}
    first = [head[:2] for head in found.order[:4]]
    assert set(first) <= one_back
    assert all(back(bare, *head) < 0.5 * back(plain, *head) for head in first)


def test_five_schemes_part_ways_beyond_their_training(packaged_models):
    value = named("eightfold").value
    length = value.times * TRAINED
    assert (TRAINED, length) == (64, 512)
    text = passage.passage(value.text)
    inside, beyond, stopped = {}, {}, {}
    for scheme in SCHEMES:
        found = by_position.average_by_position(load(f"schemes/{scheme}"), text, length, step=512)
        inside[scheme] = float(found.mean[32:63].mean())
        beyond[scheme] = float(found.mean[448:].mean()) if len(found.mean) > 448 else None
        stopped[scheme] = found.stopped
    assert stopped == dict.fromkeys(SCHEMES) | {"learned": 64} and beyond["learned"] is None
    rise = {name: beyond[name] - inside[name] for name in SCHEMES if name != "learned"}
    # The same words stand at other positions, so a little is due to them.
    assert rise["sinusoidal"] > 1 and rise["sinusoidal"] > rise["rope"] + 0.3
    assert rise["rope"] > rise["alibi"] + 0.15
    assert abs(rise["alibi"]) < 0.15


@pytest.mark.parametrize("lesson", LESSONS, ids=[lesson.name for lesson in LESSONS])
def test_a_link_reopens_it_and_any_change_ends_it(lesson):
    url = own_link.format_own(POSITIONS, lesson.value)
    value, problems = own_link.parse(POSITIONS, url)
    assert value == lesson.value and not problems
    selection = dataclasses.replace(Selection(), **lesson.shared)
    assert active(value, selection) is lesson
    for name in positions_lessons.set_up(lesson):
        other = dataclasses.replace(value, **{name: "other"})
        assert active(other, selection) is None
    for name in lesson.shared:
        assert active(value, dataclasses.replace(selection, **{name: "other"})) is None

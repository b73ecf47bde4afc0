"""The experiments of the Cost page: every claim recomputed; their links; when they end."""

import dataclasses

import numpy as np
import pytest

import attnlab as al
from attnlab import recall
from attnlab.analysis import in_tiles, masking, streaming
from attnlab.analysis.measured import apart
from attnlab.analysis.passage import passage
from attnlab.analysis.published import PUBLISHED
from attnlab.analysis.sizes import outweighs
from attnlab.ui import cost_lessons, own_link
from attnlab.ui.cards.cost import cache_long
from attnlab.ui.cost_lessons import LESSONS, active, named
from attnlab.ui.cost_selection import COST, Cost
from attnlab.ui.engine.forgetting import CHUNK
from attnlab.ui.selection import Selection


def test_twice_the_text_is_four_times_the_scores_and_naive_memory_follows():
    assert masking.full_count(4_096) / masking.full_count(2_048) == pytest.approx(4, rel=1e-3)
    jobs = [(way, n) for n in (2_048, 4_096) for way in ("naive", "tiled")]
    taken = {(one.way, one.n): one.bytes for one in apart.measure(jobs)}
    assert taken["naive", 4_096] / taken["naive", 2_048] > 3.3
    assert taken["tiled", 4_096] / taken["tiled", 2_048] < 2.5


def test_by_the_last_tile_every_row_is_as_if_it_had_been_read_at_once(smollm2):
    lesson, shown = named("same-numbers"), Selection()
    site = next(site for site in smollm2.sites if site.layer == shown.layer)
    kept = in_tiles.captures(site, shown.head, smollm2.stages)
    trace = smollm2.run(shown.a, capture=kept, logits=None)
    found = in_tiles.in_tiles(trace, site, shown.head, lesson.value.tile, 24)
    masked = trace.role("decoder").masked[site.layer, shown.head].double()
    ends = [step for step in found.steps if step.keys[1] == found.keys]
    highest = np.concatenate([step.highest for step in ends])
    total = np.concatenate([step.total for step in ends])
    np.testing.assert_allclose(highest, masked.amax(-1), rtol=1e-5)
    sums = (masked - masked.amax(-1, keepdim=True)).exp().sum(-1)
    np.testing.assert_allclose(total, sums, rtol=1e-5)
    assert found.corrected > 0, "a tile that corrects nothing would show nothing"


def test_from_where_on_the_cache_of_llama_2_is_heavier_than_the_model():
    llama = PUBLISHED[named("outgrows").value.of]
    first = outweighs(llama.total * llama.number_bytes, llama.cache)
    assert f"{first:,}" in named("outgrows").look_for
    shared = dataclasses.replace(llama, decoder=dataclasses.replace(llama.decoder, kv_heads=8))
    assert llama.cache == 4 * shared.cache
    assert first <= named("outgrows").value.length


def test_without_its_first_tokens_a_cache_fails_and_with_four_of_them_it_hardly_does(smollm2):
    value, ours = named("keep-the-first").value, al.rebuild(smollm2)
    text = passage(value.text)[: 8 * value.read]
    ids = [token.id for token in smollm2.tokens(text)][: value.read]
    whole, *forgetting = cache_long.ways_of(value)
    assert whole.keep is None, "which is one run of the whole text, and sooner done"
    losses = [smollm2.run(ids, capture=(), logits="loss").losses]
    losses += [streaming.read(ours, ids, cache=way.keep, chunk=CHUNK) for way in forgetting]
    all_kept, last, first = (float(one[value.read // 2 :].mean()) for one in losses)
    assert 1.7 < last / all_kept < 2.1
    assert (last - first) / (last - all_kept) > 0.75


def test_softmax_finds_again_what_a_fixed_state_cannot_hold():
    value, told = named("find-it-again").value, recall.measured()
    at = told["pairs"].index(value.pairs)
    mean = {name: np.mean([row[at] for row in rows]) for name, rows in told["accuracy"].items()}
    pairs = recall.random_pairs(value.pairs, value.drawn)
    live = {
        name: np.mean([one.right for one in recall.answers(recall.load(name, value.seed), pairs)])
        for name in recall.MODELS
    }
    for share in (mean, live):
        assert share["softmax"] > 0.93 and share["hybrid"] > 0.93
        assert 0.1 < share["state-space"] < 0.85 and 0.1 < share["linear"] < 0.85
        assert share["window"] < 0.15


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_survives_its_link(lesson):
    url = own_link.format_own(COST, lesson.value)
    value, problems = own_link.parse(COST, url)
    assert (value, problems) == (lesson.value, ())
    shared = dataclasses.replace(Selection(), **lesson.shared)
    assert active(value, shared) == lesson
    assert not any(sign in lesson.look_for for sign in ("<", "*", "$"))


def test_a_lesson_ends_where_what_it_set_up_is_changed():
    lesson = named("outgrows")
    assert active(dataclasses.replace(lesson.value, length=128), Selection()) is None
    assert active(dataclasses.replace(lesson.value, tile=2), Selection()) == lesson
    assert active(Cost(), Selection()) is None
    assert cost_lessons.named("nothing") is None

"""The experiments of the Architecture page: every claim recomputed; their links; when they end."""

import dataclasses

import pytest

from attnlab.analysis import anatomy, sight
from attnlab.analysis.paths import Full, Recurrent
from attnlab.analysis.sizes import preset
from attnlab.pretrained.catalogue import lookup
from attnlab.ui import architecture_lessons, engine, own_link
from attnlab.ui.architecture_lessons import LESSONS, active, named
from attnlab.ui.architecture_selection import ARCHITECTURE, LENGTHS, WINDOWS, Architecture
from attnlab.ui.engine import written
from attnlab.ui.selection import Selection


def test_two_thirds_of_a_gpt2_block_are_feed_forward():
    block = preset(named("two-thirds").value.of).block
    whole = sum(block.values())
    assert block["feed_forward"] / whole == pytest.approx(2 / 3, abs=0.002)
    assert block["attention"] < block["feed_forward"]


def test_smollm2_keeps_a_third_of_what_multi_head_would(smollm2):
    lesson = named("a-third")
    assert lesson.shared["model"] == "smollm2-135m"
    heads = anatomy.of_model(smollm2, *smollm2.structure(), None, "decoder", 4).heads
    assert (heads.heads, heads.kv_heads) == (9, 3)
    assert 3 * heads.cache() == heads.cache(heads.heads)


def test_the_cache_of_llama_2_outweighs_the_model_fivefold():
    value = named("outweighs").value
    llama = preset(value.of)
    heads = anatomy.of_preset(llama, 1).heads
    weights = llama.total * llama.number_bytes
    assert heads.cache() * value.length / weights == pytest.approx(5, abs=0.15)
    assert 4 * heads.cache(8) == heads.cache()
    assert heads.cache() * value.length == 64 * 2**30


def test_attention_takes_one_step_where_a_recurrent_network_takes_one_a_word():
    for n in (2, 1_024, 131_072):
        assert Recurrent().path(n) == Recurrent().steps(n) == n
        assert Full().path(n) == Full().steps(n) == 1
    assert Full().work(131_072) > 10_000 * Recurrent().work(131_072)


def test_a_decoder_s_table_is_nearly_half_blank_and_an_encoder_s_is_full():
    assert 0.4 < 1 - sight.table("decoder", 13).double().mean() < 0.5
    assert sight.table("encoder", 13).all()


@pytest.mark.parametrize(
    "date", [named("month").value.date, "2026 JUL 3", "July 3rd, 2026 (Friday)"]
)
def test_the_head_that_is_shown_looks_at_the_month_and_the_year_wherever_they_stand(date):
    reader = engine.with_role(engine.reader(Selection(model="dates")), "cross")
    told = written.written(reader, date, "The date", 16)
    assert told.text == "2026-07-03"
    found = {look.part.name: look for look in told.looks[told.best]}
    assert found["the month"].span.text.lower() in ("july", "jul")
    assert found["the year"].span.text == "2026"
    assert told.best == lookup("dates").example.head
    assert min(found["the month"].weight, found["the year"].weight) > 0.5


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_survives_its_link(lesson):
    url = own_link.format_own(ARCHITECTURE, lesson.value)
    value, problems = own_link.parse(ARCHITECTURE, url)
    assert (value, problems) == (lesson.value, ())
    shared = dataclasses.replace(Selection(), **lesson.shared)
    assert active(value, shared) == lesson
    assert not any(figure in lesson.look_for for figure in ("<", "*", "$"))


def test_a_lesson_ends_where_what_it_set_up_is_changed():
    lesson = named("outweighs")
    shorter = dataclasses.replace(lesson.value, length=4_096)
    assert active(shorter, Selection()) is None
    assert active(named("a-third").value, Selection(model="minilm-l6")) is None
    assert active(dataclasses.replace(lesson.value, window=8), Selection()) == lesson
    assert active(Architecture(), Selection()) is None
    assert architecture_lessons.named("nothing") is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("length", "4095"),
        ("window", "٨"),
        ("n", "0"),
        ("n", "999999999"),
        ("of", "gpt-5"),
        ("length", ""),
    ],
)
def test_what_a_link_cannot_mean_is_said_and_left_out(name, value):
    found, problems = own_link.parse(ARCHITECTURE, {name: value})
    assert found == Architecture()
    assert len(problems) == 1 and f"“{name}”" in problems[0]


def test_the_defaults_can_be_chosen():
    assert Architecture().length in LENGTHS
    assert Architecture().window in WINDOWS
    assert named("outweighs").value.length in LENGTHS

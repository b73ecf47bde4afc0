"""Our model of dates: its data, the shipped weights measured again, and its recipe."""

import copy
import datetime
import json
import math
import random
import re
from itertools import product

import pytest
import torch
from safetensors.torch import load_file

import attnlab as al
from attnlab.pretrained import catalogue, embedded
from training.dates import guide, measure, model, ways
from training.dates.__main__ import SHIPPED, TEST_SEED
from training.dates.train import train

CARD = (SHIPPED / "README.md").read_text("utf-8")
EVERY_WAY = (*ways.IN_WORDS, *ways.IN_DIGITS)


@pytest.fixture(scope="module")
def dates():
    """The shipped model as a Lab."""
    return al.load("dates", device="cpu", dtype="float32")


# --- the data ------------------------------------------------------------------------------------


def test_no_two_dates_are_written_alike():
    """Every day of years whose digits could be mistaken for a day or a month, in every way."""
    days = [
        datetime.date(year, 1, 1) + datetime.timedelta(days=i)
        for year in (1901, 1912, 2001, 2010, 2012, 2021, 2031)
        for i in range(365)
    ]
    meant: dict[str, str] = {}
    for day, way in product(days, EVERY_WAY):
        written = ways.write(day, way, case="lower")
        assert meant.setdefault(written.text, written.iso) == written.iso


@pytest.mark.parametrize("way", EVERY_WAY)
def test_a_way_says_every_part_and_marks_its_letters(way: str):
    written = ways.write(datetime.date(2026, 7, 3), way, "{weekday}, {}")
    spelled = {
        part: "".join(c for c, says in zip(written.text, written.says, strict=True) if says == part)
        for part in ways.PARTS
    }
    assert written.text.startswith("Friday, ") and not any(written.says[:8])
    assert spelled["year"] == "2026"
    assert spelled["month"] in ("July", "Jul", "7", "07")
    assert spelled["day"] in ("3", "03", "3rd")


@pytest.mark.parametrize(
    ("day", "suffix"),
    [(1, "st"), (2, "nd"), (3, "rd"), (4, "th"), (11, "th"), (12, "th"), (13, "th"), (21, "st"),
     (22, "nd"), (23, "rd"), (30, "th"), (31, "st")],
)  # fmt: skip
def test_ordinals(day: int, suffix: str):
    assert ways.write(datetime.date(2000, 1, day), "{nth}").text == f"{day}{suffix}"


def test_one_date_in_twenty_is_held_out_and_never_trained_on():
    every = [ways.FIRST + datetime.timedelta(days=i) for i in range(ways.DAYS)]
    assert (every[0], every[-1]) == (ways.FIRST, ways.LAST)
    share = sum(map(ways.is_held_out, every)) / len(every)
    assert share == pytest.approx(1 / ways.HELD_OUT, rel=0.02)
    pick = random.Random(0)
    for held_out in (False, True):
        drawn = [ways.draw(pick, held_out) for _ in range(500)]
        assert {ways.is_held_out(datetime.date.fromisoformat(d.iso)) for d in drawn} == {held_out}


# --- the shipped weights -------------------------------------------------------------------------


def test_it_is_small_safe_and_complete():
    names = {path.name for path in SHIPPED.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "README.md"} <= names
    assert not [name for name in names if name.endswith((".bin", ".pt", ".pkl", ".py"))]
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 3 * 2**20
    entry = catalogue.entry("dates")
    assert entry.licence == "Apache-2.0" and "license: apache-2.0" in CARD
    assert embedded.ensure("dates") == SHIPPED


def test_the_catalogue_and_the_card_count_its_parameters(dates):
    count = dates.model.num_parameters()
    assert catalogue.entry("dates").params == count
    assert f"| parameters | {count:,} |" in CARD


def test_it_writes_held_out_dates_as_the_card_says(dates):
    said, of = re.search(r"([\d.]+)% of ([\d,]+) held-out dates", CARD).groups()
    claimed = float(said) / 100
    assert claimed >= 0.98 and int(of.replace(",", "")) >= 1_000
    # Other dates than the card's, so that the figure is measured and not repeated.
    found = measure.exact(dates.model, dates.tokenizer, measure.held_out(600, TEST_SEED + 1))
    assert found >= 0.98
    assert found == pytest.approx(claimed, abs=0.01)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Friday, the 3rd of July 2026", "2026-07-03"),
        ("July 3rd, 2026 (Friday)", "2026-07-03"),
        ("24.12.1999", "1999-12-24"),
        ("FEBRUARY 29, 2000", "2000-02-29"),
        ("1 Sept. 1939", "1939-09-01"),
        ("2099/12/31", "2099-12-31"),
    ],
)
def test_it_generates_through_the_lab(dates, text: str, iso: str):
    trace = dates.generate(text, max_new_tokens=12)
    assert [token.text for token in trace.tokens] == ["<s>", *iso, "</s>"]


def test_a_run_with_a_target_gives_cross_attention(dates):
    trace = dates.run("Friday, 3 July 2026", target="2026-07-03")
    assert "".join(token.text for token in trace.source_tokens) == "Friday, 3 July 2026</s>"
    assert trace.role("cross").weights[0, 0].shape == (11, 20)
    assert dates.trust.difference <= 1e-5


# --- where it looks ------------------------------------------------------------------------------


def looked_at(dates, written: list[ways.Written]) -> dict[tuple[int, int, str], float]:
    """As `measure.alignment`, but read off the Trace: (layer, head, part) → share of rows."""
    hits: dict[tuple[int, int, str], list[bool]] = {}
    traces = dates.run_many([w.text for w in written], targets=[w.iso for w in written])
    for date, trace in zip(written, traces, strict=True):
        says = (*date.says, "")  # </s> says nothing
        weights = trace.role("cross").weights
        for layer, head in product(dates.layers("cross"), range(4)):
            rows = weights[layer, head].argmax(-1).tolist()
            for part, places in measure.ISO_PLACES.items():
                hit = [says[rows[i]] == part for i in places]
                hits.setdefault((layer, head, part), []).extend(hit)
    return {place: sum(found) / len(found) for place, found in hits.items()}


@pytest.fixture(scope="module")
def found(dates) -> dict[tuple[int, int, str], float]:
    """Where every head looks, on held-out dates that are not the card's."""
    return looked_at(dates, measure.held_out(200, TEST_SEED + 2))


def test_one_head_looks_at_the_part_that_is_written(found):
    layer, head = catalogue.entry("dates").example.head
    for part in ways.PARTS:
        assert found[layer, head, part] >= 0.95, part
    assert f"steps head {head}, which did best, was taught" in CARD


def test_where_the_others_look_is_as_the_card_says(found):
    """To 6 in 100: the card's dates are others."""
    after = CARD.partition("Before those steps")[0]
    for head in range(4):
        claimed = re.search(rf"^\| {head} \| (.*)% \|$", after, re.MULTILINE)[1].split("% | ")
        ours = [100 * found[0, head, part] for part in ways.PARTS]
        assert ours == pytest.approx([float(share) for share in claimed], abs=6)


def test_what_the_card_measures_is_what_the_trace_says(dates):
    written = measure.held_out(20, TEST_SEED + 3)
    net = copy.deepcopy(dates.model)  # measuring it switches its attention
    assert measure.alignment(net, dates.tokenizer, written) == pytest.approx(
        looked_at(dates, written)
    )


def test_the_example_s_head_matters_where_it_is_looked_from(dates):
    """It reads the month; without it the month is no longer sure."""
    shown = catalogue.entry("dates").example
    edit = al.ZeroHead(*shown.head, role="cross")
    whole, without = (
        dates.run(shown.a, target=shown.target_a, edits=edits).next_tokens(
            k=1, position=shown.position
        )
        for edits in ((), (edit,))
    )
    (token, before), (_, after) = whole[0], without[0]
    assert token.text == "7" and before > 0.9 and after < 0.7


# --- the recipe ----------------------------------------------------------------------------------


def test_one_seed_gives_one_model():
    """The first steps and the last, twice; a whole training takes minutes."""

    def made(seed: int) -> dict[str, torch.Tensor]:
        net, tokens = train(seed, steps=3, say=lambda line: None)
        guide.guide(net, tokens, seed, steps=2, judged=3)
        return net.state_dict()

    states = [made(seed) for seed in (1, 1, 2)]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert not all(torch.equal(states[0][name], states[2][name]) for name in states[0])


def test_misaligned_is_the_log_of_the_weight_on_the_part():
    date = ways.write(datetime.date(2026, 7, 3), "{y}-{mm}-{dd}")
    even = torch.full((1, 11, 11), 1 / 11)
    # Four of eleven characters say the year, two the month, two the day.
    right = -(4 * math.log(4 / 11) + 4 * math.log(2 / 11)) / 8
    assert float(guide.misaligned(even, [date])) == pytest.approx(right, abs=1e-6)


def test_the_shipped_weights_are_those_of_the_recipe_s_architecture():
    stored = json.loads((SHIPPED / "config.json").read_text("utf-8"))
    ours = model.config()
    assert all(stored[name] == getattr(ours, name) for name in ("d_model", "num_layers", "d_ff"))
    assert all(
        value.dtype == torch.float32 for value in load_file(SHIPPED / "model.safetensors").values()
    )

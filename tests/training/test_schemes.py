"""Five decoders that differ in nothing but their positions: the recipe, and what they do."""

import json
import re

import pytest
import torch
from safetensors import safe_open

import attnlab as al
from attnlab.analysis.by_position import average_by_position
from attnlab.analysis.passage import PASSAGES, passage
from attnlab.errors import TextTooLong
from attnlab.pretrained import catalogue, embedded
from training.schemes import corpus, measure, model
from training.schemes.__main__ import FACTOR, SEEDS, SHIPPED, STRETCHES
from training.schemes.train import BATCH, rate, stretches, train

CARD = (SHIPPED / "README.md").read_text("utf-8")
FILES = {f"{scheme}-{seed}": SHIPPED / f"{scheme}-{seed}.safetensors"
         for scheme in model.SCHEMES for seed in range(SEEDS)}  # fmt: skip


def lab_of(name: str):
    return al.load(f"schemes/{name}", device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def labs():
    """The five models of seed 0."""
    return {scheme: lab_of(scheme) for scheme in model.SCHEMES}


def claimed(name: str) -> list[tuple[float, float] | None]:
    """The card's row of a scheme: mean and spread of each range, None where it says nothing."""
    row = re.search(rf"^\| {name} \| (.*) \|$", CARD, re.MULTILINE)[1]
    cells = (re.fullmatch(r"([\d.]+) ± ([\d.]+)", cell.strip()) for cell in row.split("|"))
    return [cell and (float(cell[1]), float(cell[2])) for cell in cells]


# --- the data ------------------------------------------------------------------------------------

VERSES = """\
Ge1:1 In the beginning.
Ge1:2 And the  earth was without form.
Ge2:1 Thus the heavens.
Ruth1:1 Now it came to pass.
1Sm1:1 Now there was a man.
Est1:1 Now in the days of Ahasuerus.
Est1:2 That in those days.
"""


def test_verses_become_chapters_and_two_books_are_kept_out(monkeypatch):
    monkeypatch.setattr(corpus, "VERSES", 7)
    books = corpus.chapters(VERSES)
    read = corpus.to_train_on(books)
    assert read == (
        "In the beginning. And the earth was without form.\n"
        "Thus the heavens.\nNow there was a man.\n"
    )
    assert corpus.held_out(books, "esther") == "Now in the days of Ahasuerus. That in those days.\n"
    assert set(corpus.HELD_OUT) == set(PASSAGES)


def test_a_corpus_that_is_another_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="has 7 verses; all of them are 31,102"):
        corpus.chapters(VERSES)
    monkeypatch.setattr(corpus, "VERSES", 1)
    with pytest.raises(ValueError, match="no verse: 'In the beginning'"):
        corpus.chapters("In the beginning")


def test_all_five_read_the_same_stretches_at_every_position():
    ids = torch.arange(1, 500)
    first, again, other = (next(stretches(ids, 0, seed)) for seed in (1, 1, 2))
    fed, wanted = first
    assert fed.shape == wanted.shape == (BATCH, model.LENGTH)
    assert (fed[:, 0] == 0).all() and torch.equal(fed[:, 1:], wanted[:, :-1])
    assert (wanted.diff() == 1).all()
    assert torch.equal(wanted, again[1]) and not torch.equal(wanted, other[1])


# --- the recipe ----------------------------------------------------------------------------------


def test_only_positions_differ_at_first():
    plain = model.build("none", 3)
    start = plain.state_dict()
    for scheme, positions in model.SCHEMES.items():
        net = model.build(scheme, 3)
        assert net.config.positions == positions
        state = net.state_dict()
        extra = set(state) - set(start)
        assert extra == ({"positions.table.weight"} if scheme == "learned" else set())
        assert all(torch.equal(state[name], start[name]) for name in start)
    assert not torch.equal(model.build("none", 4).embed.weight, plain.embed.weight)


def test_one_seed_gives_one_model():
    """Twenty steps twice, bit by bit; a whole training takes minutes."""
    ids = torch.randint(1, model.VOCABULARY, (2_000,), generator=torch.Generator().manual_seed(0))
    said: list[str] = []
    states = [
        train("rope", seed, ids, 0, steps=20, say=said.append).state_dict() for seed in (1, 1, 2)
    ]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert not all(torch.equal(states[0][name], states[2][name]) for name in states[0])
    assert said[0] == said[1] != said[2] and said[0].startswith("rope 1: step 20, loss ")


def test_the_rate_rises_straight_and_falls_to_nothing():
    shares = [rate(step, 100) for step in range(100)]
    assert shares[:6] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0, 1.0])
    assert shares[5:] == sorted(shares[5:], reverse=True) and shares[-1] < 0.001


# --- the shipped weights -------------------------------------------------------------------------


def test_they_are_small_safe_and_complete():
    names = {path.name for path in SHIPPED.iterdir()}
    wanted = {path.name for path in FILES.values()}
    assert names == wanted | {"README.md", "tokenizer.json", "tokenizer_config.json"}
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) <= 10 * 2**20
    assert "license: apache-2.0" in CARD


def test_the_shipped_models_differ_in_their_positions_and_in_nothing_else():
    configs = {}
    for name, path in FILES.items():
        with safe_open(path, "pt") as file:
            about = json.loads(file.metadata()["attnlab"])
            assert {str(file.get_tensor(key).dtype) for key in file.keys()} == {"torch.float16"}  # noqa: SIM118
        assert about["length"] == model.LENGTH
        configs[name] = about["config"]
    kinds = {name: config.pop("positions")["kind"] for name, config in configs.items()}
    assert len({json.dumps(config, sort_keys=True) for config in configs.values()}) == 1
    assert {kinds[f"{scheme}-2"] for scheme in model.SCHEMES} == {
        "NoPositions", "Sinusoidal", "Learned", "Rope", "Alibi"
    }  # fmt: skip


def test_every_one_is_in_the_catalogue_and_five_are_on_the_menu(labs):
    for name, scheme, seed in catalogue.SCHEMES:
        assert catalogue.entry(name).name == name
        assert embedded.ensure(name) == FILES[f"{scheme}-{seed}"]
        assert (name in catalogue.CATALOGUE) is (seed == 0)
    for scheme, lab in labs.items():
        count = sum(weight.numel() for weight in lab.model.parameters())
        assert catalogue.entry(lab.name).params == count and lab.name == f"schemes/{scheme}"
        assert f"{count:,}" in CARD
    assert lab_of("rope-1").name == "schemes/rope-1"


@pytest.mark.parametrize("scheme", model.SCHEMES)
def test_it_is_read_as_the_scheme_that_it_has(labs, scheme):
    lab = labs[scheme]
    kinds = {"none": (), "rope": ("rotary",), "alibi": ("bias",)}.get(scheme, ("table",))
    assert lab.positions["decoder"].kinds == kinds
    trace = lab.run("And the king said unto Esther")
    assert trace.tokens[0].text == "<s>" and trace.tokens[0].special
    assert trace.weights.stack().shape[:2] == (4, 4)
    assert len(lab.generate("And God said", max_new_tokens=3).tokens) == 8
    assert "trained in it" in lab.trust.sentence


def test_any_text_can_be_read(labs):
    lab = labs["rope"]
    assert len(lab.run("L'été, 東京, \N{PILE OF POO}\n\t<s>").tokens) > 8


# --- the loss by position ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def curves(labs):
    """Seed 0 in the card's windows."""
    found = {scheme: measure.curve(lab) for scheme, lab in labs.items()}
    for stretch in STRETCHES:
        edits = [al.Positions(stretch, factor=FACTOR)]
        found[f"rope {stretch}"] = measure.curve(labs["rope"], edits)
    return found


@pytest.mark.parametrize("name", [*model.SCHEMES, *(f"rope {way}" for way in STRETCHES)])
def test_the_card_s_figures_are_those_of_the_weights(curves, name):
    """One seed cannot be further from the mean of three than the lowest is from the highest."""
    assert f"in {curves[name].count} windows" in CARD
    for (start, stop), said in zip(measure.RANGES, claimed(name), strict=True):
        found = curves[name].over(start, stop)
        assert (found is None) is (said is None)
        if said is not None:
            assert found == pytest.approx(said[0], abs=2 * said[1] + 0.002), (start, stop)


def test_the_card_s_spread_is_far_smaller_than_what_it_shows():
    """Beyond the length of training: what the pages say about it holds for every seed."""
    last = {name: claimed(name)[-1] for name in ("none", "sinusoidal", "rope", "alibi")}
    for better, worse in (("alibi", "none"), ("none", "rope"), ("rope", "sinusoidal")):
        (low, a), (high, b) = last[better], last[worse]
        assert low + a < high - b, (better, worse)


def test_a_learned_table_ends_with_a_sentence(labs):
    lab = labs["learned"]
    ids = lab.tokenizer(passage())["input_ids"]
    with pytest.raises(TextTooLong, match="65 tokens; schemes/learned takes at most 64"):
        lab.run(ids[:65])
    found = average_by_position(lab, passage(), 512, step=1024)
    assert (found.stopped, len(found.mean)) == (64, 63)
    whole = average_by_position(labs["none"], passage(), 512, step=1024)
    assert (whole.stopped, len(whole.mean), whole.count) == (None, 511, found.count)

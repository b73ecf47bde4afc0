"""Five models on recall: the recipe, and what the shipped weights do."""

import json
import re

import pytest
import torch
from safetensors import safe_open

from attnlab import recall
from attnlab.recall.shipped import CURVES, FOLDER, WEIGHTS
from training.recall import measure
from training.recall.card import card
from training.recall.train import LENGTHS, MORE, STEPS, TOKENS, batches, lengths_at, train

ABOUT = recall.measured()
CARD = (FOLDER / "README.md").read_text("utf-8")


# --- the recipe ----------------------------------------------------------------------------------


def test_all_models_of_a_seed_read_the_same_lists():
    one, again, other = (list(batches(seed, 12)) for seed in (1, 1, 2))
    assert all(torch.equal(a.ids, b.ids) for a, b in zip(one, again, strict=True))
    assert not all(torch.equal(a.ids, b.ids) for a, b in zip(one, other, strict=True))
    assert {batch.pairs for batch in one} <= set(LENGTHS)
    assert all(TOKENS / 2 < batch.ids.numel() <= TOKENS for batch in one)


def test_longer_lists_join_one_after_another():
    assert lengths_at(0, 100) == LENGTHS[:2]
    assert lengths_at(20, 100) == LENGTHS[:3]
    assert lengths_at(49, 100) == lengths_at(99, 100) == LENGTHS


@pytest.mark.parametrize("name", ["softmax", "state-space"])
def test_one_seed_gives_one_model(name):
    """Six steps twice, bit by bit; a whole training takes a minute."""
    said: list[str] = []
    states = [train(name, seed, 6, said.append).state_dict() for seed in (1, 1, 2)]
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])
    assert not all(torch.equal(states[0][key], states[2][key]) for key in states[0])
    assert said[0] == said[1] != said[2] and said[0].startswith(f"{name} 1: step ")


# --- the shipped weights -------------------------------------------------------------------------


def test_they_are_small_safe_and_complete():
    assert {path.name for path in FOLDER.iterdir()} == {WEIGHTS, CURVES, "README.md"}
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 5 * 2**20
    with safe_open(FOLDER / WEIGHTS, "pt") as file:
        names = set(file.keys())
        assert {str(file.get_tensor(name).dtype) for name in names} == {"torch.float16"}
    models = {name.partition(".")[0] for name in names}
    assert models == {f"{name}-{seed}" for name in recall.MODELS for seed in range(recall.SEEDS)}
    assert "license: apache-2.0" in CARD


def test_sizes_are_within_a_twentieth_and_the_time_within_the_limit():
    for name, count in ABOUT["parameters"].items():
        assert sum(w.numel() for w in recall.load(name).parameters()) == count
    counts = ABOUT["parameters"].values()
    assert len(counts) == 5 and max(counts) <= 1.05 * min(counts)
    assert ABOUT["minutes"] <= 60  # of one core: half an hour on two
    assert ABOUT["steps"] == {name: STEPS * MORE.get(name, 1) for name in recall.MODELS}


def test_the_card_says_what_the_file_says():
    assert card(ABOUT) == CARD
    for name, rows in ABOUT["accuracy"].items():
        assert len(rows) == recall.SEEDS and {len(row) for row in rows} == {len(measure.PAIRS)}
        row = re.search(rf"^\| {name} \| (.*) \|$", CARD, re.MULTILINE)[1]
        first = float(row.split(" ± ")[0])
        assert first == pytest.approx(sum(r[0] for r in rows) / len(rows), abs=6e-4)
    assert json.loads((FOLDER / CURVES).read_text("utf-8"))["pairs"] == list(measure.PAIRS)


@pytest.mark.parametrize("name", recall.MODELS)
def test_the_curves_are_those_of_the_weights(name):
    """The very lists of the recipe, so the very shares, but for a last bit now and then."""
    for pairs in (4, 16, 32):
        said = ABOUT["accuracy"][name][1][measure.PAIRS.index(pairs)]
        lists = measure.lists_of(pairs)
        found = recall.accuracy(recall.load(name, 1), pairs, lists, measure.SEED)
        assert found == pytest.approx(said, abs=0.002)


def at(name: str, pairs: int) -> list[float]:
    """The share right of each seed."""
    return [row[measure.PAIRS.index(pairs)] for row in ABOUT["accuracy"][name]]


def test_what_the_cheap_ones_give_up():
    """Every seed of softmax and hybrid recalls 32 pairs; no seed of the fixed memories does."""
    for name in ("softmax", "hybrid"):
        assert min(at(name, 32)) > 0.95
    for name in ("window", "linear", "state-space"):
        assert max(at(name, 32)) < 0.7
        assert max(at(name, 32)) < min(at(name, 4))


@pytest.mark.parametrize("name", ["softmax", "hybrid"])
def test_a_typed_list_is_answered(name):
    pairs = recall.pairs_of("cat 3, dog 17, owl 5, tea red, 東京 b")
    found = recall.answers(recall.load(name), pairs)
    assert all(answer.right and answer.probability > 0.5 for answer in found)

"""What the pages are given is what a run gives: heads, rows, effects, in every role."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import attnlab as al
from attnlab.analysis import effects
from attnlab.errors import EmptyText, TextTooLong
from attnlab.trace import Cancel
from attnlab.ui import engine, texts, work
from attnlab.ui.store import Store
from tests.families import build, lab, text, tokenizer


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """No cache, no gate, no page: the work is done where it is asked for."""
    job = SimpleNamespace(progress=lambda *_: None, cancel=Cancel())
    stores = SimpleNamespace(
        **{name: Store(9, 99.0) for name in ("maps", "heads", "effects", "labs")}
    )

    def perform(key, words, run, store):
        value = run(job)
        store.put(key, value)
        return value

    monkeypatch.setattr(work, "stores", lambda: stores)
    monkeypatch.setattr(work, "perform", perform)
    return stores


def reader(name: str, role: str, **changes) -> engine.Reader:
    made = al.load(build(name, **changes), tokenizer=tokenizer())
    return engine.Reader(made, engine.LabKey(name, None, "cpu", "float32"), role)


def words(length: int, seed: int = 3) -> str:
    return " ".join(f"w{i}" for i in text(length, seed))


@pytest.mark.parametrize(
    "role, shape", [("encoder", (9, 9)), ("decoder", (6, 6)), ("cross", (6, 9))]
)
def test_every_role_of_an_encoder_decoder(role, shape):
    ours, passage = reader("t5", role), engine.Passage(words(9), words(5, seed=8))
    found = engine.read(ours, passage, "Sentence A")
    assert (len(found.tokens), len(found.sources)) == shape == found.maps.shape[2:]
    assert found.maps.flags.writeable is False and found.whole
    right = ours.lab.run(passage.text, target=passage.target).role(role).weights.stack()
    assert np.array_equal(found.maps, right.numpy())
    assert ours.roles == ("encoder", "decoder", "cross") and ours.writes
    assert ours.causal == (role == "decoder")
    cell = engine.pair(ours, passage, found, 4, 2)
    assert np.array_equal(cell, right[:, :, 4, 2].numpy())


def test_of_a_long_text_maps_are_reduced_and_heads_and_rows_exact(monkeypatch):
    ours, passage = reader("llama", "decoder", max_position_embeddings=512), words(150)
    found = engine.read(ours, passage, "Sentence A")
    assert not found.whole and found.maps.shape == (3, 6, 50, 50)
    full = ours.lab.run(passage).weights.stack()
    assert found.first_share == pytest.approx(float(full[..., 1:, 0].mean()), abs=1e-6)
    one = engine.head_weights(ours, passage, found, 1, 4)
    assert np.array_equal(one, full[1, 4].numpy())
    assert np.array_equal(engine.pair(ours, passage, found, 140, 77), full[:, :, 140, 77].numpy())
    with pytest.raises(
        TextTooLong, match="150 tokens; every head of a layer is kept in full up to 64"
    ):
        engine.layer_weights(ours, found, 1)
    monkeypatch.setattr(texts, "MAX_TOKENS", 99)
    with pytest.raises(TextTooLong, match="Sentence A has 150 tokens"):
        engine.read(ours, passage, "Sentence A")


def test_a_long_texts_first_run_leaves_the_head_and_the_prediction(monkeypatch, at_once):
    ours, passage = reader("llama", "decoder", max_position_embeddings=512), words(150)
    engine.read(ours, passage, "Sentence A", head=(1, 4))
    key = engine.HeadKey(ours.key, "decoder", engine.Passage(passage), (1, 4))
    plain = ours.lab.run(passage)
    assert np.array_equal(at_once.heads.get(key), plain.weights[1, 4].numpy())
    edits, runs = [], ours.lab.run
    monkeypatch.setattr(ours.lab, "run", lambda *a, **o: edits.append(o["edits"]) or runs(*a, **o))
    right = effects.compare(ours.lab, passage, al.ZeroHead(2, 1), before=plain.logits[-1])
    for position in (-1, 149):
        found = engine.effect(ours, passage, "zero", [(2, 1)], position)
        assert found.kl == pytest.approx(right.kl, rel=1e-4) and found.kl > 0
    assert len(edits) == 3 and all(edits)
    other = engine.effect(ours, passage, "zero", [(2, 1)], 77)
    right = effects.compare(ours.lab, passage, al.ZeroHead(2, 1), position=77)
    assert other.kl == pytest.approx(right.kl, rel=1e-4)


def test_two_long_texts_are_reduced_alike_where_they_correspond():
    ours = reader("llama", "decoder", max_position_embeddings=512)
    first, second = words(150), words(150)
    second = " ".join([*second.split()[:40], "w5", "w6", "w7", *second.split()[40:]])
    rows = ([*range(150)], [*range(40), *range(43, 153)])
    found = []
    for passage, places in zip((first, second), rows, strict=True):
        reading = engine.read(ours, passage, "Sentence A")
        found.append(engine.aligned(ours, passage, reading, places, places))
        full = ours.lab.run(passage).weights.stack()[:, :, places][..., places]
        cells = torch.nn.functional.max_pool2d(full, 3, ceil_mode=True)
        assert np.array_equal(found[-1], cells.numpy())
    assert np.array_equal(found[0][:, :, :13], found[1][:, :, :13])
    assert not np.array_equal(found[0], found[1])
    short = engine.read(ours, words(9), "Sentence A")
    few = engine.aligned(ours, words(9), short, [1, 4], [0, 2, 3])
    assert np.array_equal(few, short.maps[:, :, [1, 4]][..., [0, 2, 3]])


def test_layers_that_differ_in_heads_are_blank_where_they_have_none():
    ours = uneven()
    found = engine.read(ours, words(7), "Sentence A")
    counts = [ours.heads_in(layer) for layer in ours.layers]
    assert min(counts) < max(counts) == found.maps.shape[1] == ours.heads
    for place, count in enumerate(counts):
        assert found.maps[place, :count].sum(-1) == pytest.approx(1, abs=1e-5)
        assert not found.maps[place, count:].any()
        assert engine.layer_weights(ours, found, ours.layers[place]).shape[0] == count
    cell = engine.pair(ours, words(7), found, 5, 3)
    assert [int(np.isfinite(row).sum()) for row in cell] == counts


def uneven() -> engine.Reader:
    """A model that has four heads in layer 1 and six elsewhere, as far as anybody can see."""
    made = al.load(build("llama"), tokenizer=tokenizer())
    first, second, *others = made.sites
    made.sites = (first, replace(second, heads=4), *others)
    real = made.run

    def run(*args, **options):
        trace = real(*args, **options)
        layers = trace.values[("weights", "decoder")]
        layers[1] = replace(layers[1], tensor=layers[1].tensor[:4])
        return trace

    made.run = run
    return engine.Reader(made, engine.LabKey("uneven", None, "cpu", "float32"), "decoder")


def test_several_heads_at_once_in_any_order():
    ours, passage = reader("llama", "decoder"), words(9)
    heads = [(2, 1), (0, 3)]
    found = engine.effect(ours, passage, "mean", heads, 5)
    edits = [al.MeanHead(layer, head) for layer, head in sorted(heads)]
    right = effects.compare(ours.lab, passage, edits, position=5)
    assert found.kl == right.kl > 0
    assert engine.effect(ours, passage, "mean", heads[::-1], 5).kl == found.kl


def test_an_encoder_decoders_effect_is_on_its_decoder():
    ours, passage = reader("t5", "cross"), engine.Passage(words(9), words(5, seed=8))
    found = engine.effect(ours, passage, "zero", [(1, 2)], 3)
    right = effects.compare(
        ours.lab, passage.text, al.ZeroHead(1, 2, "cross"), position=3, target=passage.target
    )
    assert found.kl == right.kl > 0
    random = engine.baseline(ours, passage, "zero", 2, 3, count=4)
    assert len(random.values) == 4 and random.median > 0


def test_an_encoders_vectors_move():
    ours, passage = reader("bert", "encoder"), words(9)
    found = engine.moved(ours, passage, "zero", [(1, 2), (0, 1)])
    edits = [al.ZeroHead(0, 1), al.ZeroHead(1, 2)]
    assert found.mean == effects.shift(ours.lab, passage, edits).mean > 0
    assert found.tokens.shape == (9,)
    assert len(engine.baseline(ours, passage, "zero", 2, None, count=3).values) == 3


def test_the_mask_of_a_masked_models_text():
    ours = reader("bert", "encoder")
    ours.lab.tokenizer.add_special_tokens({"mask_token": "<mask>"})
    assert engine.mask_position(ours, ours.lab.tokens("w7 w9 <mask> w5")) == 2
    assert engine.mask_position(ours, ours.lab.tokens("w7 w9")) is None
    assert engine.mask_position(reader("llama", "decoder"), "w7 <mask>") is None


def test_where_numbers_are_from():
    found = engine.provenance(reader("t5", "cross"), (al.ZeroHead(1, 2, "cross"),))
    assert found["tier"] == "dispatch" and found["role"] == "cross" and found["dtype"] == "float32"
    assert found["edits"] == [al.ZeroHead(1, 2, "cross").to_json()]
    assert set(found["versions"]) == {"attnlab", "torch", "transformers"}


def test_each_refusal_names_its_text():
    ours = reader("t5", "cross")
    with pytest.raises(EmptyText, match="Sentence B is empty"):
        engine.read(ours, engine.Passage(""), "Sentence B")
    start = engine.read(ours, engine.Passage(words(4)), "Sentence B")
    assert start.maps.shape[2:] == (1, 4)  # an empty target is the start token alone
    assert torch.equal(
        torch.tensor(start.maps), lab("t5").run(text(4)).role("cross").weights.stack()
    )

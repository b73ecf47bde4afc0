"""Edits equal hooks set by hand on a model that knows nothing of us."""

from dataclasses import dataclass

import pytest
import torch
from transformers import AutoModel, AutoModelForCausalLM

import attnlab as al
from attnlab.pretrained import embedded
from tests.families import FAMILIES, build, lab, model, raw_inputs, reads_ids, text
from tests.pretrained import by_hand

PAIR = "The animal didn't cross the street because it was too wide."
SOURCE, TARGET = text(13, seed=2), text(7, seed=4)


@dataclass(frozen=True)
class Place:
    """Where a head is, and which module of the original model reads what it hands on."""

    name: str
    projection: str
    layer: int
    head: int
    heads: int = 6
    role: str = "decoder"


T5 = "{}.block.{}.layer.{}.{}.o"
PLACES = [
    Place("gpt2", "transformer.h.0.attn.c_proj", 0, 0),
    Place("gpt2", "transformer.h.2.attn.c_proj", 2, 5),
    Place("t5", T5.format("encoder", 1, 0, "SelfAttention"), 1, 4, role="encoder"),
    Place("t5", T5.format("decoder", 2, 0, "SelfAttention"), 2, 3),
    Place("t5", T5.format("decoder", 0, 1, "EncDecAttention"), 0, 1, role="cross"),
    Place("t5", T5.format("decoder", 2, 1, "EncDecAttention"), 2, 5, role="cross"),
    Place("gemma2", "model.layers.1.self_attn.o_proj", 1, 2),
    Place("gemma2", "model.layers.2.self_attn.o_proj", 2, 0),
    Place("gpt_oss", "model.layers.0.self_attn.o_proj", 0, 3),
    Place("gpt_oss", "model.layers.2.self_attn.o_proj", 2, 5),
    Place("bart", "model.decoder.layers.1.encoder_attn.out_proj", 1, 2, role="cross"),
    Place("bert", "bert.encoder.layer.1.attention.output.dense", 1, 4, role="encoder"),
    Place("deepseek_v3", "model.layers.1.self_attn.o_proj", 1, 4),
    Place("bloom", "transformer.h.1.self_attention.dense", 1, 4),
    Place("gpt_neo", "transformer.h.1.attn.attention.out_proj", 1, 4),
]
IDS = [f"{p.name}-{p.role}-{p.layer}.{p.head}" for p in PLACES]


def feed(name):
    """How a Lab is fed, and the same as the original model takes it."""
    if FAMILIES[name].task != "seq2seq":
        return {"text": SOURCE}, {"input_ids": torch.tensor([SOURCE])}
    start = lab(name).run(SOURCE, capture=()).tokens[0].id
    decoder = torch.tensor([[start, *TARGET]])
    inputs = {"input_ids": torch.tensor([SOURCE]), "decoder_input_ids": decoder}
    return {"text": SOURCE, "target": TARGET}, inputs


def check(lab, model, fed, inputs, edit, place, change):
    """The edit equals the change by hand, to 1e-6, and both change something."""
    plain = by_hand.outputs(model, inputs)
    with by_hand.on_head(model, place.projection, place.head, place.heads, change):
        right = by_hand.outputs(model, inputs)
    trace = lab.run(**fed, edits=(edit,), capture="final")
    found = trace.final if trace.logits is None else trace.logits
    assert (found - right).abs().max() <= 1e-6
    assert (found - plain).abs().max() > 1e-4


@pytest.mark.parametrize("kind", ["zero", "mean"])
@pytest.mark.parametrize("place", PLACES, ids=IDS)
def test_on_tiny_models(place, kind):
    edit = {"zero": al.ZeroHead, "mean": al.MeanHead}[kind](place.layer, place.head, place.role)
    fed, inputs = feed(place.name)
    change = getattr(by_hand, kind)
    check(lab(place.name), model(place.name), fed, inputs, edit, place, change)


def test_a_gate_after_the_head_does_not_bring_it_back():
    """Qwen3-Next multiplies z by a gate before the projection reads it: zero stays zero."""
    place = Place("qwen3_next", "model.layers.1.self_attn.o_proj", 1, 4)
    fed, inputs = feed("qwen3_next")
    edit = al.ZeroHead(1, 4)
    check(lab("qwen3_next"), model("qwen3_next"), fed, inputs, edit, place, by_hand.zero)


@pytest.fixture(scope="module")
def originals(packaged_models):
    """The packaged models as transformers loads them, in eager attention."""
    loaders = {"smollm2-135m": AutoModelForCausalLM, "minilm-l6": AutoModel}
    return {
        name: loader.from_pretrained(
            embedded.ensure(name), attn_implementation="eager", dtype=torch.float32
        ).eval()
        for name, loader in loaders.items()
    }


@pytest.mark.parametrize("kind", ["zero", "mean"])
@pytest.mark.parametrize("layer, head", [(0, 0), (4, 2), (29, 8)])
def test_on_smollm2(smollm2, originals, layer, head, kind):
    place = Place("", f"model.layers.{layer}.self_attn.o_proj", layer, head, heads=9)
    inputs = {"input_ids": torch.tensor([[token.id for token in smollm2.tokens(PAIR)]])}
    edit = {"zero": al.ZeroHead, "mean": al.MeanHead}[kind](layer, head)
    change = getattr(by_hand, kind)
    check(smollm2, originals["smollm2-135m"], {"text": PAIR}, inputs, edit, place, change)


@pytest.mark.parametrize("kind", ["zero", "mean"])
@pytest.mark.parametrize("layer, head", [(0, 11), (3, 1), (5, 0)])
def test_on_minilm(minilm, originals, layer, head, kind):
    place = Place("", f"encoder.layer.{layer}.attention.output.dense", layer, head, heads=12)
    inputs = {"input_ids": torch.tensor([[token.id for token in minilm.tokens(PAIR)]])}
    edit = {"zero": al.ZeroHead, "mean": al.MeanHead}[kind](layer, head)
    change = getattr(by_hand, kind)
    check(minilm, originals["minilm-l6"], {"text": PAIR}, inputs, edit, place, change)


HIDDEN = {"xlnet", "convbert", "squeezebert", "prophetnet"}
"""Families whose own code does not show what a head hands on."""
BETWEEN = {"diffllama", "qwen3_next", "qwen3_5", "bitnet"}
"""Families that subtract, gate or normalise what heads hand on before the projection reads it."""
NOT_READ = {"mamba", "rwkv", "fnet", "longformer", "nystromformer"}
TOWERS = {"clip", "siglip"}


def projected(name):
    """The last site of every role whose output projection the probe found."""
    return {site.role: site for site in lab(name).sites if site.out_proj}


@pytest.mark.parametrize(
    "name", [name for name in FAMILIES if name not in HIDDEN | BETWEEN | NOT_READ | TOWERS]
)
def test_zeroing_a_head_is_zeroing_its_slice_in_every_family(name):
    ours = lab(name)
    if reads_ids(name):
        fed, inputs = feed(name)
    else:
        inputs = {key: value[:1] for key, value in raw_inputs(name).items()}
        fed = {"text": inputs}
    plain = by_hand.outputs(model(name), inputs)
    assert set(projected(name)) == {site.role for site in ours.sites}
    for role, site in projected(name).items():
        shared = [s for s in ours.sites if s.out_proj == site.out_proj]
        edit = al.ZeroHead(site.layer, site.heads - 2, role)
        head = (site.out_proj, site.heads - 2, site.heads, by_hand.zero, shared.index(site))
        with by_hand.on_head(model(name), *head):
            right = by_hand.outputs(model(name), inputs)
        trace = ours.run(**fed, edits=(edit,), capture="final")
        found = trace.final if trace.logits is None else trace.logits
        assert (found - right).abs().max() <= 1e-5
        assert (found - plain).abs().max() > 1e-5


def test_the_families_in_which_no_head_can_be_told_apart():
    for name in HIDDEN:
        with pytest.raises(al.errors.EditRefused, match="changes z, which cannot be changed in"):
            lab(name).run(SOURCE, edits=[al.ZeroHead(0, 0)])
    read = set(FAMILIES) - NOT_READ
    assert {name for name in read if "z" not in lab(name).editable} == HIDDEN


def scaled(module, factor):
    """Scale what a linear map gives."""
    with torch.no_grad():
        module.weight.mul_(factor)
        if module.bias is not None:
            module.bias.mul_(factor)


def cooler(name, factor):
    """A model whose numbers that enter the softmax are multiplied by ``factor`` in its weights."""
    made = build(name)
    for path, module in made.named_modules():
        if path.endswith(("q_proj", "query", ".q")):
            scaled(module, factor)
        if path.endswith("relative_attention_bias"):
            with torch.no_grad():
                module.weight.mul_(factor)
    for path, parameter in made.named_parameters():
        if path.endswith("sinks"):
            with torch.no_grad():
                parameter.mul_(factor)
    return made


@pytest.mark.parametrize("value", [0.5, 4.0])
@pytest.mark.parametrize("name", ["llama", "bert", "t5", "bart", "gpt_oss", "gpt_neo"])
def test_a_temperature_equals_queries_scaled_by_hand(name, value):
    fed, inputs = feed(name)
    right = by_hand.outputs(cooler(name, 1 / value), inputs)
    found = lab(name).run(**fed, edits=(al.Temperature(value),)).logits
    assert (found - right).abs().max() <= 2e-5
    assert (found - by_hand.outputs(model(name), inputs)).abs().max() > 1e-3


def test_a_temperature_on_some_layers_and_heads():
    made = build("llama")
    with torch.no_grad():
        made.model.layers[1].self_attn.q_proj.weight.view(6, 10, -1)[[2, 5]] /= 3
    inputs = {"input_ids": torch.tensor([SOURCE])}
    edit = al.Temperature(3, layers=1, heads=(2, 5))
    found = lab("llama").run(SOURCE, edits=(edit,))
    assert (found.logits - by_hand.outputs(made, inputs)).abs().max() <= 1e-5
    plain = lab("llama").run(SOURCE).weights
    moved = (found.weights[1] - plain[1]).abs().amax((1, 2)) > 1e-3
    assert moved.tolist() == [False, False, True, False, False, True]


def test_edits_compose_in_order():
    zero, mean = al.ZeroHead(1, 3), al.MeanHead(1, 3)
    run = lambda *edits: lab("gpt2").run(SOURCE, edits=edits).logits  # noqa: E731
    assert torch.equal(run(zero, mean), run(mean))
    assert torch.equal(run(mean, zero), run(zero))
    assert not torch.equal(run(mean), run(zero))
    both = run(al.Temperature(2.0), zero)
    assert torch.equal(both, run(zero, al.Temperature(2.0)))
    halves = run(al.Temperature(2.0), al.Temperature(1.5))
    assert torch.allclose(halves, run(al.Temperature(3.0)), atol=1e-5)
    first, second = (
        by_hand.on_head(model("gpt2"), f"transformer.h.{layer}.attn.c_proj", head, 6, by_hand.zero)
        for layer, head in ((0, 1), (2, 4))
    )
    with first, second:
        right = by_hand.outputs(model("gpt2"), {"input_ids": torch.tensor([SOURCE])})
    assert (run(al.ZeroHead(0, 1), al.ZeroHead(2, 4)) - right).abs().max() <= 1e-6

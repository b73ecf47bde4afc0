"""Loading: from a folder, from memory, by name; what cannot be loaded says why in a sentence."""

import json
import time

import pytest
import torch
import transformers

import attnlab as al
from attnlab.errors import (
    InputError,
    LoadError,
    ModelNotFound,
    ModelNotReachable,
    UnsafeWeights,
    UnsupportedModel,
)
from attnlab.pretrained.load import head_kind
from tests.families import FAMILIES, build, lab, raw_inputs, text, tokenizer

IDS = text(9, seed=1)
WORDS = " ".join(f"w{i}" for i in IDS)


@pytest.fixture
def folder(tmp_path):
    """A folder as ``save_pretrained`` writes it: GPT-2 with a tokenizer."""
    build("gpt2").save_pretrained(tmp_path / "mine")
    tokenizer().save_pretrained(tmp_path / "mine")
    return tmp_path / "mine"


def one_sentence(caught):
    message = str(caught.value)
    assert message.endswith(".") and "\n" not in message and len(message) < 300
    return message


# --- what loads ----------------------------------------------------------------------------------


@pytest.mark.parametrize("as_text", [True, False])
def test_a_local_folder(folder, as_text):
    ours = al.load(str(folder) if as_text else folder, device="cpu")
    assert (ours.name, ours.head_kind, ours.tier) == ("mine", "causal", "dispatch")
    assert torch.equal(ours.run(WORDS).logits, lab("gpt2").run(IDS).logits)
    assert [token.text.strip() for token in ours.tokens(WORDS)] == WORDS.split()
    assert next(ours.model.parameters()).dtype == torch.float32


def test_a_model_in_memory_with_its_tokenizer():
    ours = al.load(build("bert"), tokenizer=tokenizer())
    assert ours.name == "BertForMaskedLM"
    assert torch.equal(ours.run(WORDS).logits, lab("bert").run(IDS).logits)


def test_a_model_in_memory_without_a_tokenizer_takes_ids():
    for ids in (IDS, tuple(IDS), torch.tensor(IDS), torch.tensor([IDS])):
        assert torch.equal(lab("gpt2").run(ids).logits, lab("gpt2").run(IDS).logits)
    assert [token.text for token in lab("gpt2").run(IDS).tokens] == [f"#{i}" for i in IDS]
    with pytest.raises(InputError, match="was loaded without a tokenizer: pass token ids"):
        lab("gpt2").run(WORDS)


def test_catalogue_names(smollm2, minilm):
    assert (smollm2.name, smollm2.head_kind, smollm2.main_role) == (
        "smollm2-135m", "causal", "decoder",
    )  # fmt: skip
    assert (minilm.name, minilm.head_kind, minilm.main_role) == ("minilm-l6", "none", "encoder")
    assert len(smollm2.sites) == 30 and {site.heads for site in smollm2.sites} == {9}
    assert {site.kv_heads for site in smollm2.sites} == {3}
    assert len(minilm.sites) == 6 and {site.heads for site in minilm.sites} == {12}
    assert smollm2.trust.difference <= 1e-5 and minilm.trust.difference <= 1e-5
    assert minilm.run("the cat").logits is None
    assert minilm.run("the cat", capture="final").final.shape == (4, 384)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", torch.bfloat16, "float64"])
def test_a_dtype_of_ones_choice(folder, dtype):
    ours = al.load(folder, device="cpu", dtype=dtype)
    wanted = getattr(torch, dtype) if isinstance(dtype, str) else dtype
    assert ours.model.dtype == wanted
    assert ours.trust.dtype == str(wanted).removeprefix("torch.")
    assert ours.trust.dtype in ours.trust.sentence
    trace = ours.run(WORDS)
    assert trace.logits.dtype == trace.weights[0].dtype == torch.float32
    right = lab("gpt2").run(IDS).logits
    allowed = 1e-5 if wanted == torch.float64 else 0.03 * float(right.abs().max())
    assert (trace.logits - right).abs().max() <= allowed


HALVES = ["llama", "gpt2", "gptj", "codegen", "gpt_oss", "gemma2", "bert", "t5", "bart", "bloom"]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", HALVES)
def test_in_half_precision_the_error_is_stated(name, dtype):
    ours = al.load(build(name).to(dtype))
    assert ours.tier == lab(name).tier
    assert ours.trust.difference <= 0.03 * ours.trust.largest
    assert f"{ours.trust.difference:.1g}" in ours.trust.sentence or not ours.trust.difference
    assert f"of {ours.trust.largest:.2g}" in ours.trust.sentence


@pytest.mark.parametrize(
    "architecture, kind",
    [
        ("GPT2LMHeadModel", "causal"),
        ("BertForMaskedLM", "masked"),
        ("BertLMHeadModel", "causal"),
        ("BertModel", "none"),
        ("BertForSequenceClassification", "none"),
        ("T5ForConditionalGeneration", "seq2seq"),
        ("BartForConditionalGeneration", "seq2seq"),
        ("Gemma3ForConditionalGeneration", "causal"),
        ("T5EncoderModel", "none"),
    ],
)
def test_the_head_follows_the_configuration(architecture, kind):
    config = transformers.BertConfig(architectures=[architecture])
    assert head_kind(config) == kind


@pytest.mark.parametrize("name", ["gpt2", "bert", "t5", "llama", "modernbert", "marian", "opt"])
def test_the_head_where_the_configuration_names_no_architecture(name):
    family = FAMILIES[name]
    config = getattr(transformers, family.config)(**family.options)
    assert head_kind(config) == family.task
    assert head_kind(config, build(name)) == family.task


# --- what does not -------------------------------------------------------------------------------


def test_no_safetensors(folder):
    torch.save(build("gpt2").state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UnsafeWeights, match="no safetensors weights; AttnLab reads no pickle"):
        al.load(folder)


def test_code_of_its_own_is_never_run(folder, tmp_path):
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'w').close()\nclass C: pass\n"
    (folder / "configuration_mine.py").write_text(code)
    (folder / "modeling_mine.py").write_text(code)
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "mine",
        "auto_map": {"AutoConfig": "configuration_mine.C", "AutoModel": "modeling_mine.C"},
    }
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UnsafeWeights, match="code of its own, which AttnLab never does") as caught:
        al.load(folder)
    one_sentence(caught)
    assert not ran.exists()


@pytest.mark.parametrize(
    "source, error, named",
    [
        ("", ModelNotFound, "No model was named; try smollm2-135m"),
        ("smolm2-135m", ModelNotFound, "no catalogue name, Hub id .* or local folder; try smollm2"),
        ("./nowhere", ModelNotFound, "is no catalogue name"),
        ("somebody/some-model", ModelNotReachable, "could not be fetched from the Hub"),
        (
            "gpt2",
            ModelNotReachable,
            "check the name and the network, or use an embedded model .smollm2",
        ),
        ("t5-small", ModelNotReachable, "minilm-l6, dates"),
    ],
)
def test_names_that_lead_nowhere_are_answered_at_once(source, error, named):
    start = time.perf_counter()
    with pytest.raises(error, match=named) as caught:
        al.load(source)
    one_sentence(caught)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    "break_it",
    [
        lambda folder: (folder / "config.json").write_text("{"),
        lambda folder: (folder / "config.json").write_text('{"model_type": "no such type"}'),
        lambda folder: (folder / "model.safetensors").write_bytes(b"\x10" + b"\0" * 20),
        lambda folder: (folder / "tokenizer.json").write_text("{}"),
    ],
    ids=["config", "type", "weights", "tokenizer"],
)
def test_a_damaged_folder_is_one_sentence(folder, break_it):
    break_it(folder)
    with pytest.raises(LoadError) as caught:
        al.load(folder)
    assert "mine" in one_sentence(caught)


def test_a_folder_that_is_no_model(tmp_path):
    with pytest.raises(ModelNotFound, match=r"has no config\.json, so it is no model"):
        al.load(tmp_path)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_here(folder):
    for device in ("cuda", "cuda:9", "gpu", "tpu"):
        with pytest.raises(LoadError, match="here; try 'auto' or 'cpu'"):
            al.load(folder, device=device)


@pytest.mark.parametrize("dtype", ["half", "int8", torch.int8, 16])
def test_a_dtype_that_does_not_exist(folder, dtype):
    with pytest.raises(LoadError, match="; try auto, float32, float16"):
        al.load(folder, dtype=dtype)


def test_a_model_that_reads_no_texts_wants_inputs():
    with pytest.raises(UnsupportedModel, match="ViTModel reads pixel_values, not texts") as caught:
        al.load(build("vit"))
    one_sentence(caught)
    ours = al.load(build("vit"), inputs=raw_inputs("vit"))
    assert ours.run({k: v[:1] for k, v in raw_inputs("vit").items()}).weights.stack().shape[0] == 3
    with pytest.raises(UnsupportedModel, match="CLIPModel cannot be run on a short text"):
        al.load(build("clip"))

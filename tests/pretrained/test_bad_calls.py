"""Whatever a caller passes, the answer is an AttnLabError with one sentence, or the right thing."""

from __future__ import annotations

import json
import pickle

import pytest
import torch
import transformers as hf
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models

import attnlab as al
from attnlab.analysis.effects import compare
from attnlab.errors import AttnLabError, InputError, LoadError, ModelNotFound, UnsupportedModel
from tests import families

SIZES = {
    "vocab_size": 101,
    "hidden_size": 28,
    "intermediate_size": 44,
    "num_hidden_layers": 2,
    "num_attention_heads": 7,
    "num_key_value_heads": 7,
    "max_position_embeddings": 64,
}


@pytest.fixture
def folder(tmp_path):
    torch.manual_seed(0)
    hf.LlamaForCausalLM(hf.LlamaConfig(**SIZES)).save_pretrained(tmp_path)
    words = {letter: i for i, letter in enumerate("abcdefgh")} | {"<unk>": 20}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>").save_pretrained(
        tmp_path
    )
    return tmp_path


@pytest.fixture
def lab(folder):
    return al.load(folder)


def one_sentence(error: BaseException) -> bool:
    text = str(error)
    return bool(text) and "\n" not in text and text.endswith(".") and len(text) < 400


def rewrite(folder, change) -> None:
    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})


def test_missing_weights_are_named_and_never_made_up(folder):
    rewrite(folder, lambda w: {k: v for k, v in w.items() if "layers.1.self_attn" not in k})
    with pytest.raises(LoadError, match=r"lacks weights .*layers\.1\.self_attn\.k_proj"):
        al.load(folder)


def test_weights_that_nothing_uses_are_a_note(folder):
    rewrite(folder, lambda w: w | {"model.layers.9.extra": torch.ones(2)})
    assert any("model.layers.9.extra" in note for note in al.load(folder).trust.notes)


def test_nan_weights_are_refused(folder):
    rewrite(folder, lambda w: {k: v * (torch.nan if "q_proj" in k else 1) for k, v in w.items()})
    with pytest.raises(UnsupportedModel, match="NaN"):
        al.load(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"num_hidden_layers": 4},
        {"hidden_size": "big"},
        {"num_attention_heads": 0},
        {"dtype": "float7"},
        {"hidden_act": "zzz"},
        None,
    ],
)
def test_a_damaged_configuration_is_one_sentence(folder, change):
    path = folder / "config.json"
    path.write_text(json.dumps(change and json.loads(path.read_text()) | change))
    with pytest.raises(LoadError) as caught:
        al.load(folder)
    assert one_sentence(caught.value)


@pytest.mark.parametrize("content", [b"", b"version https://git-lfs", b"\x00" * 99])
def test_damaged_weights_are_one_sentence(folder, content):
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(LoadError) as caught:
        al.load(folder)
    assert one_sentence(caught.value)


def test_a_folder_without_a_tokenizer_says_so(folder):
    for path in folder.glob("tokenizer*"):
        path.unlink()
    with pytest.raises(LoadError, match="no tokenizer"):
        al.load(folder)


def test_names_that_are_no_model(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    for name in (f"{folder.name}/config.json", "x" * 400, "~nobodyxyz", "a\0b", ""):
        with pytest.raises(ModelNotFound) as caught:
            al.load(name)
        assert one_sentence(caught.value)
    with pytest.raises(ModelNotFound, match="no revision"):
        al.load(folder, revision="v2")


def test_what_is_no_source_is_named_by_its_kind(lab):
    ours = al.rebuild(lab)
    for source in (ours, torch.ones(9, 9), None, 5, b"smollm2-135m", ["smollm2-135m"]):
        with pytest.raises(ModelNotFound, match=type(source).__name__) as caught:
            al.load(source)
        assert one_sentence(caught.value)


IDS = torch.ones(1, 3, dtype=torch.long)
RUNS = [
    (("a\ud800b",), {}),
    ((b"hi",), {}),
    ((None,), {}),
    (([1.5],), {}),
    ((torch.ones(2, 2, dtype=torch.long),), {}),
    (([1, 2],), {"edits": [None]}),
    (([1, 2],), {"edits": None}),
    (([1, 2],), {"capture": None}),
    (([1, 2],), {"capture": 3}),
    (([1, 2],), {"logits": (1.0,)}),
    (([1, 2],), {"logits": "first"}),
    (([1, 2],), {"logits": torch.zeros(99, 99)}),
    (([1, 2],), {"edits": torch.zeros(99, 99)}),
    (([1, 2],), {"progress": 3}),
    (([1, 2],), {"cancel": True}),
    (([1, 2],), {"target": "a"}),
    (({},), {}),
    (({"other": IDS},), {}),
    (({"input_ids": 500 * IDS},), {}),
    (({"input_ids": IDS.float()},), {}),
    (({"input_ids": IDS[:, :0]},), {}),
    (({"input_ids": torch.ones(1, 65, dtype=torch.long)},), {}),
]


@pytest.mark.parametrize(("args", "options"), RUNS)
def test_a_bad_run_is_one_sentence(lab, args, options):
    with pytest.raises(AttnLabError) as caught:
        lab.run(*args, **options)
    assert one_sentence(caught.value)


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (None, {}),
        ("abc", {}),
        ({}, {}),
        (["a"], {"targets": ["b", "c"]}),
        ([], {"edits": al.ZeroHead(99, 0)}),
        (["a", "b"], {"each": 5}),
        (["a", "b"], {"each": True}),
        (["a", "b"], {"each": torch.tensor(1)}),
        (["a", "b"], {"each": torch.zeros(2)}),
        (["a", "b"], {"each": torch.zeros(2, 2)}),
        (["a", "b"], {"each": {"a": [], "b": []}}),
        (["a", "b"], {"each": [[], [[al.Mask("causal", hidden=[(5, k) for k in range(5)])]]]}),
        (["a"], {"edits": torch.tensor(1)}),
        (["a"], {"edits": {al.ZeroHead(0, 0): 1}}),
    ],
)
def test_a_bad_batch_is_one_sentence(lab, texts, options):
    with pytest.raises(AttnLabError) as caught:
        lab.run_many(texts, **options)
    assert one_sentence(caught.value)


def test_edits_of_each_text_may_come_from_a_generator(lab):
    texts, some = ["a", "b"], [[], al.ZeroHead(0, 1)]
    found = lab.run_many(texts, each=(edits for edits in some))
    for trace, ids, edits in zip(found, texts, some, strict=True):
        assert torch.allclose(trace.logits, lab.run(ids, edits=edits).logits, atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {"max_new_tokens": 1.5},
        {"max_new_tokens": None},
        {"max_new_tokens": 0},
        {"max_new_tokens": 65},
        {"temperature": float("nan")},
        {"temperature": None},
        {"temperature": torch.zeros(99, 99)},
        {"temperature": 10**400},
        {"temperature": 1e-320},
        {"seed": None, "temperature": 1.0},
    ],
)
def test_a_bad_generation_is_one_sentence(lab, options):
    with pytest.raises(AttnLabError) as caught:
        lab.generate("a", **options)
    assert one_sentence(caught.value)


def test_reading_a_trace_wrongly_is_one_sentence(lab):
    trace = lab.run([1, 2, 3])
    reads = [
        lambda: trace.next_tokens(-1),
        lambda: trace.next_tokens(1.5),
        lambda: trace.next_tokens(3, None),
        lambda: trace.weights[0, 1, 2],
        lambda: trace.weights[0:2],
        lambda: compare(lab, "a", [al.ZeroHead(0, 0)], k=-1),
        lambda: compare(lab, "a", None),
    ]
    for read in reads:
        with pytest.raises(AttnLabError) as caught:
            read()
        assert one_sentence(caught.value)


def test_more_tokens_than_there_are_is_all_of_them(lab):
    assert len(lab.run([1, 2, 3]).next_tokens(10**9)) == 101
    assert len(compare(lab, "a", al.ZeroHead(0, 0), k=10**9).before) == 101


@pytest.mark.parametrize(
    "make",
    [
        lambda: al.Temperature(1e308),
        lambda: al.Temperature(10**400),
        lambda: al.Temperature(float("nan")),
        lambda: al.Temperature(2, heads=()),
        lambda: al.ZeroHead(0, True),
        lambda: al.ZeroHead("0", 1),
        lambda: al.Capture("weights", thumbnails=2.5),
        lambda: al.Capture("z", thumbnails=8),
        lambda: al.edit_from_json({"kind": []}),
        lambda: al.edit_from_json({"kind": "zero_head", 1: 2, "x": 3}),
        lambda: al.edit_from_json({"kind": "zero_head"}),
        lambda: al.edit_from_json(3),
    ],
)
def test_a_bad_value_is_one_sentence(make):
    with pytest.raises(AttnLabError) as caught:
        make()
    assert one_sentence(caught.value)


def test_maps_that_do_not_fit_are_refused_before_the_run(lab, monkeypatch):
    from attnlab.pretrained import budget

    class Small:
        available = 100_000

    monkeypatch.setattr(budget.psutil, "virtual_memory", Small)
    with pytest.raises(AttnLabError, match="thumbnails=64"):
        lab.run([1] * 64)
    assert lab.run([1] * 64, capture=al.Capture("weights", layers=0, heads=1)).weights[0, 1].any()


def test_a_trace_can_be_pickled(lab):
    trace = lab.run([1, 2, 3])
    again = pickle.loads(pickle.dumps(trace))
    assert torch.equal(again.weights[1], trace.weights[1])
    assert again.next_tokens(2) == trace.next_tokens(2)


@pytest.mark.parametrize("name", ["whisper", "vit", "clip", "beit", "wav2vec2"])
def test_a_model_of_pictures_or_sound_says_that_it_takes_no_text(name):
    ours, wanted = families.lab(name), r"not run on a text alone: .* \((input|pixel)_"
    ids = families.text(3)
    for call in (
        lambda: ours.run(ids),
        lambda: ours.run("words"),
        lambda: ours.run_many([ids], edits=[al.ZeroHead(0, 0)]),
        lambda: al.sweep(ours, ids),
        lambda: al.head_roles(ours, ids=(0, 24)),
    ):
        with pytest.raises(InputError, match=wanted):
            call()


def test_a_model_loaded_with_inputs_of_its_own_still_reads_texts():
    ids = families.text(5)
    ours = al.load(families.model("llama"), inputs={"input_ids": torch.tensor([ids, ids])})
    assert ours.reads_texts
    assert torch.equal(ours.run(ids).logits, families.lab("llama").run(ids).logits)

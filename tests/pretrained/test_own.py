"""Decoders of our own as files: what is written is what is read, and it runs as any Lab does."""

import json
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

import attnlab as al
from attnlab.attention.masks import Causal, Window
from attnlab.attention.positions import Alibi, Learned, Rope, Yarn
from attnlab.errors import EditRefused, LoadError, ModelNotFound, StageNotAvailable, TextTooLong
from attnlab.pretrained import own
from attnlab.transformer import Config, Decoder

PLAIN = Config(vocabulary=30, width=16, layers=2, heads=4, hidden=32, tied=True, logits_scale=0.25)
CONFIGS = {
    "tied": PLAIN,
    "yarn": replace(PLAIN, positions=Rope(base=500, scaling=Yarn(4, 8)), tied=False),
    "windows": replace(PLAIN, positions=Alibi(), mask=(Causal() & Window(3), ~~Causal())),
    "learned": replace(PLAIN, positions=Learned(12), norm="rms", gated=True, kv_heads=2),
}
IDS = [3, 1, 4, 1, 5, 9, 2, 6, 5]


def decoder(config: Config) -> Decoder:
    torch.manual_seed(0)
    return Decoder(config).eval()


@pytest.fixture
def folder(tmp_path):
    """A folder with a tokenizer of single letters."""
    core = Tokenizer(models.WordLevel({c: i for i, c in enumerate("?abcdefg")}, unk_token="?"))
    core.pre_tokenizer = pre_tokenizers.Split("", behavior="isolated")
    PreTrainedTokenizerFast(tokenizer_object=core, unk_token="?").save_pretrained(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CONFIGS)
def test_a_file_becomes_the_same_decoder_in_a_lab(folder, name):
    net = decoder(CONFIGS[name])
    own.save(folder / "a.safetensors", net, length=8)
    lab = al.load(folder / "a.safetensors", device="cpu", dtype="float32")
    assert (lab.name, lab.tier, lab.head_kind) == ("a", "ours", "causal")
    assert lab.transformer.config == net.config
    trace = lab.run(IDS)
    torch.testing.assert_close(trace.logits, net.logits(net(torch.tensor([IDS])))[0])
    assert trace.weights.stack().shape == (2, 4, 9, 9)
    assert al.rebuild(lab) is lab
    assert "trained in it" in lab.trust.sentence and lab.trust.difference is None
    counted = sum(p.numel() for p in lab.model.parameters())
    assert counted == sum(p.numel() for p in net.parameters())


def test_it_takes_edits_batches_losses_and_generates(folder):
    own.save(folder / "a.safetensors", decoder(CONFIGS["yarn"]), length=8)
    lab = al.load(folder / "a.safetensors")
    edit = al.ZeroHead(1, 2)
    alone = [lab.run(ids, edits=edit).logits for ids in (IDS, IDS[:4])]
    for trace, logits in zip(lab.run_many([IDS, IDS[:4]], edits=edit), alone, strict=True):
        torch.testing.assert_close(trace.logits, logits, atol=1e-5, rtol=0)
    plain = lab.run(IDS, logits="all").logits[:-1].log_softmax(-1)
    losses = -plain.gather(1, torch.tensor(IDS[1:])[:, None])[:, 0]
    torch.testing.assert_close(lab.run(IDS, logits="loss").losses, losses, atol=1e-5, rtol=0)
    cached, whole = (
        lab.generate(IDS, max_new_tokens=4, use_cache=use).tokens for use in (True, False)
    )
    assert cached == whole and len(cached) == 13
    with pytest.raises(EditRefused):
        lab.run(IDS, edits=al.ZeroHead(2, 0))


def test_what_its_positions_do_not_give_is_said(folder):
    own.save(folder / "a.safetensors", decoder(CONFIGS["learned"]), length=8)
    lab = al.load(folder / "a.safetensors")
    with pytest.raises(TextTooLong, match="13 tokens; a takes at most 12"):
        lab.run(IDS + IDS[:4])
    with pytest.raises(StageNotAvailable):
        lab.run(IDS, capture="q_unrotated")


def test_half_precision_in_the_file_and_any_in_memory(folder):
    net = decoder(PLAIN)
    own.save(folder / "a.safetensors", net, length=8, dtype=torch.float16)
    stored = load_file(folder / "a.safetensors")
    assert {value.dtype for value in stored.values()} == {torch.float16}
    assert "head.unembed.weight" not in stored  # it is the embeddings
    for dtype in (torch.float32, torch.float64):
        lab = al.load(folder / "a.safetensors", dtype=dtype)
        assert {p.dtype for p in lab.model.parameters()} == {dtype}


def test_the_same_weights_give_the_same_bytes(folder):
    for name in "ab":
        own.save(folder / f"{name}.safetensors", decoder(PLAIN), length=8)
    assert (folder / "a.safetensors").read_bytes() == (folder / "b.safetensors").read_bytes()


def test_what_is_no_file_of_ours_is_named(folder):
    path = folder / "a.safetensors"
    save_file({"x": torch.zeros(2)}, path)
    with pytest.raises(ModelNotFound, match="is a file; name the folder"):
        al.load(path)
    save_file({"x": torch.zeros(2)}, path, metadata={"attnlab": json.dumps({"config": {}})})
    with pytest.raises(LoadError, match=r"“a[.]safetensors” could not be read as a model of ours"):
        al.load(path)
    own.save(path, decoder(PLAIN), length=8)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises((LoadError, ModelNotFound)):
        al.load(path)


def test_a_file_without_a_tokenizer_is_named(tmp_path):
    own.save(tmp_path / "a.safetensors", decoder(PLAIN), length=8)
    with pytest.raises(LoadError, match=r"“a[.]safetensors” has no tokenizer[.]json beside it"):
        al.load(tmp_path / "a.safetensors")

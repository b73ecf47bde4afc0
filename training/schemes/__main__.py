"""Train, measure and save: `python -m training.schemes --download`, or `--corpus kjv.txt`.

`--raw FOLDER` keeps the weights in full precision, and goes on where an earlier run was stopped.
"""

import argparse
import hashlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import PreTrainedTokenizerFast

import attnlab as al
from attnlab.pretrained import own
from attnlab.transformer import Decoder
from training.schemes import corpus, measure, model
from training.schemes.card import Measured, card
from training.schemes.train import BATCH, STEPS, train

SHIPPED = Path(__file__).parents[2] / "attnlab" / "pretrained" / "models" / "schemes"
SEEDS = 3
FACTOR = measure.LONGEST // model.LENGTH
"""By how much RoPE is stretched to reach the longest windows."""
STRETCHES = ("interpolated", "ntk", "yarn")
_TIED = "head.unembed.weight"


def main() -> None:
    """The whole recipe; what is written is what ships."""
    parser = argparse.ArgumentParser(prog="python -m training.schemes", description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--corpus", type=Path, help="what `bible -f ge1:1-rev22:21` writes")
    source.add_argument("--download", action="store_true", help="fetch it by apt-get")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--raw", type=Path, help="where weights in full precision are kept")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    asked = parser.parse_args()
    verses = corpus.download() if asked.download else asked.corpus.read_text("utf-8")
    if hashlib.sha256(verses.encode()).hexdigest() != corpus.SHA256:
        print("The corpus is not the one that the shipped weights have read.")
    text = corpus.to_train_on(corpus.chapters(verses))
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        raw = asked.raw or Path(scratch)
        raw.mkdir(parents=True, exist_ok=True)
        tokens = _tokenizer(text, asked.out)
        ids = torch.tensor(tokens(text, add_special_tokens=False, verbose=False)["input_ids"])
        minutes = _train_all(ids, tokens.bos_token_id, raw, asked.seeds, asked.steps)
        rounding = _write(raw, asked.out, asked.seeds)
    text = card(
        Measured(
            steps=asked.steps,
            batch=BATCH,
            read=len(ids),
            minutes=minutes,
            rounding=rounding,
            curves=dict(_curves(asked.out, asked.seeds)),
        )
    )
    print(text)
    (asked.out / "README.md").write_text(text, encoding="utf-8")


def _tokenizer(text: str, out: Path) -> PreTrainedTokenizerFast:
    tokens = model.tokenizer(text.splitlines(keepends=True))
    tokens.save_pretrained(out)
    return tokens


def _train_all(ids: Tensor, start: int, raw: Path, seeds: int, steps: int) -> float:
    """All the weights that are not there yet; the processor's minutes that all of them took."""
    seconds = 0.0
    for seed in range(seeds):
        for scheme in model.SCHEMES:
            path = raw / f"{scheme}-{seed}.safetensors"
            if not path.exists():
                began = time.process_time()
                net = train(scheme, seed, ids, start, steps)
                took = str(time.process_time() - began)
                weights = {k: v for k, v in net.state_dict().items() if k != _TIED}
                save_file(weights, path.with_suffix(".partial"), metadata={"seconds": took})
                path.with_suffix(".partial").replace(path)
            with safe_open(path, "pt") as file:
                seconds += float(file.metadata()["seconds"])
    return seconds / 60


def _write(raw: Path, out: Path, seeds: int) -> float:
    """The files that ship, in half precision; by how much that changes a mean loss, at most."""
    worst = 0.0
    for seed in range(seeds):
        for scheme in model.SCHEMES:
            weights = load_file(raw / f"{scheme}-{seed}.safetensors")
            net = model.build(scheme, seed)
            net.load_state_dict(weights | {_TIED: weights["embed.weight"]})
            path = out / f"{scheme}-{seed}.safetensors"
            own.save(path, net, length=model.LENGTH, dtype=torch.float16)
            worst = max(worst, _rounding(net, path))
    return worst


def _rounding(net: Decoder, path: Path) -> float:
    """The same texts by the weights as trained and as shipped: how far their losses are apart."""
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder, path.name)
        own.save(full, net, length=model.LENGTH)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            Path(folder, name).write_bytes((path.parent / name).read_bytes())
        return measure.difference(*(_lab(one) for one in (full, path)))


def _curves(out: Path, seeds: int) -> Iterator[tuple[tuple[str, int], measure.Curve]]:
    """The loss at each position of every file, and of RoPE stretched to the longest windows."""
    for seed in range(seeds):
        for scheme in model.SCHEMES:
            lab = _lab(out / f"{scheme}-{seed}.safetensors")
            yield (scheme, seed), measure.curve(lab)
            for stretch in STRETCHES if scheme == "rope" else ():
                edit = al.Positions(stretch, factor=FACTOR)
                yield (f"rope {stretch}", seed), measure.curve(lab, [edit])


def _lab(path: Path) -> al.Lab:
    return al.load(path, device="cpu", dtype="float32")


if __name__ == "__main__":
    main()

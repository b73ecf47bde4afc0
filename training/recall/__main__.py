"""Train, measure and save: `python -m training.recall`.

`--raw FOLDER` keeps the weights in full precision, and goes on where an earlier run was stopped.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from statistics import mean

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from attnlab.recall import MODELS, SEEDS, Recaller
from attnlab.recall.shipped import CURVES, FOLDER, WEIGHTS
from training.recall import measure
from training.recall.card import card
from training.recall.train import MORE, STEPS, train


def main() -> None:
    """The whole recipe; what is written is what ships."""
    parser = argparse.ArgumentParser(prog="python -m training.recall", description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--raw", type=Path, help="where weights in full precision are kept")
    parser.add_argument("--out", type=Path, default=FOLDER)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        raw = asked.raw or Path(scratch)
        raw.mkdir(parents=True, exist_ok=True)
        minutes = _train_all(raw, asked.seeds, asked.steps)
        steps = {name: asked.steps * MORE.get(name, 1) for name in MODELS}
        about = _write(raw, asked.out, asked.seeds) | {"steps": steps, "minutes": minutes}
    text = json.dumps(about, indent=1, sort_keys=True)
    (asked.out / CURVES).write_text(text + "\n", encoding="utf-8")
    text = card(about)
    print(text)
    (asked.out / "README.md").write_text(text, encoding="utf-8")


def _train_all(raw: Path, seeds: int, steps: int) -> float:
    """All the weights that are not there yet; the processor's minutes that all of them took."""
    seconds = 0.0
    for seed in range(seeds):
        for name in MODELS:
            path = raw / f"{name}-{seed}.safetensors"
            if not path.exists():
                began = time.process_time()
                net = train(name, seed, steps)
                took = str(time.process_time() - began)
                save_file(
                    net.state_dict(), path.with_suffix(".partial"), metadata={"seconds": took}
                )
                path.with_suffix(".partial").replace(path)
            with safe_open(path, "pt") as file:
                seconds += float(file.metadata()["seconds"])
    return round(seconds / 60, 1)


def _write(raw: Path, out: Path, seeds: int) -> dict:
    """The one file that ships, in half precision, and what its models can do."""
    shipped: dict[str, Tensor] = {}
    curves: dict[str, list[list[float]]] = {name: [] for name in MODELS}
    parameters, worst = {}, 0.0
    for name in MODELS:
        for seed in range(seeds):
            full = load_file(raw / f"{name}-{seed}.safetensors")
            half = {key: value.half() for key, value in full.items()}
            shipped |= {f"{name}-{seed}.{key}": value for key, value in half.items()}
            curve = measure.curve(_built(name, half))
            curves[name].append(curve)
            worst = max(worst, measure.difference(_built(name, half), _built(name, full)))
            parameters[name] = sum(value.numel() for value in full.values())
            print(name, seed, dict(zip(measure.PAIRS, curve, strict=True)), flush=True)
    save_file(shipped, out / WEIGHTS)
    (out / WEIGHTS).chmod(0o644)  # safetensors writes for the owner alone
    return {
        "pairs": list(measure.PAIRS),
        "lists": [measure.lists_of(pairs) for pairs in measure.PAIRS],
        "accuracy": curves,
        "mean": {name: _mean(rows) for name, rows in curves.items()},
        "parameters": parameters,
        "rounding": round(worst, 4),
    }


def _mean(rows: list[list[float]]) -> list[float]:
    return [round(mean(column), 4) for column in zip(*rows, strict=True)]


def _built(name: str, weights: dict[str, Tensor]) -> Recaller:
    model = Recaller(name)
    model.load_state_dict({key: value.to(torch.float32) for key, value in weights.items()})
    return model.requires_grad_(False).eval()


if __name__ == "__main__":
    main()

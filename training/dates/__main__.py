"""Train, measure and save: `python -m training.dates [--seed 0] [--out FOLDER]`."""

import argparse
from pathlib import Path
from typing import Any

from training.dates import guide, measure
from training.dates.card import Measured, card
from training.dates.train import BATCH, STEPS, train

SHIPPED = Path(__file__).parents[2] / "attnlab" / "pretrained" / "models" / "dates"
TEST_SEED = 1_000_000
"""Of the held-out dates that are measured; far from the seed of training."""
ALIGNED = 1_000
"""How many of them the alignment is measured on."""


def main() -> None:
    """The whole recipe; what is written is what ships."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--guided", type=int, default=guide.STEPS, help="steps of guidance")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    asked = parser.parse_args()
    net, tokens = train(asked.seed, asked.steps)
    dates = measure.held_out(10_000, TEST_SEED)
    before = measure.alignment(net, tokens, dates[:ALIGNED])
    guided = guide.guide(net, tokens, asked.seed, asked.guided)
    text = card(
        Measured(
            seed=asked.seed,
            steps=asked.steps,
            batch=BATCH,
            parameters=net.num_parameters(),
            layers=_layers(net.config),
            heads=net.config.num_heads,
            width=net.config.d_model,
            exact=measure.exact(net, tokens, dates),
            count=len(dates),
            before=before,
            aligned=measure.alignment(net, tokens, dates[:ALIGNED]),
            aligned_count=ALIGNED,
            guided=guided,
            guided_steps=asked.guided,
        )
    )
    print(text)
    net.save_pretrained(asked.out)
    tokens.save_pretrained(asked.out)
    for path in asked.out.iterdir():
        path.chmod(0o644)  # safetensors writes for the owner alone
    (asked.out / "README.md").write_text(text, encoding="utf-8")


def _layers(config: Any) -> str:
    return f"{config.num_layers} encoder layers and {config.num_decoder_layers} decoder layer"


if __name__ == "__main__":
    main()

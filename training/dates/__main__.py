"""Train, measure and save: `python -m training.dates [--seed 0] [--out FOLDER]`."""

import argparse
import time
from pathlib import Path

from training.dates import measure
from training.dates.card import Measured, card
from training.dates.train import BATCH, STEPS, train

SHIPPED = Path(__file__).parents[2] / "attnlab" / "pretrained" / "models" / "dates"
TEST_SEED = 1_000_000
"""Of the held-out dates that are measured; far from the seed of training."""


def main() -> None:
    """The whole recipe; what is written is what ships."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    asked = parser.parse_args()
    began = time.monotonic()
    net, tokens = train(asked.seed, asked.steps)
    minutes = (time.monotonic() - began) / 60
    dates = measure.held_out(10_000, TEST_SEED)
    config = net.config
    measured = Measured(
        seed=asked.seed,
        steps=asked.steps,
        batch=BATCH,
        minutes=minutes,
        parameters=net.num_parameters(),
        layers=f"{config.num_layers} encoder layers and {config.num_decoder_layers} decoder layer",
        heads=config.num_heads,
        width=config.d_model,
        exact=measure.exact(net, tokens, dates),
        count=len(dates),
        aligned=measure.alignment(net, tokens, dates[:1_000]),
        aligned_count=1_000,
    )
    print(card(measured))
    net.save_pretrained(asked.out)
    tokens.save_pretrained(asked.out)
    (asked.out / "README.md").write_text(card(measured), encoding="utf-8")


if __name__ == "__main__":
    main()

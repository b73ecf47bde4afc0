"""The training loop: fresh dates for every step, AdamW, a learning rate that rises and falls."""

import math
import random
from collections.abc import Callable, Iterator

import torch
from transformers import PreTrainedTokenizerFast, T5ForConditionalGeneration

from training.dates import model as tiny
from training.dates import ways

STEPS = 1_600
BATCH = 64
POOL = 8
"""Batches drawn at a time and sorted by length, so that little of a batch is padding."""
PEAK = 2e-3
"""The highest learning rate, reached after a twentieth of the steps."""


def train(
    seed: int, steps: int = STEPS, say: Callable[[str], None] = print
) -> tuple[T5ForConditionalGeneration, PreTrainedTokenizerFast]:
    """A trained model and its tokenizer; the same seed gives the same weights.

    On another processor or another version of PyTorch the last bits differ, and with them the
    weights in the end; the figures that `measure` gives stay about the same.
    """
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)  # sums in one order
    drawn_batches = batches(random.Random(seed))
    net, tokens = tiny.build(seed).train(), tiny.tokenizer()
    optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, steps))
    for step in range(1, steps + 1):
        drawn = next(drawn_batches)
        fed = tiny.batch_of(tokens, [d.text for d in drawn], [d.iso for d in drawn])
        loss = net(**fed).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % (max(steps, 20) // 20) == 0:
            say(f"step {step:,} of {steps:,}: loss {loss.item():.4f}")
    return net.eval(), tokens


def batches(pick: random.Random) -> Iterator[list[ways.Written]]:
    """Batches of fresh dates without end, each of texts of about one length."""
    while True:
        pool = [ways.draw(pick, held_out=False) for _ in range(POOL * BATCH)]
        pool.sort(key=lambda date: len(date.text))
        cut = [pool[start : start + BATCH] for start in range(0, len(pool), BATCH)]
        pick.shuffle(cut)
        yield from cut


def rate(step: int, steps: int) -> float:
    """The share of the peak: a straight rise, then half a cosine down to nothing."""
    rise = max(1, steps // 20)
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))

"""The last steps of training: one head of cross-attention is taught to look at what it writes.

Left to themselves the heads align by and large, but not always: the encoder spreads the little that
the first digit of the month takes, whether it is 10 or later, over the whole text, and any place
will do to read it off. For a picture that can be read, the head that aligns best by itself is
taught to do so always. The others stay free; the model card says what all of them do, before and
after.

Source: Garg et al., "Jointly Learning to Align and Translate with Transformer Models", 2019,
section 3.3: cross-entropy between one head's weights and the alignment, added to the loss.
"""

import random
from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast, T5ForConditionalGeneration

from training.dates import measure, ways
from training.dates import model as tiny
from training.dates.measure import ISO_PLACES
from training.dates.train import batches, rate
from training.dates.ways import PARTS, Written

STEPS = 200
PEAK = 1e-3
WEIGHT = 0.2
"""Of the alignment's loss, beside that of the characters."""


def guide(
    net: T5ForConditionalGeneration,
    tokens: PreTrainedTokenizerFast,
    seed: int,
    steps: int = STEPS,
    judged: int = 200,
) -> int:
    """Train on, in place; returns the head that was taught, of the last decoder layer.

    Args:
        judged: the number of dates that say which head aligns best.
    """
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    pick = random.Random(seed + 1)
    head = _best(net, tokens, [ways.draw(pick, held_out=False) for _ in range(judged)])
    net.train()
    drawn = batches(pick)
    optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, steps))
    for _ in range(steps):
        dates = next(drawn)
        fed = tiny.batch_of(tokens, [d.text for d in dates], [d.iso for d in dates])
        found = net(**fed, output_attentions=True)
        weights = found.cross_attentions[-1][:, head]
        loss = found.loss + WEIGHT * misaligned(weights, dates)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    net.eval()
    return head


def misaligned(weights: Tensor, dates: Sequence[Written]) -> Tensor:
    """−log of the weight on the part that is being written, in nats; the mean over its digits.

    Args:
        weights: of one head, [B, Q, S], Q the characters of YYYY-MM-DD and its end.
    """
    here = torch.zeros_like(weights)
    rows = [row for part in PARTS for row in ISO_PLACES[part]]
    for part in PARTS:
        for i, date in enumerate(dates):
            columns = [j for j, says in enumerate(date.says) if says == part]
            for row in ISO_PLACES[part]:
                here[i, row, columns] = 1
    return -(weights * here).sum(-1)[:, rows].clamp(min=1e-9).log().mean()


def _best(
    net: T5ForConditionalGeneration, tokens: PreTrainedTokenizerFast, dates: Sequence[Written]
) -> int:
    """The head of the last layer that looks most often at the part that is being written."""
    found = measure.alignment(net, tokens, dates)
    last = max(layer for layer, _, _ in found)
    heads = range(net.config.num_heads)
    return max(heads, key=lambda head: sum(found[last, head, part] for part in PARTS))

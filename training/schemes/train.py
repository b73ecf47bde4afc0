"""The loop: predict every next token of random stretches of the text."""

import math
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
import torch.utils.deterministic
from torch import Tensor

from attnlab.transformer import Decoder
from training.schemes.model import LENGTH, build

STEPS = 2_400
BATCH = 8
"""Stretches a step."""
PEAK = 8e-3
"""The highest learning rate."""


def train(
    scheme: str,
    seed: int,
    ids: Tensor,
    start: int,
    steps: int = STEPS,
    say: Callable[[str], None] = print,
) -> Decoder:
    """One model. The same scheme, seed, text and steps give the same weights.

    Args:
        ids: the whole text, [N].
        start: the id that every stretch begins with.
        say: told of the loss now and then.
    """
    torch.use_deterministic_algorithms(True)
    # Nothing here reads what it has not written, and filling it first takes a tenth of the time.
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.set_num_threads(1)  # another number of threads adds in another order
    net = build(scheme, seed).train()
    drawn = stretches(ids, start, seed)
    options = {"betas": (0.9, 0.98), "weight_decay": 0.01}
    optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK, fused=True, **options)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, steps))
    for step in range(1, steps + 1):
        fed, wanted = next(drawn)
        logits = net.logits(net(fed))
        loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 400 == 0 or step == steps:
            say(f"{scheme} {seed}: step {step}, loss {loss.item():.4f}")
    return net.eval()


def stretches(ids: Tensor, start: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """What is fed and what is wanted, [B, n] each, for ever; the same for every scheme.

    They begin anywhere, so no position has words of its own.
    """
    pick = torch.Generator().manual_seed(seed)
    offsets = torch.arange(LENGTH)
    first = torch.full((BATCH, 1), start)
    while True:
        begins = torch.randint(len(ids) - LENGTH + 1, (BATCH, 1), generator=pick)
        wanted = ids[begins + offsets]
        yield torch.cat([first, wanted[:, :-1]], 1), wanted


def rate(step: int, steps: int) -> float:
    """The share of the peak: a straight rise, then half a cosine down to nothing."""
    rise = max(1, steps // 20)
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))

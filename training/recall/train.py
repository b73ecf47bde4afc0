"""The loop: fresh random lists for every step, AdamW, a learning rate that rises and falls."""

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
import torch.utils.deterministic

from attnlab.recall import LONGEST, Batch, Recaller, draw
from training.schemes.train import rate

STEPS = 600
MORE = {"state-space": 2}
"""How many times as long a model is trained: the state space learns to look a key up far later than
the others, and would be judged by what it has not learned yet."""
TOKENS = 1_024
"""Of a step, in lists of one length."""
LENGTHS = (2, 4, 8, 16, LONGEST)
"""Pairs of the lists; each step has lists of one of these lengths."""
SHORT = 0.5
"""Over this share of the steps longer lists join one after another: to look a key up is learned
sooner where there are few."""
PEAK = 2e-2
"""The highest learning rate."""


def train(name: str, seed: int, steps: int = STEPS, say: Callable[[str], None] = print) -> Recaller:
    """One model. The same name, seed and steps give the same weights on one kind of processor.

    Args:
        steps: of a model that is not trained longer than the others (``MORE``).
        say: told of the loss now and then.
    """
    steps *= MORE.get(name, 1)
    torch.use_deterministic_algorithms(True)
    # Nothing here reads what it has not written, and filling it first takes time.
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.set_num_threads(1)  # another number of threads adds in another order
    torch.manual_seed(seed)
    net = Recaller(name).train()
    optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, steps))
    for step, batch in enumerate(batches(seed, steps), 1):
        logits = net(batch.ids, batch.pairs)
        loss = F.cross_entropy(logits.flatten(0, 1), batch.values.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0 or step == steps:
            say(f"{name} {seed}: step {step}, {batch.pairs} pairs, loss {loss.item():.4f}")
    return net.requires_grad_(False).eval()


def batches(seed: int, steps: int) -> Iterator[Batch]:
    """The lists of each step; the same for every model of one seed."""
    generator = torch.Generator().manual_seed(seed)
    for step in range(steps):
        known = lengths_at(step, steps)
        pairs = known[int(torch.randint(len(known), (1,), generator=generator))]
        yield draw(pairs, max(1, TOKENS // (3 * pairs)), generator)


def lengths_at(step: int, steps: int) -> tuple[int, ...]:
    """The lengths that lists can have at this step: two of them at first."""
    joined = int(step / (SHORT * steps) * (len(LENGTHS) - 1))
    return LENGTHS[: 2 + joined]

"""Heads that have to manage alone for a while.

Left to themselves, four heads of cross-attention share the work in ways that no reader can follow:
one digit is guessed from what three of them did not see. So in the second half of training half of the
dates are read with one head only, a random one. Nobody tells a head where to look; but one that is
alone and writes the month has to find the month.

Source: Zhou et al., "Scheduled DropHead: A Regularization Method for Transformer Models", 2020.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from transformers import T5ForConditionalGeneration


@contextmanager
def heads_alone(net: T5ForConditionalGeneration, seed: int) -> Iterator[None]:
    """Inside, every date has an even chance of being read by one head in each cross-attention."""
    pick = torch.Generator().manual_seed(seed)
    heads = net.config.num_heads

    def keep_one(module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """What the heads hand to the output projection, [B, Q, H·D], all but one head blanked.

        The one is scaled by the number of heads, so that what is handed on keeps its size.
        """
        z = inputs[0]
        batch = len(z)
        one = nn.functional.one_hot(torch.randint(heads, (batch,), generator=pick), heads) * heads
        alone = torch.rand(batch, 1, generator=pick) < 0.5
        share = torch.where(alone, one, torch.ones(batch, heads)).to(z)
        return ((z.unflatten(-1, (heads, -1)) * share[:, None, :, None]).flatten(-2),)

    hooks: list[Any] = [
        layer.layer[1].EncDecAttention.o.register_forward_pre_hook(keep_one)
        for layer in net.decoder.block
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()

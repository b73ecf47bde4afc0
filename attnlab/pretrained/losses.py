"""Next-token losses with the language-model head applied in chunks.

All logits of 2,048 tokens over 49,152 words are 384 MiB; their losses are 8 KiB.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

CHUNK = 128
"""Positions to which the head is applied at a time."""


def next_token_losses(
    logits_of: Callable[[int, int], Tensor], ids: Tensor, chunk: int = CHUNK
) -> Tensor:
    """−log p(token i + 1 | tokens to i) in nats, [B, n − 1], for ids [B, n].

    Args:
        logits_of: gives the logits [B, c, V] of positions start..stop.
    """
    last = ids.shape[1] - 1
    parts = []
    for start in range(0, last, chunk):
        stop = min(start + chunk, last)
        logits = logits_of(start, stop).float()
        wanted = ids[:, start + 1 : stop + 1, None]
        chosen = logits.gather(-1, wanted).squeeze(-1)
        parts.append(logits.logsumexp(-1) - chosen)
    return torch.cat(parts, 1) if parts else ids.new_zeros(ids.shape[0], 0, dtype=torch.float32)

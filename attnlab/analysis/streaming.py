"""What a long text costs a model that forgets: the loss of each token under caches that keep all of
it, the last tokens, or the last and the first (Xiao et al. 2023, figure 3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.progress import Progress
from attnlab.attention.keep import KeepLast
from attnlab.errors import InputError
from attnlab.trace import Cancel, Runner
from attnlab.trace.trace import at_least_one

Partly = Callable[[Float[Tensor, " c"]], None]


def read(
    runner: Runner,
    text: Any,
    *,
    cache: KeepLast | None = None,
    chunk: int = 1,
    progress: Progress | None = None,
    partly: Partly | None = None,
    cancel: Cancel | None = None,
    **options: Any,
) -> Float[Tensor, " n-1"]:
    """−log p of each token of a text of n tokens but the first, in nats [n − 1]: what comes at
    place i is the loss of token i + 1.

    Args:
        cache: what is kept; None: everything.
        chunk: tokens read at once; see ``Lab.read``.
        progress: called with the share that is read; ``partly``, at the same moments, with the
            losses so far.
        options: more of ``Lab.read``, such as edits.

    Raises:
        InputError: the text has one token only, or the model cannot read like this.
        Cancelled: ``cancel`` was set.
    """
    ids = [token.id for token in runner.tokens(text)] if isinstance(text, str) else list(text)
    if len(ids) < 2:
        raise InputError("A text of one token has no loss; type at least two.")
    parts: list[Tensor] = []
    done = 0
    for losses in runner.read(ids, cache=cache, chunk=chunk, cancel=cancel, **options):
        parts.append(losses)
        done += len(losses)
        if partly is not None:
            partly(torch.cat(parts))
        if progress is not None:
            progress(done / (len(ids) - 1))
    return torch.cat(parts)


def smoothed(losses: Float[Tensor, " n"], over: int) -> Float[Tensor, " n"]:
    """The mean of each loss and those before it, ``over`` in all or as many as there are: a curve
    that can be read.

    >>> smoothed(torch.tensor([2.0, 4.0, 6.0]), 2).tolist()
    [2.0, 3.0, 5.0]
    """
    over = at_least_one(over, "over")
    sums = losses.double().cumsum(0)
    before = torch.cat([sums.new_zeros(min(over, len(sums))), sums[:-over]])
    counts = torch.arange(1, len(sums) + 1).clamp(max=over)
    return ((sums - before) / counts).float()

"""How much of all attention rests on the first tokens of a text, the sinks (Xiao et al. 2023).

A softmax must put its weight somewhere. Where a head has nothing to look for it rests on the first
tokens, whatever they are, because every later token can see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attnlab.errors import InputError
from attnlab.trace.run import Cancel


def on_first(
    runner: Any, ids: Sequence[int], first: int, start: int, cancel: Cancel | None = None
) -> float:
    """The mean weight that queries from ``start`` on give to the ``first`` tokens together, over
    all heads and layers of the model's main role.

    Raises:
        InputError: no query lies beyond ``start``.
        Cancelled: ``cancel`` was set.
    """
    if not first <= start < len(ids):
        raise InputError(f"Of {len(ids):,} tokens none lies beyond {start:,}.")
    trace = runner.run(list(ids), capture=("weights",), logits=None, cancel=cancel)
    weights = trace.weights
    layers = [weights[layer][:, start:, :first].double().sum(-1) for layer in weights.layers]
    return float(sum(one.mean() for one in layers) / len(layers))

"""Edits made by hand on a model of one's own: what the engine's edits must equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from attnlab.pretrained.inputs import keywords


@contextmanager
def on_head(
    model: Any,
    projection: str,
    head: int,
    heads: int,
    change: Callable[[Tensor], Any],
    call: int = 0,
) -> Iterator[None]:
    """Change one head's slice [B, Q, E] of what the output projection reads.

    ``call`` counts the calls of the projection in a forward, for models that share one among
    layers.
    """
    calls = iter(range(1000))

    def hook(module: Any, args: tuple) -> tuple | None:
        if next(calls) != call:
            return None
        z = args[0].clone()
        size = z.shape[-1] // heads
        part = slice(head * size, (head + 1) * size)
        z[..., part] = change(z[..., part])
        return (z, *args[1:])

    handle = model.get_submodule(projection).register_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def zero(z: Tensor) -> Tensor:
    return torch.zeros_like(z)


def mean(z: Tensor) -> Tensor:
    """The mean over positions, at every position."""
    return z.mean(-2, keepdim=True).expand_as(z)


def outputs(model: Any, inputs: dict[str, Tensor]) -> Tensor:
    """Logits, or last hidden states, of the first row."""
    switch = {"use_cache": False} if "use_cache" in keywords(model) else {}
    with torch.no_grad():
        found = model(**inputs, **switch)
    logits = getattr(found, "logits", None)
    return (found.last_hidden_state if logits is None else logits)[0]

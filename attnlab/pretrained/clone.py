"""A second module structure over the same weights."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TypeVar

from torch import Tensor, nn

Model = TypeVar("Model", bound=nn.Module)


def structural_clone(model: Model) -> Model:
    """A copy of the modules and the configuration that shares every weight.

    Our hooks and our attention function go into the clone, so the caller's own model stays as it
    was: same attention implementation, same hooks, same configuration. What the caller hung on
    the modules comes along.
    """
    shared = {id(tensor): tensor for tensor in _weights(model)}
    return copy.deepcopy(model, memo=shared).eval()


def _weights(model: nn.Module) -> Iterator[Tensor]:
    """Parameters and buffers that a run cannot change.

    Numbers that are not saved with the weights are state, and copied: a rotary embedding that
    rescales with the length of the text writes its frequencies into such a buffer.
    """
    yield from model.parameters()
    saved = {id(value) for value in model.state_dict(keep_vars=True).values()}
    for buffer in model.buffers():
        if id(buffer) in saved or not buffer.is_floating_point():
            yield buffer

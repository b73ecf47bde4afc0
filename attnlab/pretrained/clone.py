"""A second module structure over the same weights."""

from __future__ import annotations

import copy
from typing import TypeVar

from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def structural_clone(model: Model) -> Model:
    """A copy of the modules and the configuration that shares every parameter and buffer.

    Our hooks and our attention function go into the clone, so the caller's own model stays as it
    was: same attention implementation, same hooks, same configuration.
    """
    shared = {id(t): t for t in (*model.parameters(), *model.buffers())}
    # The class is given hooks by nobody: what the caller hung on the modules comes along.
    return copy.deepcopy(model, memo=shared).eval()

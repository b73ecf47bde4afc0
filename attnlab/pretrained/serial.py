"""Models that change themselves while they run, and the lock that they need."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext

from torch import nn

_MUTATING_ROPE = ("dynamic", "longrope")


def serial_for(model: nn.Module) -> AbstractContextManager:
    """A context manager to enter around every run: nothing for a model that threads can share.

    Rotary embeddings that rescale with the length of the text write their frequencies into the
    module, and offloaded models move weights to and fro. These run one at a time; the rotary
    state is put back afterwards, so that a run never depends on the one before.
    """
    modules = list(model.modules())
    rotary = [m for m in modules if any(kind in _rope_kinds(m) for kind in _MUTATING_ROPE)]
    offloaded = any(hasattr(m, "_hf_hook") for m in modules)
    return OneAtATime(rotary) if rotary or offloaded else nullcontext()


def _rope_kinds(module: nn.Module) -> tuple[str, ...]:
    """The scaling of a rotary module; one for each layer type where it keeps several."""
    kind = getattr(module, "rope_type", None)
    return tuple(kind.values()) if isinstance(kind, dict) else (kind,) if kind else ()


class OneAtATime:
    """A re-entrant lock that restores the state of some modules when it is released."""

    def __init__(self, modules: list[nn.Module]) -> None:
        self._modules = modules
        self._lock = threading.RLock()
        self._depth = 0
        self._saved: list[_State] = []

    def __enter__(self) -> OneAtATime:
        self._lock.acquire()
        self._depth += 1
        if self._depth == 1:
            self._saved = [_State(module) for module in self._modules]
        return self

    def __exit__(self, *exc: object) -> None:
        if self._depth == 1:
            for state in self._saved:
                state.restore()
            self._saved = []
        self._depth -= 1
        self._lock.release()


class _State:
    """The attributes and buffers of a module, and the numbers in the buffers."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._attributes, self._buffers = dict(module.__dict__), dict(module._buffers)
        self._numbers = {name: b.clone() for name, b in self._buffers.items() if b is not None}

    def restore(self) -> None:
        self._module.__dict__.clear()
        self._module.__dict__.update(self._attributes)
        self._module._buffers.clear()
        self._module._buffers.update(self._buffers)
        for name, numbers in self._numbers.items():
            self._buffers[name].copy_(numbers)

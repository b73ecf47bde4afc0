"""One forward, watched: which modules ran, in what order, on which tensors, and what was added.

The probe reads everything it knows off this record, so it needs no knowledge of architectures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attnlab.pretrained import dispatch

SOFTMAX = {nn.functional.softmax, torch.softmax, Tensor.softmax}
_ADDS = {torch.add, Tensor.add, Tensor.__add__, Tensor.__radd__}
_ADDS_IN_PLACE = {Tensor.add_, Tensor.__iadd__}
_RESHAPES = {Tensor.view, Tensor.reshape, Tensor.contiguous, Tensor.to, torch.reshape}
_CLAMPS = {torch.clamp, torch.clip, Tensor.clamp, Tensor.clip}
_MULS = {torch.mul, Tensor.mul, Tensor.__mul__, Tensor.__rmul__}


@dataclass
class Event:
    """One call of one module. ``start`` and ``end`` order it among all events and calls.

    ``last``: it gave what transformers calls the last hidden state. ``given`` and ``result``: its
    arguments, those by name too, and all that it returned; ``input`` and ``output`` are the main
    tensors among them.
    """

    path: str
    module: nn.Module
    start: int
    input: Tensor | None
    end: int = -1
    output: Tensor | None = None
    last: bool = False
    given: tuple[tuple, Mapping[str, Any]] = ((), MappingProxyType({}))
    result: Any = None


@dataclass
class Seen:
    """One attention call: when, inside which module calls (outermost first), and what."""

    call: dispatch.Call
    time: int
    stack: tuple[Event, ...]
    path: str


@dataclass
class Record:
    """Everything that was watched. Tensors are kept alive, so that their ids stay theirs."""

    events: list[Event] = field(default_factory=list)
    calls: list[Seen] = field(default_factory=list)
    sums: dict[int, tuple[Tensor, Tensor, Tensor]] = field(default_factory=dict)
    products: dict[int, tuple[Tensor, Tensor, float]] = field(default_factory=dict)
    added: dict[int, tuple[Tensor, list[Tensor]]] = field(default_factory=dict)
    """What was added to a tensor in place."""
    reshaped: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)
    lookups: list[tuple[Tensor, int]] = field(default_factory=list)
    """Which rows of a table were asked for, and how many it has."""
    bounded: dict[int, tuple[Tensor, int]] = field(default_factory=dict)
    """Whole numbers that were cut down to a largest one, and that one."""
    outputs: Any = None
    on_softmax: Callable[[Tensor], None] | None = None

    def made_by(self, tensor: Tensor) -> list[Event]:
        """The module calls that returned this very tensor, innermost first."""
        return sorted((e for e in self.events if e.output is tensor), key=lambda e: e.end)


def hidden_of(args: tuple, kwargs: Mapping[str, Any]) -> tuple[int | str, Tensor] | None:
    """The hidden states among a module's arguments, and where they stand."""
    named = kwargs.get("hidden_states")
    if isinstance(named, Tensor):
        return "hidden_states", named
    for place, value in (*enumerate(args), *kwargs.items()):
        if isinstance(value, Tensor) and value.is_floating_point() and value.dim() == 3:
            return place, value
    return None


def first_tensor(output: Any) -> Tensor | None:
    """The main tensor of a module's output: itself, or the first of a tuple or ModelOutput."""
    if isinstance(output, Tensor):
        return output
    if isinstance(output, Mapping):
        output = tuple(output.values())
    if isinstance(output, tuple | list) and output and isinstance(output[0], Tensor):
        return output[0]
    return None


class _Arithmetic(TorchFunctionMode):
    """Notes sums of two tensors, products with a number, softmaxes and lookups in tables."""

    def __init__(self, record: Record) -> None:
        super().__init__()
        self.record = record

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Any = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        if func is nn.functional.embedding:
            self.record.lookups.append((args[0], len(args[1])))
        if func in SOFTMAX and self.record.on_softmax is not None:
            self.record.on_softmax(out)
        if func in _ADDS and len(args) == 2 and all(isinstance(a, Tensor) for a in args):
            self.record.sums[id(out)] = (out, args[0], args[1])
        elif func in _ADDS_IN_PLACE and isinstance(args[1], Tensor):
            self.record.added.setdefault(id(out), (out, []))[1].append(args[1])
        elif func in _RESHAPES and out is not args[0]:
            self.record.reshaped[id(out)] = (out, args[0])
        elif func in _CLAMPS:
            most = (kwargs or {}).get("max", args[2] if len(args) > 2 else None)
            if isinstance(most, int) and not out.is_floating_point():
                self.record.bounded[id(out)] = (out, most)
        elif func in _MULS and len(args) == 2 and isinstance(out, Tensor):
            numbers = [a for a in args if isinstance(a, int | float)]
            if numbers:
                tensor = args[0] if isinstance(args[0], Tensor) else args[1]
                self.record.products[id(out)] = (out, tensor, float(numbers[0]))
        return out


def watch(
    model: nn.Module,
    inputs: Mapping[str, Any],
    softmax: Callable[[Tensor], dispatch.Call] | None = None,
) -> Record:
    """Run the model once on ``inputs``, without gradients, and record what happened.

    Args:
        softmax: makes a call of every softmax's output, for models that do not dispatch to us.
    """
    record = Record()
    with _hooked(model, record, softmax), torch.no_grad(), _Arithmetic(record):
        record.outputs = model(**inputs)
    return record


@contextmanager
def _hooked(
    model: nn.Module, record: Record, softmax: Callable[[Tensor], dispatch.Call] | None
) -> Iterator[None]:
    """Hooks on every module of the clone, for the length of the probe only."""
    stack: list[Event] = []
    clock = iter(range(1 << 62))
    names = {id(module): path for path, module in reversed(list(model.named_modules()))}

    def enter(module: nn.Module, args: tuple, kwargs: dict) -> None:
        found = hidden_of(args, kwargs)
        tensor = found[1] if found else first_tensor(args)
        given = (args, kwargs)
        stack.append(Event(names[id(module)], module, next(clock), tensor, given=given))

    def leave(module: nn.Module, args: tuple, output: Any) -> None:
        event = stack.pop()
        event.end, event.output, event.result = next(clock), first_tensor(output), output
        event.last = getattr(output, "last_hidden_state", None) is not None
        record.events.append(event)

    def attended(call: dispatch.Call) -> None:
        path = names.get(id(call.module), stack[-1].path if stack else "")
        record.calls.append(Seen(call, next(clock), tuple(stack), path))

    if softmax is not None:
        record.on_softmax = lambda weights: attended(softmax(weights))
    handles = []
    token = dispatch.recorder.set(attended)
    try:
        for module in dict.fromkeys(model.modules()):
            handles.append(module.register_forward_pre_hook(enter, with_kwargs=True))
            handles.append(module.register_forward_hook(leave))
        yield
    finally:
        dispatch.recorder.reset(token)
        for handle in handles:
            handle.remove()

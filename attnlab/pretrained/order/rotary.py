"""Rotary positions of a pretrained model: what gives cosines and sines is made to give others.

The module is asked again, at other positions, or a new one of its class is asked, built from a
configuration that differs in nothing but how the rotation is stretched: so the numbers are those
of a freshly built model, whatever the layout of its cosines.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.attention.positions import NtkAware
from attnlab.pretrained.order.route import Key, replaced
from attnlab.trace.edits.placed import STAGE, Placed, entrance, moved, placed_at, stretches
from attnlab.trace.edits.positions import Positions
from attnlab.trace.run import Run, current_run
from attnlab.trace.site import Site


@dataclass(frozen=True)
class Rotary:
    """A module that gives the turn of each position. ``argument``: its positions, as it is called.

    ``role``: whose queries and keys turn. ``layered``: whether each layer is handed the turn.
    """

    path: str
    argument: Key
    role: str
    layered: bool


def parts_of(turn: Any) -> tuple[Tensor, ...]:
    """The tensors of a turn: cosines and sines, or one tensor of complex numbers."""
    if isinstance(turn, Tensor):
        return (turn,)
    if isinstance(turn, tuple | list) and all(isinstance(part, Tensor) for part in turn):
        return tuple(turn)
    return ()


def restretched(config: Any, edits: Sequence[Positions]) -> Any:
    """The configuration of a model that turns as some edits say; the rest of it is shared."""
    config = copy.copy(config)
    own = copy.deepcopy(config.rope_parameters)
    config.rope_parameters = own
    nested = [kind for kind, value in own.items() if isinstance(value, dict)]
    if nested:  # one for each type of layer
        own.update({kind: _parameters(own[kind], edits, config) for kind in nested})
    else:
        config.rope_parameters = _parameters(own, edits, config)
    return config


def _parameters(own: dict[str, Any], edits: Sequence[Positions], config: Any) -> dict[str, Any]:
    """The last base and the last stretching: a configuration of NTK-aware RoPE holds a base that is
    stretched already, so the base must be known first."""
    for edit in edits:
        if edit.scheme == "base":
            own = own | {"rope_theta": float(edit.base)}
    slower = [edit for edit in edits if edit.scheme != "base"]
    return _stretched(own, slower[-1], config) if slower else own


def _stretched(own: dict[str, Any], edit: Positions, config: Any) -> dict[str, Any]:
    plain = {name: own[name] for name in ("rope_theta", "partial_rotary_factor") if name in own}
    if edit.scheme == "interpolated":
        return plain | {"rope_type": "linear", "factor": float(edit.factor)}
    if edit.scheme == "yarn":
        more = {"factor": float(edit.factor), "original_max_position_embeddings": edit.original}
        return plain | {"rope_type": "yarn"} | more
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    size = int(size * plain.get("partial_rotary_factor", 1.0))
    base = NtkAware(edit.factor).base(plain["rope_theta"], size)
    return plain | {"rope_type": "default", "rope_theta": base}


def original_of(config: Any) -> int | None:
    """How long the texts of training were, as a configuration says."""
    own = getattr(config, "rope_parameters", None) or {}
    given = own.get("original_max_position_embeddings")
    given = given or getattr(config, "original_max_position_embeddings", None)
    return given or getattr(config, "max_position_embeddings", None)


@dataclass
class Call:
    """One call of a rotary module in a forward, and the other turns that were made of it."""

    rotary: Rotary
    module: nn.Module
    args: tuple
    kwargs: Mapping[str, Any]
    turn: Any
    _made: dict[Any, Any] = field(default_factory=dict)
    _modules: dict[tuple[Positions, ...], nn.Module] = field(default_factory=dict)

    def changed(self, run: Run, place: Any) -> Any:
        """The turn at a place of the model, as the rows of the batch have it; itself where none
        has another."""
        groups = placed_at(run, place)
        if not any(bounds for bounds, _ in groups):
            return self.turn
        key = tuple((tuple((b.edit, b.length) for b in bounds), *rows) for bounds, rows in groups)
        if key not in self._made:
            self._made[key] = self._turned(groups, run.batch)
        return self._made[key]

    def _turned(self, groups: list, batch: int) -> Any:
        if len(groups) == 1:
            return self._asked(groups[0][0], None)
        parts = [part.expand(batch, *part.shape[1:]) for part in parts_of(self.turn)]
        for bounds, rows in groups:
            if bounds:
                new = parts_of(self._asked(bounds, rows))
                index = torch.tensor(rows, device=parts[0].device)
                parts = [
                    part.index_copy(0, index, n.expand(len(rows), *n.shape[1:]))
                    for part, n in zip(parts, new, strict=True)
                ]
        return parts[0] if isinstance(self.turn, Tensor) else type(self.turn)(parts)

    def _asked(self, bounds: tuple[Placed, ...], rows: list[int] | None) -> Any:
        """The turn of some rows."""
        key = self.rotary.argument
        own = self.kwargs[key] if isinstance(key, str) else self.args[key]
        if rows is not None and own.dim() > 1 and own.shape[-2] > 1:
            own = own[..., rows, :]
        args, kwargs = replaced(self.args, self.kwargs, key, moved(bounds, own))
        return self._module(stretches(bounds)).forward(*args, **kwargs)

    def _module(self, edits: tuple[Positions, ...]) -> nn.Module:
        if not edits:
            return self.module
        if edits not in self._modules:
            self._modules[edits] = restretched_module(self.module, edits).to(self.turn_device)
        return self._modules[edits]

    @property
    def turn_device(self) -> torch.device:
        return parts_of(self.turn)[0].device


def restretched_module(module: nn.Module, edits: Sequence[Positions]) -> nn.Module:
    """A rotary module as a model has it that was built with another rotation; its numbers in the
    types of the model's own, which was perhaps cast after it was built."""
    fresh = type(module)(restretched(module.config, edits)).eval()
    for name, own in module.named_buffers(recurse=False):
        if fresh._buffers.get(name) is not None:
            fresh._buffers[name] = fresh._buffers[name].to(own.dtype)
    return fresh


def install_rotary(module: nn.Module, rotary: Rotary) -> None:
    """Where each layer is handed the turn, remember who made it; else hand out the changed one."""
    door = entrance(rotary.role)

    def hook(module: nn.Module, args: tuple, kwargs: dict, turn: Any) -> Any:
        run = current_run()
        if run is None or not run.asks(STAGE):
            return None
        call = Call(rotary, module, args, kwargs, turn)
        if not rotary.layered:
            return call.changed(run, door)
        run.memo[id(parts_of(turn)[0])] = call
        return None

    module.register_forward_hook(hook, with_kwargs=True)


def turn_at(run: Run, turn: Any, site: Site) -> Any:
    """The turn that a layer is handed, as the run wants it there."""
    return run.memo[id(parts_of(turn)[0])].changed(run, site)

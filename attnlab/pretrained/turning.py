"""Turning keys on that a pretrained model has rotated already, whatever its layout.

A key at position p is R(p) k, and R(d) R(p) = R(p + d), so the model's own cosines and sines at d
turn a kept key d positions on. Which coordinates are pairs is found by trying: the same tokens are
read at 0, 1, 2 … and d later, and one layout turns the first keys into the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import DynamicCache

from attnlab.attention.positions.rope import Rotation
from attnlab.errors import InputError
from attnlab.pretrained.clone import structural_clone
from attnlab.pretrained.order.evidence import MISFITS
from attnlab.pretrained.order.rotary import Rotary, parts_of
from attnlab.pretrained.order.route import replaced

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab

_TOKENS: Final = 5
_ON: Final = 7
_TOLERANCE: Final = 1e-3
"""Of the largest key: half precision rounds, another layout is off by all of it."""


class Turning:
    """What turns keys [B, K, s, D] some positions on."""

    def __init__(
        self, module: nn.Module, rotary: Rotary, given: tuple[tuple, Mapping], layout: str
    ) -> None:
        self.module, self.rotary, self.given, self.layout = module, rotary, given, layout
        self._last: tuple[int, Rotation] | None = None

    def __call__(self, keys: Float[Tensor, "B K s D"], positions: int) -> Tensor:
        if not positions:
            return keys
        last = self._last
        if last is None or last[0] != positions:  # the same in every layer
            last = (positions, self.rotation(positions))
            self._last = last
        return last[1](keys)  # not self._last: another thread may be elsewhere in its text

    def rotation(self, positions: int) -> Rotation:
        cos, sin = self._parts(positions)
        if not self._parts(0)[0].any():  # sines come first: at 0 there is no turn
            cos, sin = sin, cos
        longer = (cos.double() ** 2 + sin.double() ** 2).sqrt().to(cos.dtype)  # YaRN's magnitude
        cos, sin = (_pairs(part / longer, self.layout)[:, None] for part in (cos, sin))
        return Rotation(cos, sin, self.layout.endswith("neighbours"))

    def _parts(self, positions: int) -> tuple[Tensor, ...]:
        """What the module gives at one position, [1, 1, ·] each."""
        args, kwargs = self.given
        own = kwargs[self.rotary.argument] if isinstance(self.rotary.argument, str) else None
        own = args[self.rotary.argument] if own is None else own
        one = torch.full_like(own[..., :1], positions)
        args, kwargs = replaced(args, kwargs, self.rotary.argument, one)
        with torch.no_grad():
            turn = self.module.forward(*args, **kwargs)
        return tuple(part[:1] for part in parts_of(turn))


_LAYOUTS: Final = ("twice, halves", "twice, neighbours", "once, halves", "once, neighbours")
"""Whether a pair's angle is given once or twice, and whether its coordinates lie half a head apart
or side by side."""


def _pairs(part: Tensor, layout: str) -> Tensor:
    if layout == "twice, halves":
        return part[..., : part.shape[-1] // 2]
    return part[..., 0::2] if layout == "twice, neighbours" else part


def turning_of(lab: Lab, rotaries: tuple[Rotary, ...]) -> Turning:
    """What turns the keys of a Lab's decoder, by the modules that give a turn.

    Raises:
        InputError: its keys are turned by several modules, or in a way that was not recognised.
    """
    own = [rotary for rotary in rotaries if rotary.role == "decoder"]
    if len(own) == 1 and "position_ids" in lab._keywords:
        found = _tried(lab, own[0])
        if found is not None:
            return found
    raise InputError(
        f"How {lab.name} turns its keys was not recognised, so kept tokens cannot be numbered "
        "anew; KeepLast(window) without sinks needs no turning."
    )


def turns_by_length(lab: Lab, rotaries: tuple[Rotary, ...]) -> bool:
    """Whether tokens turn otherwise in a longer text ("dynamic" and "longrope" scaling): the same
    first positions are asked for alone, and with the last that the model takes."""
    if lab.longest is None:
        return False
    clone = structural_clone(lab._clone)
    calls: dict[str, tuple] = {}

    def noting(path: str) -> Any:
        return lambda module, args, kwargs: calls.setdefault(path, (args, kwargs)) and None

    for path in {rotary.path for rotary in rotaries}:
        clone.get_submodule(path).register_forward_pre_hook(noting(path), with_kwargs=True)
    with torch.no_grad():
        clone(input_ids=torch.ones(1, _TOKENS, dtype=torch.long, device=lab.device))
        known = [rotary for rotary in rotaries if rotary.path in calls]
        return any(_differs(lab, clone.get_submodule(r.path), r, *calls[r.path]) for r in known)


def _differs(lab: Lab, module: nn.Module, rotary: Rotary, args: tuple, kwargs: Mapping) -> bool:
    near = kwargs[rotary.argument] if isinstance(rotary.argument, str) else args[rotary.argument]
    far = near.clone()
    far[..., -1] = lab.longest - 1
    turns = []
    for places in (near, far):
        own, named = replaced(args, kwargs, rotary.argument, places)
        parts = parts_of(module.forward(*own, **named))
        turns.append([part.reshape(-1, part.shape[-1])[: _TOKENS - 1] for part in parts])
    return not all(torch.equal(one, other) for one, other in zip(*turns, strict=True))


def _tried(lab: Lab, rotary: Rotary) -> Turning | None:
    """In the first layout that fits, on a clone of its own: other threads run the Lab's."""
    clone = structural_clone(lab._clone)
    try:
        given, before, after = _read(lab, clone, rotary)
    except MISFITS:
        return None
    for layout in _LAYOUTS:
        turning = Turning(clone.get_submodule(rotary.path), rotary, given, layout)
        try:
            turned = turning(before, _ON)
        except MISFITS:
            continue
        if turned.shape == after.shape:
            off = float((turned - after).abs().max())
            if off <= _TOLERANCE * float(after.abs().max()):
                return turning
    return None


def _read(lab: Lab, clone: Any, rotary: Rotary) -> tuple[tuple, Tensor, Tensor]:
    """How the module is called, and the first layer's keys of the same tokens at both places."""
    calls: list[tuple] = []

    def note(module: nn.Module, args: tuple, kwargs: dict) -> None:
        calls.append((args, kwargs))

    clone.get_submodule(rotary.path).register_forward_pre_hook(note, with_kwargs=True)
    ids = torch.ones(1, _TOKENS, dtype=torch.long, device=lab.device)
    found = []
    for start in (0, _ON):
        positions = torch.arange(start, start + _TOKENS, device=ids.device)[None]
        kept = DynamicCache()
        with torch.no_grad():
            clone(input_ids=ids, position_ids=positions, cache=kept, use_cache=True)
        found.append(next(layer.keys for layer in kept.layers if layer.keys is not None))
    return calls[0], *found

"""Where order enters our own transformer: its schemes say so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import nn

from attnlab.attention.positions import (
    Alibi,
    Learned,
    Llama3,
    NtkAware,
    PositionInterpolation,
    RelativeBuckets,
    Rope,
    Sinusoidal,
    Yarn,
)
from attnlab.pretrained.order.find import Found
from attnlab.pretrained.order.rotary import original_of
from attnlab.trace.positioning import BIAS, ROTARY, SINGLE, TABLE, Positioning
from attnlab.transformer import Stack

_STRETCHES = {PositionInterpolation: "linear", NtkAware: "ntk", Yarn: "yarn", Llama3: "llama3"}


def found_in(transformer: nn.Module, config: Any) -> Found:
    """What each stack of a transformer goes by. ``config``: of the pretrained model that its
    weights are from, which may say how long its training texts were."""
    stacks = {s.role: path for path, s in transformer.named_modules() if isinstance(s, Stack)}
    return Found({role: _of(transformer, path, role, config) for role, path in stacks.items()})


def _of(transformer: nn.Module, path: str, role: str, config: Any) -> Positioning:
    stack = transformer.get_submodule(path)
    scheme, found = stack.config.positions, Positioning(role)
    if isinstance(scheme, Rope):
        return _rotary(scheme, stack, replace(found, original=original_of(config)))
    if isinstance(scheme, Alibi | RelativeBuckets):
        return replace(found, kinds=(BIAS,), layered=True)
    found = replace(found, width=stack.config.width)
    odd = f"sinusoids come in pairs, and {stack.config.width} is odd"
    refused = {"sinusoidal": odd} if stack.config.width % 2 else {}
    if isinstance(scheme, Learned):
        where = (f"{path}.positions.table".removeprefix("."), "weight", scheme.offset)
        more = {"learned": True, "longest": scheme.longest, "table": where, "refused": refused}
        return replace(found, kinds=(TABLE,), **more)
    if isinstance(scheme, Sinusoidal):
        return replace(found, kinds=(TABLE,), learned=False, refused=refused)
    return found


def _rotary(scheme: Rope, stack: Stack, found: Positioning) -> Positioning:
    size = stack.config.head_sizes().key_size
    return replace(
        found,
        kinds=(ROTARY,),
        bases=(float(scheme.base),),
        fraction=scheme.rotated(size) / size,
        stretch=_STRETCHES.get(type(scheme.scaling), ""),
        layered=True,
        refused={"ntk": SINGLE} if scheme.rotated(size) == 2 else {},
    )

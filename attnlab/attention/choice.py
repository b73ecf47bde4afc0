"""Which form of attention runs: plain, tiled, or tiled in one kernel on a GPU.

All give the same numbers. ``attend`` computes whole rows of scores, which can be watched and edited
at every stage. Where nobody does and the text is long, a GPU is several times faster when the
scores never leave the chip; that is the only case in which ``attend`` chooses for itself.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Final

import torch
from torch import Tensor

from attnlab.attention.masks.patterns import Bidirectional, Causal, Window
from attnlab.attention.masks.predicate import Predicate
from attnlab.attention.stages import STAGES, TILED_STAGES, At

LONG: Final = 1024 * 1024
"""Scores of one head from which on a kernel is worth its start."""
FAR: Final = 2**30
"""A distance beyond any text."""
_KERNEL_TYPES: Final = (torch.float16, torch.bfloat16)
"""What a chip's matrix units multiply exactly; float32 they would round."""


@dataclass(frozen=True)
class Call:
    """What a choice hangs on.

    Attributes:
        device: "cpu", "cuda", ...
        scores: Q · S.
        size: the larger of D and E.
        added: scores get a bias, a cap or sinks.
        watched: somebody reads or changes the scores or weights, see ``watched``.
        learning: a gradient will be asked for.
    """

    device: str
    dtype: torch.dtype
    scores: int
    size: int
    added: bool = False
    watched: bool = False
    learning: bool = False

    @classmethod
    def of(cls, q: Tensor, k: Tensor, v: Tensor, added: Iterable[object], **more: bool) -> Call:
        """The call of these queries, keys and values; ``added``: what may be None each."""
        return cls(
            device=q.device.type,
            dtype=q.dtype,
            scores=q.shape[2] * k.shape[2],
            size=max(q.shape[-1], v.shape[-1]),
            added=any(x is not None for x in added),
            **more,
        )


@dataclass(frozen=True)
class Band:
    """Who sees whom by distance: ``low`` ≤ query − key ≤ ``high``, both ends included."""

    low: int = -FAR
    high: int = FAR


def watched(at: At | None) -> bool:
    """Whether ``at`` needs scores or weights as they are made."""
    if at is None:
        return False
    stages = getattr(at, "stages", STAGES)
    return any(stage in stages for stage in TILED_STAGES) or getattr(at, "whole_rows", False)


def kernel_serves(call: Call, available: bool | None = None) -> bool:
    """Whether the kernel can compute a call of ``tiled``.

    ``available``: whether it can run at all; looked up when None.
    """
    can = call.device == "cuda" and call.dtype in _KERNEL_TYPES and call.size <= 256
    return can and not call.added and (kernel_available() if available is None else available)


def attend_tiles(call: Call, available: bool | None = None) -> bool:
    """Whether ``attend`` should leave the call to ``tiled``: only to the kernel, for long runs."""
    free = not (call.watched or call.learning)
    return free and call.scores >= LONG and kernel_serves(call, available)


@cache
def kernel_available() -> bool:
    """Whether Triton is installed, with the compiler that it starts kernels with."""
    compilers = (os.environ.get("CC"), "gcc", "clang")
    return find_spec("triton") is not None and any(map(shutil.which, filter(None, compilers)))


def band_of(mask: Predicate | None) -> Band | None:
    """The band that a mask is; None where it is none, or nobody knows."""
    if mask is None or isinstance(mask, Bidirectional):
        return Band()
    if isinstance(mask, Causal):
        return Band(low=0)
    return Band(0, mask.w - 1) if isinstance(mask, Window) else None

"""Single pieces of evidence: is this a rotation, are these positions, is this a table's row?"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from attnlab.pretrained.order.rotary import parts_of, restretched_module
from attnlab.pretrained.watch import Event
from attnlab.trace.edits.positions import Positions

MISFITS = (RuntimeError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What foreign code raises that is asked for something it was not made for."""
_FIRST_ROWS = 64
"""A table starts to count within its first rows, however many rows it has."""


def turns(parts: tuple[Tensor, ...]) -> bool:
    """Whether squares of cosines and sines add up to one number, and something turns."""
    if len(parts) == 1:
        if not parts[0].is_complex():
            return False
        squares, sine = parts[0].abs().square(), parts[0].imag
    elif len(parts) == 2 and all(part.is_floating_point() for part in parts):
        squares, sine = parts[0].double() ** 2 + parts[1].double() ** 2, parts[1]
    else:
        return False
    off = 1e-3 if torch.finfo(parts[0].dtype).bits >= 32 else 0.05
    largest = float(squares.max())
    return bool(sine.any()) and largest > 0 and float(squares.min()) > largest * (1 - off)


def counts(value: Any, count: int) -> bool:
    """Whether these are the positions 0, 1, 2 …"""
    if not isinstance(value, Tensor) or value.is_floating_point() or not value.dim():
        return False
    first = value.reshape(-1)[: value.shape[-1]]
    return len(first) == count and bool((first == torch.arange(count, device=value.device)).all())


def is_turn(value: Any, turn: Any) -> bool:
    """Whether a value is this very turn."""
    mine, others = parts_of(value), parts_of(turn)
    return bool(mine) and len(mine) == len(others) and mine[0] is others[0]


def pairs_of(parts: tuple[Tensor, ...]) -> int:
    """How many pairs of coordinates turn: a layout may hold each pair's angle twice."""
    width = parts[0].shape[-1]
    if len(parts) == 1 or width % 2:
        return width
    row = parts[0][0, 1]
    halves = torch.equal(row[: width // 2], row[width // 2 :])
    return width // 2 if halves or torch.equal(row[0::2], row[1::2]) else width


def own_tensors(module: nn.Module) -> list[tuple[str, Tensor]]:
    """The matrices that a module holds itself; not those that are kept elsewhere (offloaded)."""
    named = (*module.named_parameters(recurse=False), *module.named_buffers(recurse=False))
    plain = ((n, v) for n, v in vars(module).items() if isinstance(v, Tensor))
    here = ((name, t) for name, t in (*named, *plain) if not t.is_meta)
    return [(name, t) for name, t in here if t.dim() == 2 and t.is_floating_point()]


def first_row(rows: Tensor, weight: Tensor) -> int | None:
    """The row from which on a table was read, one after the other; None where it was not."""
    count, width = rows.shape
    if weight.shape[1] != width or len(weight) < count:
        return None
    alike = (weight[: min(_FIRST_ROWS, len(weight) - count + 1)].to(rows) == rows[0]).all(1)
    for first in alike.nonzero().flatten().tolist():
        if torch.equal(weight[first : first + count].to(rows), rows):
            return first
    return None


def are_sinusoids(weight: Tensor, first: int) -> bool:
    """Sines and cosines of the same angles: every row is as long as the others."""
    lengths = weight[first : first + _FIRST_ROWS].double().norm(dim=1)
    return bool((lengths.max() - lengths.min()) < 1e-3 * lengths.max())


def rope_parameters(config: Any) -> list[dict[str, Any] | None]:
    own = getattr(config, "rope_parameters", None) or {}
    nested = [value for value in own.values() if isinstance(value, dict)]
    return nested or [own]


def _asked(module: nn.Module, event: Event) -> tuple[Tensor, ...]:
    args, kwargs = event.given
    with torch.no_grad():
        return parts_of(module.to(event.output.device).forward(*args, **kwargs))


def rebuilds(event: Event) -> bool:
    """Whether a new module of the class, from the model's own configuration, gives the same."""
    try:
        parts = _asked(restretched_module(event.module, ()), event)
    except MISFITS:
        return False
    return all(torch.equal(a, b) for a, b in zip(parts, parts_of(event.result), strict=True))


def takes(event: Event, scheme: str, number: float) -> bool:
    """Whether the class builds a rotation of another speed, in the same layout."""
    more = {"base": number} if scheme == "base" else {"factor": number}
    if scheme == "yarn":
        more["original"] = 64
    try:
        parts = _asked(restretched_module(event.module, [Positions(scheme, **more)]), event)
    except MISFITS:
        return False
    own = parts_of(event.result)
    return len(parts) == len(own) and all(
        a.shape == b.shape and bool(a.isfinite().all()) for a, b in zip(parts, own, strict=True)
    )

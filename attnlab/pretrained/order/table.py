"""A table of positions in a pretrained model, read at other rows, left out, or put in its place.

What the table is called with differs from model to model (positions, token ids, a shape), so what
it gives is made anew from its rows, which the probe saw it give.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnlab.attention.positions import Sinusoidal
from attnlab.errors import EditRefused
from attnlab.trace.edits.placed import STAGE, Placed, entrance, fitting, gone, moved, placed_at
from attnlab.trace.run import current_run


@dataclass(frozen=True)
class Table:
    """A module that gives row ``first`` + p of its tensor ``name`` for position p.

    ``turns``: its rows are handed to the layers, which turn queries and keys by them (RoFormer);
    then no position at all is not a row of zeros, but the first row for everyone.
    """

    path: str
    name: str
    first: int
    role: str
    turns: bool = False


def install_table(module: nn.Module, table: Table) -> None:
    """Give the rows that the run wants."""
    door = entrance(table.role)

    def hook(module: nn.Module, args: tuple, output: Tensor) -> Tensor | None:
        run = current_run()
        if run is None or not run.edits(STAGE, door):
            return None
        groups = placed_at(run, door)
        count = output.shape[-2]
        weight = getattr(module, table.name)
        shown = output.reshape(-1, *output.shape[-2:])
        here = torch.arange(run.past, run.past + count, device=output.device)
        own = _read(shown, weight, here + table.first) - table.first
        if len(groups) == 1:
            return _rows(table, weight, own, groups[0][0], output.dtype).view_as(output)
        new = shown.expand(run.batch, *shown.shape[1:]).clone()
        own = own.expand(run.batch, -1)
        for bounds, rows in groups:
            if bounds:
                new[rows] = _rows(table, weight, own[rows], bounds, output.dtype)
        return new

    module.register_forward_hook(hook)


def _read(shown: Tensor, weight: Tensor, expected: Tensor) -> Tensor:
    """The row of ``weight`` that each vector [B, n, W] is, [B, n]: those expected, unless the model
    counts otherwise (from the first token that is no padding, or as it was told).

    Raises:
        EditRefused: a vector is no row.
    """
    index = expected.clamp(max=len(weight) - 1).expand(shown.shape[0], -1).clone()
    other = (nn.functional.embedding(index, weight).to(shown.dtype) != shown).any(-1)
    if not bool(other.any()):
        return index
    vectors, which = shown[other].unique(dim=0, return_inverse=True)
    alike = [(weight.to(shown.dtype) == vector).all(1).nonzero().flatten() for vector in vectors]
    if not all(len(rows) for rows in alike):
        raise EditRefused(
            "This model counts positions in its own way in these inputs; pass a text or token ids."
        )
    index[other] = torch.stack([rows[0] for rows in alike])[which]
    return index


def _rows(
    table: Table, weight: Tensor, own: Tensor, bounds: tuple[Placed, ...], dtype: torch.dtype
) -> Tensor:
    """What is added at each position [B, n] instead, [B, n, W]."""
    if gone(bounds) and not table.turns:
        return torch.zeros(*own.shape, weight.shape[1], dtype=dtype, device=weight.device)
    if any(bound.edit.scheme == "sinusoidal" for bound in bounds):
        sizes = {"width": weight.shape[1], "heads": 1, "key_size": 1}
        sinusoids = Sinusoidal().build(**sizes, bidirectional=False)
        wide = torch.promote_types(dtype, torch.float32)
        return sinusoids.encoding(moved(bounds, own), wide).to(dtype)
    places = fitting(bounds, own, len(weight) - table.first)
    return nn.functional.embedding(places + table.first, weight).to(dtype)

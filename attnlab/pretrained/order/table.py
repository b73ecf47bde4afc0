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
from attnlab.trace.edits.positions import STAGE, Placed, entrance, gone, moved, placed_at
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
        here = torch.arange(run.past, run.past + count, device=output.device)
        weight = getattr(module, table.name)
        rows = [_rows(table, weight, here, bounds, output.dtype) for bounds, _ in groups]
        if len(groups) == 1:
            return rows[0].expand_as(output)
        new = output.expand(run.batch, *output.shape[-2:]).clone()
        for (bounds, which), own in zip(groups, rows, strict=True):
            if bounds:
                new[which] = own
        return new

    module.register_forward_hook(hook)


def _rows(
    table: Table, weight: Tensor, here: Tensor, bounds: tuple[Placed, ...], dtype: torch.dtype
) -> Tensor:
    """What is added at each position, [n, W]."""
    places = moved(bounds, here)
    if gone(bounds) and not table.turns:
        return torch.zeros(len(here), weight.shape[1], dtype=dtype, device=weight.device)
    if any(bound.edit.scheme == "sinusoidal" for bound in bounds):
        sizes = {"width": weight.shape[1], "heads": 1, "key_size": 1}
        sinusoids = Sinusoidal().build(**sizes, bidirectional=False)
        wide = torch.promote_types(dtype, torch.float32)
        return sinusoids.encoding(places[None], wide)[0].to(dtype)
    index = places + table.first
    last = int(index.max())
    if int(places.min()) < 0 or last >= len(weight):
        wrong = int(places.min()) if int(places.min()) < 0 else last - table.first
        raise EditRefused(
            f"{bounds[0].edit} needs position {wrong:,}; the table of this model holds 0 to "
            f"{len(weight) - table.first - 1:,}."
        )
    return nn.functional.embedding(index, weight).to(dtype)

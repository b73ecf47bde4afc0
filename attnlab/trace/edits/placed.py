"""Edits of positions made ready for a text, and the position that each token then claims."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from attnlab.errors import EditRefused
from attnlab.trace.edits.edit import Bound
from attnlab.trace.positioning import STRETCHES
from attnlab.trace.site import Block, Site

if TYPE_CHECKING:
    from attnlab.trace.edits.positions import Positions
    from attnlab.trace.run import Run

STAGE = "positions"
"""Not a tensor that ``attend`` shows: whoever makes a rotation, a bias or the sum with a table
asks the run for the edits of this stage, and makes it anew."""


@dataclass(frozen=True)
class Placed(Bound):
    """A Positions edit made ready.

    ``length``: of the text whose positions move, or None for all that are fed at once.
    ``real``: how many tokens there are and will be, the rest of a batch being padding; None where
    that is not known. ``longest``: how many positions the model's table holds, where it matters.
    ``original``: the training length that YaRN goes by. ``shared``: the model has one bias for all
    texts of a batch, so that all must have the same edits.
    """

    length: int | None = None
    original: int | None = None
    real: int | None = None
    longest: int | None = None
    shared: bool = False


def entrance(role: str) -> Block:
    """Where order enters that reaches all layers of a role at once."""
    return Block(path=STAGE, role=role, layer=0)


def placed_at(run: Run, place: Site | Block) -> list[tuple[tuple[Placed, ...], list[int]]]:
    """The edits of positions at a place, each time with the rows of the batch that have them."""
    groups: dict[tuple, tuple[tuple[Placed, ...], list[int]]] = {}
    for bounds, rows in run.edits_at(STAGE, place):
        key = tuple((bound.edit, bound.length, bound.real) for bound in bounds)
        groups.setdefault(key, (bounds, []))[1].extend(rows)
    return list(groups.values())


def permuted(edits: tuple[Placed, ...], positions: Tensor) -> Tensor:
    """The position in its own text that each token claims, as shuffled and reversed; the same
    shape [n] or [B, n], of whole numbers from 0. Positions outside of the text stay."""
    moves = [bound for bound in edits if bound.edit.scheme in ("shuffled", "reversed")]
    if not moves:
        return positions
    if positions.dim() > 1:
        rows = [permuted(edits, row) for row in positions.reshape(-1, positions.shape[-1])]
        return torch.stack(rows).view_as(positions)
    for bound in moves:
        length = int(positions.max()) + 1 if bound.length is None else bound.length
        if bound.edit.scheme == "reversed":
            order = torch.arange(length - 1, -1, -1)
        else:
            draw = torch.Generator().manual_seed(bound.edit.seed % 2**63)
            order = torch.randperm(length, generator=draw)
        inside = (positions >= 0) & (positions < length)
        dealt = order.to(positions.device)[positions.clamp(0, max(length - 1, 0))]
        positions = torch.where(inside, dealt.to(positions.dtype), positions)
    return positions


def moved(edits: tuple[Placed, ...], positions: Tensor) -> Tensor:
    """The position that each token claims in the end; 0 for all where there are to be none.
    What stands before the first position (padding, in some models) stays."""
    if gone(edits):
        return torch.zeros_like(positions)
    offset = sum(bound.edit.offset or 0 for bound in edits)
    claimed = permuted(edits, positions)
    return torch.where(claimed < 0, claimed, claimed + offset) if offset else claimed


def fitting(edits: tuple[Placed, ...], own: Tensor, longest: int) -> Tensor:
    """``moved`` for a table of ``longest`` positions. Padding may lie anywhere in it.

    Raises:
        EditRefused: a token of the text would need a position that the table does not hold.
    """
    places = moved(edits, own)
    known = [bound.real for bound in edits if bound.real is not None]
    real = (own >= 0) & (own < min(known)) if known else own >= 0
    wrong = places[real & ((places < 0) | (places >= longest))]
    if len(wrong):
        raise EditRefused(
            f"{edits[0].edit} needs position {int(wrong[0]):,}; the table of this model holds 0 to "
            f"{longest - 1:,}."
        )
    return torch.where(own < 0, own, places.clamp(0, longest - 1))


def require_room(edits: Iterable[Bound], name: str) -> None:
    """Refuse a text that is moved out of a model's table, before anything runs. All edits of a text
    count: they may move it there and back, or leave the table out.

    Raises:
        EditRefused: a token would need a position that the table does not hold.
    """
    placed = [bound for bound in edits if isinstance(bound, Placed)]
    for role in dict.fromkeys(bound.edit.role for bound in placed):
        here = tuple(bound for bound in placed if bound.edit.role == role)
        moves = [bound for bound in here if bound.longest is not None]
        if not moves or any(bound.edit.scheme in ("none", "sinusoidal") for bound in here):
            continue
        offset, first = sum(bound.edit.offset for bound in moves), moves[0]
        last = first.real - 1 + offset
        if offset < 0 or last >= first.longest:
            raise EditRefused(
                f"{' and '.join(str(bound.edit) for bound in moves)} needs position "
                f"{offset if offset < 0 else last:,}; the table of {name} holds 0 to "
                f"{first.longest - 1:,}."
            )


def gone(edits: tuple[Placed, ...]) -> bool:
    """Whether there are to be no positions at all."""
    return any(bound.edit.scheme == "none" for bound in edits)


def stretches(edits: tuple[Placed, ...]) -> tuple[Positions, ...]:
    """Those that have queries and keys turn at other speeds; YaRN's with its training length."""
    return tuple(
        replace(bound.edit, original=bound.original) if bound.edit.scheme == "yarn" else bound.edit
        for bound in edits
        if bound.edit.scheme in STRETCHES
    )

"""What each block adds to the residual stream, and which module's output that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attnlab.pretrained.watch import Event, Record, Seen
from attnlab.trace.site import Block


@dataclass(frozen=True)
class _Leaf:
    """One term of the sum that a block returns: a module's output, times a factor."""

    event: Event
    factor: float


def contributions(
    record: Record, block: Event, inside: Sequence[tuple[Seen, str]], bare: Block
) -> Block:
    """Follow the sums back from a block's output to its input.

    The term that first ends after an attention call is that attention's, the one left over is
    the feed-forward's. ``additive`` is checked in numbers, so a norm on the way says no.
    """
    leaves = _terms(record, block, block.output, 1.0)
    if leaves is None or not all(_fits(leaf.event.output, block.output) for leaf in leaves):
        return bare
    found: dict[str, _Leaf] = {}
    rest = sorted(leaves, key=lambda leaf: leaf.event.end)
    for seen, role in inside:
        name = "cross_out" if role == "cross" else "attn_out"
        leaf = next((leaf for leaf in rest if leaf.event.end > seen.time), None)
        if leaf is not None and name not in found:
            found[name] = leaf
            rest.remove(leaf)
    if len(rest) == 1:
        found["mlp_out"] = rest.pop()
    return replace(
        bare,
        **{name: leaf.event.path for name, leaf in found.items()},
        factors=tuple(
            (leaf.event.path, leaf.factor) for leaf in found.values() if leaf.factor != 1.0
        ),
        additive=not rest and _adds_up(block, list(found.values())),
    )


def _fits(part: Tensor, stream: Tensor) -> bool:
    """The same numbers of the stream, batch and positions on one axis or on two."""
    return part.numel() == stream.numel() and part.shape[-1] == stream.shape[-1]


def _adds_up(block: Event, leaves: list[_Leaf]) -> bool:
    total = block.input.double()
    for leaf in leaves:
        total = total + leaf.factor * leaf.event.output.double().view_as(total)
    off = (total - block.output.double()).abs().max()
    half_ulp = torch.finfo(block.output.dtype).eps
    return bool(off <= 8 * half_ulp * total.abs().max())


_RESIDUAL = None
"""Stands for the block's input among the terms."""


def _terms(record: Record, block: Event, tensor: Tensor, factor: float) -> list[_Leaf] | None:
    """The terms of a block's output, its input left out; None where a term is no module's."""
    terms = _followed(record, block, tensor, factor)
    return None if terms is None else [leaf for leaf in terms if leaf is not _RESIDUAL]


def _followed(
    record: Record, block: Event, tensor: Tensor, factor: float
) -> list[_Leaf | None] | None:
    """The terms of a tensor, followed back through sums, factors, reshapes and norms."""
    terms = _source(record, block, tensor, factor)
    for extra in record.added.get(id(tensor), (tensor, ()))[1]:
        more = _followed(record, block, extra, factor)
        terms = None if terms is None or more is None else terms + more
    return terms


def _source(
    record: Record, block: Event, tensor: Tensor, factor: float
) -> list[_Leaf | None] | None:
    if tensor is block.input:
        return [_RESIDUAL]
    if id(tensor) in record.sums:
        _, *parts = record.sums[id(tensor)]
        followed = [_followed(record, block, part, factor) for part in parts]
        terms = None if None in followed else followed[0] + followed[1]
        # A sum inside one module (experts) is that module's; a sum with the stream is the block's.
        whole = None if terms and _RESIDUAL in terms else _leaf(record, block, tensor, factor)
        return whole or terms
    if id(tensor) in record.products:
        _, inner, number = record.products[id(tensor)]
        return _followed(record, block, inner, factor * number)
    found = _leaf(record, block, tensor, factor)
    if found is None and id(tensor) in record.reshaped:
        return _followed(record, block, record.reshaped[id(tensor)][1], factor)
    return found


def _leaf(record: Record, block: Event, tensor: Tensor, factor: float) -> list[_Leaf | None] | None:
    """The module call that returned a tensor; a norm of a sum is followed further."""
    makers = [e for e in record.made_by(tensor) if block.start < e.start and e.end < block.end]
    if not makers:
        return None
    inner = makers[0]
    if inner.input is not None and id(inner.input) in record.sums and _is_norm(inner):
        return _followed(record, block, inner.input, factor)
    once = [e for e in makers if _calls(record, block, e) == 1]
    return [_Leaf(once[0], factor)] if once else None


def _is_norm(event: Event) -> bool:
    """A module with no matrix that keeps the shape: LayerNorm, RMSNorm."""
    flat = all(p.dim() < 2 for p in event.module.parameters())
    return flat and event.input.shape == event.output.shape


def _calls(record: Record, block: Event, event: Event) -> int:
    return sum(e.path == event.path and block.start < e.start < block.end for e in record.events)

"""What bound edits write into a stage, at some positions and in one head or in all."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.errors import EditError
from attnlab.trace.edits.places import KEYED, spots


@dataclass(frozen=True)
class Written:
    """Overwrites a stage at some positions: what a bound edit calls.

    Attributes:
        value: a number; [size], the same at every position; or [n, size] and [H, n, size], a row
            for each of ``here``.
        head: the head that is changed; None: all of them, or a stage of the stream.
        here: positions in the text; None: all.
    """

    value: float | Tensor
    head: int | None = None
    here: tuple[int, ...] | None = None

    def __call__(self, stage: str, tensor: Tensor, where: Where) -> Tensor:
        """[B, h, n, size] or [B, n, M] with this written in."""
        found = spots(self.here, where.keys if stage in KEYED else where.queries)
        if self.here is not None and not found:
            return tensor
        tensor = tensor.clone()
        part = tensor if self.head is None else tensor[:, self.head]
        value = self.value
        if isinstance(value, Tensor) and value.dim() > 1:
            value = value[..., [row for row, _ in found], :]
        if isinstance(value, Tensor):
            value = value.to(tensor)
        if self.here is None:
            part[:] = value
        else:
            part[..., [place for _, place in found], :] = value
        return tensor


@dataclass(frozen=True)
class Rows:
    """Overwrites rows of attention weights: what a bound edit calls.

    Attributes:
        name: the edit, for messages.
        rows: [n, m], or [H, n, m]; a row for each of the queries ``here``, a column for each of
            the keys ``keys``. Every other key gets no weight.
    """

    name: str
    rows: Tensor
    here: tuple[int, ...]
    keys: tuple[int, ...]
    head: int | None = None

    def __call__(self, stage: str, weights: Tensor, where: Where) -> Tensor:
        """[B, H, Q, S] with these rows written in.

        Raises:
            EditError: a row has weight on a key that the mask hides.
        """
        found = spots(self.here, where.queries)
        if not found:
            return weights
        rows = self.rows[..., [row for row, _ in found], :].to(weights)
        inside = spots(self.keys, where.keys)
        columns = [row for row, _ in inside]
        wanted = rows.new_zeros(*rows.shape[:-1], len(where.keys))
        wanted[..., [place for _, place in inside]] = rows[..., columns]
        beyond = sorted(set(range(len(self.keys))) - set(columns))
        lost = rows[None][..., beyond].flatten(0, -3).amax(0)
        if bool((lost > 0).any()):  # a tile leaves out keys that none of its queries sees
            row, key = (lost > 0).nonzero()[0].tolist()
            raise hidden_key(self.name, where.queries[found[row][1]], self.keys[beyond[key]])
        return overwritten(self.name, weights, wanted, [p for _, p in found], self.head, where)


def overwritten(
    name: str, weights: Tensor, wanted: Tensor, places: list[int], head: int | None, where: Where
) -> Tensor:
    """Weights [B, H, Q, S] with rows replaced by [.., n, S], of one head or of all.

    Raises:
        EditError: a row has weight on a key that the mask hides.
    """
    visible = seen_by(weights, places, head, where)
    wrong = ((wanted > 0) & ~visible).flatten(0, -3).any(0)
    if bool(wrong.any()):
        row, key = wrong.nonzero()[0].tolist()
        raise hidden_key(name, where.queries[places[row]], where.keys[key])
    weights = weights.clone()
    part = weights if head is None else weights[:, head]
    part[..., places, :] = wanted.to(weights)
    return weights


def seen_by(weights: Tensor, places: list[int], head: int | None, where: Where) -> Tensor:
    """Who may be seen from some queries, bool [#B, (#H,) n, S]."""
    if where.visible is None:
        size = (1, len(places), weights.shape[-1])
        seen = torch.ones(size, dtype=torch.bool, device=weights.device)
        return seen if head is not None else seen[None]
    visible = where.visible.expand(*where.visible.shape[:2], *weights.shape[2:])
    if head is not None:
        visible = visible[:, head if visible.shape[1] > 1 else 0]
    return visible[..., places, :]


def hidden_key(name: str, query: int, key: int) -> EditError:
    return EditError(
        f"{name} would put weight on key {key} for query {query}, which the mask hides from it; "
        "leave that query out with positions=, or change the mask first."
    )

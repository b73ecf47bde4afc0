"""One run under way: what it edits, what it keeps, where it stands.

The live run sits in a ContextVar, entered in the thread that runs the model. Hooks and the
attention function read it there and do nothing without one, so a shared model needs no lock and
carries no trace of a run that failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from attnlab.attention import Mask, Where
from attnlab.attention.mask import causal_mask
from attnlab.errors import Cancelled, EditMissed
from attnlab.trace.cancel import Cancel
from attnlab.trace.capture import Capture
from attnlab.trace.edits import Bound
from attnlab.trace.site import Block, Site
from attnlab.trace.store import Store

_CURRENT: ContextVar[Run | None] = ContextVar("attnlab_run", default=None)

Group = tuple[tuple[Bound, ...], list[int]]
"""Edits, and the rows of the batch that have them."""

Logits = str | tuple[int, ...] | None


def current_run() -> Run | None:
    """The run of this context, or None."""
    return _CURRENT.get()


@dataclass(frozen=True)
class Row:
    """One row of the batch.

    ``edits``: bound to it. ``enters``: the block (layer of the main role) where it joins as a copy
    of row 0; None: from the start. ``sizes``: by role, how many queries and keys are its text's
    own, where the batch pads it.
    """

    edits: tuple[Bound, ...] = ()
    enters: int | None = None
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass
class Run:
    """Everything about one run. Rows that enter later come last, in order of entry."""

    rows: Sequence[Row]
    captures: tuple[Capture, ...] = ()
    grad: bool = False
    progress: Callable[[float], None] | None = None
    cancel: Cancel | None = None
    steps: int = 1
    """Forwards that will be needed, for the progress."""
    before: int = 0
    """Forwards that the progress does not count."""
    past: int = 0
    """Positions that the key/value cache has read."""
    sinks: int = 0
    """Of those, the first that it keeps when it drops later ones."""
    store: Store = field(init=False)
    workspace: dict[str, Tensor] = field(default_factory=dict)
    positions: Tensor | None = None
    """Positions [B or 1, P] whose logits are wanted; None: all of them."""
    narrowed: bool = False
    """Whether the head saw these positions only; some models put it where no hook reaches."""
    targets: Tensor | None = None
    """The ids [B, n] whose next-token losses are wanted, or None."""
    losses: Tensor | None = None
    in_head: bool = False
    ends: dict[str, Any] = field(default_factory=dict)
    """By role, what an encoder or decoder returned."""

    def __post_init__(self) -> None:
        self.store = Store(self.captures, self.grad, sizes=[row.sizes for row in self.rows])
        self.batch = sum(row.enters is None for row in self.rows)
        self.calls: dict[str, int] = {}
        self.watching: dict[tuple[str, str, int], Any] = {}
        """By path, role and layer of a site: what is read or changed there, in every forward."""
        self.memo: dict[Any, Any] = {}
        """What the layers of one forward have in common: worked out once, gone with the next."""
        self._masks: dict[object, tuple[Tensor | None, Mask]] = {}
        self._reached: set[tuple[int, int]] = set()
        """Which bound edits (by id) of which rows have been at their place."""
        self._reported = 0.0
        self._edited_stages = frozenset(s for row in self.rows for b in row.edits for s in b.stages)
        self._shown_stages = self._edited_stages | {capture.stage for capture in self.captures}

    @contextmanager
    def entered(self) -> Iterator[Run]:
        """Make this the current run of this context. Never yield to a caller from inside."""
        token = _CURRENT.set(self)
        try:
            with torch.enable_grad() if self.grad else torch.no_grad():
                yield self
        finally:
            _CURRENT.reset(token)

    def begin_forward(self) -> None:
        """Count calls afresh: a forward of a cached generation starts at the first layer."""
        self.calls.clear()
        self.memo.clear()
        self._masks.clear()

    def end_forward(self, positions: int) -> None:
        self.memo.clear()
        self._masks.clear()
        self.report(1, 1)
        self.past += positions
        self.store.step += 1

    def nth_call(self, path: str) -> int:
        """How often this module has been called in this forward, counted from 0."""
        n = self.calls.get(path, 0)
        self.calls[path] = n + 1
        return n

    def mask(self, mask: Tensor | None, causal: bool, q: Tensor, k: Tensor) -> Mask:
        """The mask of a call worked out once a forward, however many layers share it.

        Args:
            mask: as the model passes it; None: everything is seen, or ``causal``.
            q, k: the queries [B, H, Q, D] and keys [B, K, S, D] of the call.
        """
        sizes = (q.shape[2], k.shape[2])
        key = id(mask) if mask is not None else (causal, *sizes)
        known = self._masks.get(key)
        if known is None:
            made = causal_mask(*sizes, q.device) if mask is None and causal else Mask.of(mask)
            known = self._masks[key] = (mask, made)
        return known[1]

    def check(self) -> None:
        if self.cancel is not None and self.cancel.is_set():
            raise Cancelled("Cancelled; the model is as it was.")

    def report(self, done: int, total: int) -> None:
        if self.progress is not None and total:
            share = min(1.0, (self.store.step - self.before + done / total) / self.steps)
            if share > self._reported:
                self._reported = share
                self.progress(share)

    def expect(self, steps: int, progress: Callable[[float], None] | None) -> None:
        """Count progress afresh: so many forwards are to come."""
        self.steps, self.before, self.progress = steps, self.store.step, progress
        self._reported = 0.0

    def rewind(self, step: int, past: int) -> None:
        """Forget what came after the first ``step`` forwards, which read ``past`` positions."""
        self.store, self.past = self.store.until(step), past
        self.begin_forward()

    def finish(self) -> None:
        """The last forward is done, perhaps before the steps that were allowed.

        Raises:
            EditMissed: no site has seen an edit of some row.
        """
        self.steps = self.store.step - self.before
        self.report(0, 1)
        self.require_reached()

    def require_reached(self) -> None:
        """Raises EditMissed where no site has seen an edit of some row."""
        missed = [
            (row, bound.edit)
            for place, row in enumerate(self.rows)
            for bound in row.edits
            if (place, id(bound)) not in self._reached
        ]
        if not missed:
            return
        # What the first row has seen, rows that join it later have seen as its copies.
        first = {b.edit for b in self.rows[0].edits if (0, id(b)) in self._reached}
        for row, edit in missed:
            if row.enters is None or edit not in first:
                raise EditMissed(f"{edit} reached no site in this run, so nothing was changed.")

    def touches(self, stage: str, place: Site | Block) -> bool:
        """Whether anybody edits or keeps this stage here."""
        if stage not in self._shown_stages:
            return False
        return self.store.wants(stage, place.role, place.layer) or self.edits(stage, place)

    def needs_whole_rows(self, place: Site | Block) -> bool:
        return any(b.whole_rows and b.reaches(place) for row in self.rows for b in row.edits)

    def visit(
        self, stage: str, place: Site | Block, tensor: Tensor, where: Where, queries: int, keys: int
    ) -> Tensor:
        """Edit, then keep. ``queries`` and ``keys`` are those of the whole call."""
        if self.edits(stage, place):
            tensor = self._edited(stage, place, tensor, where)
        self.store.keep(stage, place.role, place.layer, tensor, where, queries, keys)
        return tensor

    def _edited(self, stage: str, place: Site | Block, tensor: Tensor, where: Where) -> Tensor:
        groups = self.edits_at(stage, place)
        if stage == "mask" and all(b.alike for bounds, _ in groups for b in bounds):
            return self._edited_mask(place, tensor, where, groups)
        return self._in_groups(stage, tensor, where, groups)

    def _edited_mask(
        self, place: Site | Block, tensor: Tensor, where: Where, groups: list[Group]
    ) -> Tensor:
        """The same edits of the same mask, worked out once a forward."""
        who = tuple((*map(id, bounds), tuple(rows)) for bounds, rows in groups)
        key = ("mask", id(tensor), place.role, place.causal, where.queries, where.keys, who)
        if key not in self.memo:  # with the tensor, or another one might come to have its id
            self.memo[key] = (tensor, self._in_groups("mask", tensor, where, groups))
        return self.memo[key][1]

    def _in_groups(self, stage: str, tensor: Tensor, where: Where, groups: list[Group]) -> Tensor:
        if len(groups) == 1:
            ((bounds, _),) = groups
            return changed(stage, tensor, where, bounds)
        if tensor.shape[0] != self.batch:
            tensor = tensor.expand(self.batch, *tensor.shape[1:])
        owned = False  # one copy is enough, however many groups write into it
        for bounds, rows in groups:
            if bounds:
                part = changed(stage, tensor[rows], _narrowed(where, rows), bounds)
                tensor, owned = _put(tensor, part, rows, owned)
        return tensor

    def edits_at(self, stage: str, place: Site | Block) -> list[Group]:
        """The edits of a stage at a place, in order, with the rows of the batch that have the same
        ones; () for rows that have none. Whoever asks applies them: they count as reached."""
        groups: dict[tuple[int, ...], Group] = {}
        for index, row in enumerate(self.rows[: self.batch]):
            here = tuple(b for b in row.edits if stage in b.stages and b.reaches(place))
            groups.setdefault(tuple(map(id, here)), (here, []))[1].append(index)
        found = ((rows, b) for bounds, rows in groups.values() for b in bounds)
        self._reached.update((row, id(bound)) for rows, bound in found for row in rows)
        return list(groups.values())

    def is_fresh(self, stage: str, site: Site) -> bool:
        """Whether nobody keeps what a stage's edits hand back, so that it can be overwritten."""
        here = (b for row in self.rows for b in row.edits if stage in b.stages and b.reaches(site))
        return not self.store.wants(stage, site.role, site.layer) and all(b.fresh for b in here)

    def shows(self, stage: str) -> bool:
        """Whether somebody edits or keeps this stage anywhere."""
        return stage in self._shown_stages

    def asks(self, stage: str) -> bool:
        """Whether some row edits this stage anywhere."""
        return stage in self._edited_stages

    def edits(self, stage: str, place: Site | Block) -> bool:
        """Whether some row edits this stage here."""
        return stage in self._edited_stages and any(
            stage in bound.stages and bound.reaches(place)
            for row in self.rows
            for bound in row.edits
        )


def changed(stage: str, tensor: Tensor, where: Where, bounds: tuple[Bound, ...]) -> Tensor:
    """Edits applied in order."""
    own = tensor
    for bound in bounds:
        where = where if tensor is own else replace(where, own=own)
        tensor = bound.change(stage, tensor, where)
    return tensor


def _narrowed(where: Where, rows: list[int]) -> Where:
    """The same place for some rows of the batch."""
    seen = where.visible
    seen = seen if seen is None or seen.shape[0] == 1 else seen[rows]
    return replace(where, rows=tuple(rows), visible=seen)


def _put(tensor: Tensor, part: Tensor, rows: list[int], owned: bool) -> tuple[Tensor, bool]:
    """A tensor with some rows of the batch replaced, and whether it is ours to write into."""
    # A mask may be the same for every head, and for every row, in one of the two and not the other.
    heads = max(part.shape[1], tensor.shape[1])
    if tensor.shape[1] != heads:
        tensor, owned = tensor.expand(-1, heads, *tensor.shape[2:]), False
    part = part.expand(len(rows), heads, *tensor.shape[2:])
    index = torch.tensor(rows, device=tensor.device)
    if torch.is_grad_enabled():
        return tensor.index_copy(0, index, part), False
    tensor = tensor if owned else tensor.clone()
    return tensor.index_copy_(0, index, part), True

"""Where order enters our own transformer in one forward, as the run under way has it.

A scheme enters in one of three places: ``embed`` adds to what is read, ``at`` gives each layer the
turn of its queries and keys and the bias on its scores. Without a run that changes positions these
are the scheme's own, worked out once for all layers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from attnlab.attention.positions import (
    NtkAware,
    PositionInterpolation,
    PositionModule,
    Rope,
    Sinusoidal,
    Yarn,
)
from attnlab.trace.edits.placed import (
    STAGE,
    Placed,
    entrance,
    fitting,
    gone,
    moved,
    placed_at,
    stretches,
)
from attnlab.trace.edits.positions import Positions
from attnlab.trace.run import current_run
from attnlab.trace.site import Site

Groups = list[tuple[tuple[Placed, ...], list[int]]]


class Order:
    """The positions of one forward of a stack.

    Args:
        module: what the stack's scheme has built.
        role: the stack's.
        positions: [#B, n], where the new tokens stand.
        spans: the new tokens [1, n] and all that they are handed [1, S], counted: a bias goes by
            these.
        dtype: of queries and keys.
        renumbered: a turn goes by ``spans`` too, and all keys turn, not the new ones alone.
    """

    def __init__(
        self,
        module: PositionModule,
        role: str,
        positions: Tensor,
        spans: tuple[Tensor, Tensor],
        dtype: torch.dtype,
        renumbered: bool = False,
    ) -> None:
        self.module, self.role, self.positions = module, role, positions
        self.spans, self.dtype, self.renumbered = spans, dtype, renumbered
        self._made: dict[Any, dict[str, Any]] = {}

    def embed(self, x: Tensor) -> Tensor:
        """The embeddings [B, n, M], with what says where each token stands."""
        run, door = current_run(), entrance(self.role)
        if run is None or not run.edits(STAGE, door):
            return self.module.embed(x, self.positions)
        groups = placed_at(run, door)
        return self._joined(groups, len(x), lambda bounds, rows: self._embedded(bounds, x, rows))

    def at(self, site: Site) -> dict[str, Any]:
        """``rotate``, ``rotate_keys`` and ``bias`` of a layer, as ``MultiHead`` takes them."""
        run = current_run()
        if run is None or not run.edits(STAGE, site):
            return self._own
        groups = placed_at(run, site)
        key = tuple((tuple((b.edit, b.length) for b in bounds), *rows) for bounds, rows in groups)
        if key not in self._made:
            self._made[key] = self._changed(groups, run.batch)
        return self._made[key]

    @cached_property
    def _own(self) -> dict[str, Any]:
        bias = self.module.bias(*self.spans, self.dtype)
        if not self.renumbered:
            return {"rotate": self.module.rotation(self.positions, self.dtype), "bias": bias}
        queries, keys = (self.module.rotation(span, self.dtype) for span in self.spans)
        return {"rotate": queries, "rotate_keys": keys, "bias": bias}

    def _changed(self, groups: Groups, batch: int) -> dict[str, Any]:
        """The same where some rows of the batch have positions of their own."""
        rotate, bias = self._own["rotate"], self._own["bias"]
        if rotate is not None:
            parts = ("cos", "sin")
            rotate = replace(
                rotate,
                **{part: self._joined(groups, batch, self._turned(part)) for part in parts},
            )
        if bias is not None:
            bias = self._joined(groups, batch, lambda bounds, _: self._bias(bounds))
        return {"rotate": rotate, "bias": bias}

    def _joined(
        self, groups: Groups, batch: int, make: Callable[[tuple[Placed, ...], Any], Tensor]
    ) -> Tensor:
        """One tensor of what ``make`` gives for each group's rows, along the batch."""
        if len(groups) == 1:
            return make(groups[0][0], slice(None))
        parts = [(make(bounds, rows), rows) for bounds, rows in groups]
        whole = parts[0][0].new_empty(batch, *parts[0][0].shape[1:])
        for part, rows in parts:
            whole[rows] = part
        return whole

    def _embedded(self, bounds: tuple[Placed, ...], x: Tensor, rows: Any) -> Tensor:
        x, own = x[rows], self._positions_of(rows)
        if gone(bounds):
            return x
        module = self.module
        if any(bound.edit.scheme == "sinusoidal" for bound in bounds):
            sizes = {"heads": 1, "key_size": 1, "bidirectional": False}
            module = Sinusoidal().build(width=x.shape[-1], **sizes)
        longest = getattr(module, "longest", None)
        places = moved(bounds, own) if longest is None else fitting(bounds, own, longest)
        return module.embed(x, places)

    def _positions_of(self, rows: Any) -> Tensor:
        return self.positions if len(self.positions) == 1 else self.positions[rows]

    def _turned(self, part: str) -> Callable[[tuple[Placed, ...], Any], Tensor]:
        return lambda bounds, rows: getattr(self._turn(bounds, rows), part)

    def _turn(self, bounds: tuple[Placed, ...], rows: Any) -> Any:
        module, edits = self.module, stretches(bounds)
        if edits:
            sizes = {"width": 1, "heads": 1, "bidirectional": False}
            module = restretched(module.scheme, edits).build(key_size=module.key_size, **sizes)
        return module.rotation(moved(bounds, self._positions_of(rows)), self.dtype)

    def _bias(self, bounds: tuple[Placed, ...]) -> Tensor:
        if gone(bounds):
            return torch.zeros_like(self._own["bias"])
        return self.module.bias(*(moved(bounds, span) for span in self.spans), self.dtype)


def restretched(scheme: Rope, edits: Sequence[Positions]) -> Rope:
    """The rotary scheme that turns at other speeds."""
    for edit in edits:
        if edit.scheme == "base":
            scheme = replace(scheme, base=edit.base)
        elif edit.scheme == "interpolated":
            scheme = replace(scheme, scaling=PositionInterpolation(edit.factor))
        elif edit.scheme == "ntk":
            scheme = replace(scheme, scaling=NtkAware(edit.factor))
        else:
            scheme = replace(scheme, scaling=Yarn(edit.factor, edit.original))
    return scheme

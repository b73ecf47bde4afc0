"""The named values inside attention, and how a caller reads or changes one.

``attend`` calls ``at(stage, tensor, where)`` at each stage and goes on with what comes back.
In order: q, k, v (once, whole), mask (once, whole), then for each tile of queries scores,
scaled, sinks, masked, weights, and at last z (once, whole). Before them, ``MultiHead`` shows the
queries and the new keys that a positional scheme is about to rotate: q_unrotated, k_unrotated.

Where query heads share a key/value head, k and v are what they share. Whoever asks by name for
k_heads or v_heads, after k and v, gets a copy for each query head, [B, H, S, ·], to change alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from torch import Tensor

UNROTATED_STAGES = ("q_unrotated", "k_unrotated")
WHOLE_STAGES = (*UNROTATED_STAGES, "q", "k", "v", "mask", "z")
TILED_STAGES = ("scores", "scaled", "sinks", "masked", "weights")
STAGES = WHOLE_STAGES + TILED_STAGES
HEAD_STAGES = ("k_heads", "v_heads")
"""Shown only where a caller's ``stages`` name them: they take shared keys and values apart."""


@dataclass(frozen=True)
class Where:
    """Where a tensor handed to ``at`` lies.

    ``queries`` and ``keys`` are absolute positions in the text, so they stay right with a
    key/value cache; ``query_index`` and ``key_index`` count from the first query and key of this
    call. ``group`` says how many consecutive query heads share a key/value head (H / K).
    ``sinks``: so many of the call's first keys are the first of the text, whatever ``keys`` says;
    a cache has dropped what lay between. ``own`` is the tensor as the model made it, where another
    edit has changed it since.
    ``visible``, at the stage weights: who may be seen, bool [#B, #H, #Q, #S] of the tile; None:
    all of it.
    """

    site: Any = None
    rows: Sequence[int] = field(default=range(0))
    queries: range = field(default=range(0))
    keys: range = field(default=range(0))
    query_index: range = field(default=range(0))
    key_index: range = field(default=range(0))
    group: int = 1
    sinks: int = 0
    own: Tensor | None = field(default=None, compare=False, repr=False)
    visible: Tensor | None = field(default=None, compare=False)

    def tile(self, queries: range, keys: range) -> Where:
        """The same place, narrowed to these query and key indices of the call."""
        first_q, first_k = self.queries.start, self.keys.start
        return replace(
            self,
            query_index=queries,
            key_index=keys,
            queries=range(first_q + queries.start, first_q + queries.stop),
            keys=range(first_k + keys.start, first_k + keys.stop),
        )


@runtime_checkable
class At(Protocol):
    """What ``attend`` calls at each stage.

    A plain function will do; it then sees all ``STAGES``. Three optional attributes save work:
    ``stages`` (a container of the names it wants) and ``whole_rows`` (True when it needs rows
    over all keys, the masked future included, at the stages from scores to weights) and
    ``fresh`` (True when what it hands back at the stage masked may be overwritten).

    The tensor is borrowed: it may be overwritten once the call returns, so keep a copy.
    """

    def __call__(self, stage: str, tensor: Tensor, where: Where) -> Tensor: ...


def visitor(at: At | None, where: Where) -> Callable[..., Tensor]:
    """``visit(stage, tensor, where=...)``: calls ``at`` where it is wanted, else returns tensor."""
    if at is None:
        return lambda stage, tensor, where=where: tensor
    wanted = getattr(at, "stages", STAGES)

    def visit(stage: str, tensor: Tensor, where: Where = where) -> Tensor:
        return at(stage, tensor, where) if stage in wanted else tensor

    return visit


def apart(k: Tensor, v: Tensor, at: At | None, where: Where) -> tuple[Tensor, Tensor, Where]:
    """Keys and values of which each query head has its own, where ``at`` asks for that."""
    if not any(stage in getattr(at, "stages", ()) for stage in HEAD_STAGES):
        return k, v, where
    own = replace(where, group=1)
    visit = visitor(at, own)
    k, v = (shared.repeat_interleave(where.group, 1) for shared in (k, v))
    return visit("k_heads", k), visit("v_heads", v), own

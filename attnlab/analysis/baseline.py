"""What random heads do: the yardstick for the effect of chosen ones."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

from attnlab.analysis.effects import BATCH_TOKENS, kl_divergence, length_of, turned
from attnlab.errors import InputError
from attnlab.trace.edits import Edit, ZeroHead
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Head
from attnlab.trace.trace import Trace, at_least_one

Drawn = TypeVar("Drawn")
MakeEdit = Callable[[int, int, str], Edit]


@dataclass(frozen=True)
class Baseline:
    """The same ablation on random sets of heads, on the same text and at the same position.

    ``sets``: which heads. ``values``: what each set does, in the unit of the effect (nats of KL
    divergence, or cosine distance).
    """

    sets: tuple[tuple[Head, ...], ...]
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)


def baseline(
    runner: Runner,
    text: Any,
    *,
    make: MakeEdit = ZeroHead,
    size: int = 1,
    count: int = 20,
    position: int | None = -1,
    seed: int = 0,
    role: str | None = None,
    target: Any = None,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
) -> Baseline:
    """What ablating ``size`` random heads together changes, ``count`` times over.

    Args:
        make: the edit of one head, from its layer, head and role.
        position: where the prediction is compared, in nats of KL(as trained ‖ edited). None: the
            final hidden states are compared instead, by ``effects.shift``'s mean.
        role: whose heads; the runner's main role where None.

    Raises:
        InputError: the model has fewer heads, or predicts no token.
    """
    at_least_one(count)
    role = role or runner.main_role
    sets = random_sets(runner, at_least_one(size), count, seed, role)
    edits = [(), *(tuple(make(*head, role) for head in chosen) for chosen in sets)]
    wanted = {"capture": ("final",), "logits": None}
    if position is not None:
        wanted = {"capture": (), "logits": (position,)}
    traces, rows = [], max(1, BATCH_TOKENS // max(1, length_of(runner, text)))
    for start in range(0, len(edits), rows):
        part = edits[start : start + rows]
        goals = None if target is None else [target] * len(part)
        options = wanted | {"each": part, "targets": goals, "cancel": cancel}
        traces += runner.run_many([text] * len(part), **options)
        if progress is not None:
            progress(len(traces) / len(edits))
    plain, *edited = traces
    return Baseline(sets, tuple(_distance(plain, trace, position) for trace in edited))


def random_sets(
    runner: Runner, size: int, count: int, seed: int = 0, role: str | None = None
) -> tuple[tuple[Head, ...], ...]:
    """``count`` sets of ``size`` distinct (layer, head) pairs, drawn with ``seed``.

    Single heads are all different, as long as there are enough of them.

    Raises:
        InputError: the role has fewer heads than ``size``.
    """
    role = role or runner.main_role
    heads = [(s.layer, h) for s in runner.sites if s.role == role for h in range(s.heads)]
    if size > len(heads):
        raise InputError(f"{runner.name} has {len(heads)} heads in {role}, not {size}.")
    return sets_of(heads, size, count, seed)


def sets_of(
    some: Sequence[Drawn], size: int, count: int, seed: int = 0
) -> tuple[tuple[Drawn, ...], ...]:
    """``count`` sets of ``size`` of some things, in their order; single ones are all different."""
    draw = torch.Generator().manual_seed(seed)
    if size == 1:
        order = torch.randperm(len(some), generator=draw)[:count].tolist()
        return tuple((some[i],) for i in order)
    return tuple(_drawn(some, size, draw) for _ in range(count))


def _drawn(some: Sequence[Drawn], size: int, draw: torch.Generator) -> tuple[Drawn, ...]:
    order = torch.randperm(len(some), generator=draw)[:size].tolist()
    return tuple(some[i] for i in sorted(order))


def _distance(plain: Trace, edited: Trace, position: int | None) -> float:
    if position is None:
        return turned(plain.final.double().mean(0), edited.final.double().mean(0))
    if plain.logits is None:
        raise InputError("This model has no language-model head, so it predicts no token.")
    return float(kl_divergence(plain.logits_at(position), edited.logits_at(position)))

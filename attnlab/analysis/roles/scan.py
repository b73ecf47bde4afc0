"""Which role each head of a model has, over many generated probes.

    al.head_roles(lab)          a table: layer, head, role, score, chance, threshold, spread, named

Probes run in batches without the language-model head; the weights of a batch become a few numbers
a head before the next one runs, so what is kept does not grow with their number. All 270 heads of
SmolLM2 take 16 seconds of one core: 5,300 tokens in 248 texts.

False positives: of the 640 heads of 20 random decoders none is named with learned positions, one
with rotary ones (tests/analysis/test_planted_roles.py holds them below 1%).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from attnlab.analysis.roles.common import Common
from attnlab.analysis.roles.found import HeadRole, HeadRoles
from attnlab.analysis.roles.kinds import ROLES, Role
from attnlab.analysis.roles.plan import PROBES, Plan, has_encoder, plan_for
from attnlab.analysis.roles.probe import Probe, seen_in
from attnlab.analysis.roles.score import Result, Tally, scored
from attnlab.analysis.roles.where import looks_of
from attnlab.errors import InputError
from attnlab.trace.capture import Capture
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Site
from attnlab.trace.trace import Trace, at_least_one

BATCH_TOKENS = 512
"""Tokens run at once, padding included."""
BATCH_BYTES = 128 * 2**20
"""What the weights of one batch may take."""


def head_roles(runner: Runner, **options: Any) -> pd.DataFrame:
    """Every head under every role, as a table; see ``measure`` for the options.

    Columns: layer, head, role, score, chance, threshold, spread, named (score ≥ threshold).
    ``attrs`` say the model, the seed, how many probes, and which roles were left out and why.
    """
    return measure(runner, **options).frame()


def measure(
    runner: Runner,
    *,
    stack: str | None = None,
    probes: int = PROBES,
    seed: int = 0,
    ids: tuple[int, int] | None = None,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
) -> HeadRoles:
    """Score every head of a stack for every role of ``kinds.ROLES`` that can be tried.

    Args:
        stack: "encoder" or "decoder"; the model's main one where None.
        probes: texts of each family; minimal pairs are always all of them.
        seed: of what is generated, and of the draws of chance.
        ids: the ids that random probes use, from and up to; by default those from 1,000 to 40,000
            that the model has and that are no special tokens.
        progress: called with the share of the work done.
        cancel: checked at every site and block.

    Raises:
        InputError: no such stack, or texts of the model are too short for any probe.
        Cancelled: ``cancel`` was set.
    """
    stack = stack or runner.main_role
    sites = _sites(runner, stack)
    at_least_one(probes - 1)  # what two texts have in common takes two
    plan = plan_for(runner, stack, probes, seed, ids)
    board = _Board(all(site.causal for site in sites), seed)
    done, total = 0, sum(size for _, size in plan.sized)
    for batch, size in _batches(plan, sum(site.heads for site in sites)):
        for probe, trace in zip(batch, _run(runner, stack, batch, cancel), strict=True):
            board.add(probe, trace, stack)
        done += size
        if progress is not None:
            progress(done / total)
    heads = [(site.layer, head) for site in sites for head in range(site.heads)]
    return board.found(runner.name, stack, seed, heads, plan)


def _sites(runner: Runner, stack: str) -> list[Site]:
    """Those of a stack, by layer. Raises InputError where its heads have no roles."""
    sites = [site for site in runner.sites if site.role == stack]
    if stack == "cross" or not sites:
        has = sorted({site.role for site in runner.sites} - {"cross"})
        raise InputError(
            f"{runner.name} has no attention of the stack {stack!r} that has roles; it has "
            f"{', '.join(has) or 'none'}."
        )
    return sorted(sites, key=lambda site: site.layer)


def _run(runner: Runner, stack: str, batch: Sequence[Probe], cancel: Cancel | None) -> list[Trace]:
    """One batch. A decoder beside an encoder is given the probe as its target, and to read too."""
    given = [probe.given for probe in batch]
    kept = Capture("weights", roles=stack)
    options: dict[str, Any] = {"capture": kept, "logits": None, "cancel": cancel}
    if stack == "decoder" and has_encoder(runner):
        options["targets"] = given
    return runner.run_many(given, **options)


def _batches(plan: Plan, heads: int) -> Iterator[tuple[list[Probe], int]]:
    """Probes of like length together, within the limits above; each time with their tokens."""
    batch: list[Probe] = []
    tokens = 0
    for probe, size in sorted(plan.sized, key=lambda item: (item[0].family, item[1])):
        rows = len(batch) + 1  # this one is the longest so far
        full = rows * size > BATCH_TOKENS or rows * size * size * heads * 4 > BATCH_BYTES
        if batch and (full or batch[-1].family != probe.family):
            yield batch, tokens
            batch, tokens = [], 0
        batch.append(probe)
        tokens += size
    if batch:
        yield batch, tokens


class _Board:
    """The scores of all roles as traces come in."""

    def __init__(self, causal: bool, seed: int) -> None:
        self.causal, self.roles = causal, [r for r in ROLES if r.causal or not causal]
        self.draw = torch.Generator().manual_seed(seed)
        self.tallies = {role.name: Tally(role) for role in self.roles}
        self.common: Common | None = None

    def add(self, probe: Probe, trace: Trace, stack: str) -> None:
        tokens = trace.tokens if stack == trace.main_role else trace.source_tokens
        looks = looks_of(probe, tokens, self.causal)
        if looks is None:
            return
        weights = weights_of(trace, stack)
        for name, look in looks.items():
            tally = self.tallies[name]
            if look.on.any():
                found = scored(weights, look, tally.role.difference, self.draw)
                tally.add(*found, probe.group)
        if probe.family == "plain":
            if self.common is None:
                self.common = Common(seen_in(tokens, self.causal), self.draw)
            self.common.add(weights)

    def result(self, role: Role) -> Result | None:
        if role.name == "position only":
            return None if self.common is None else self.common.result(role.floor)
        tally = self.tallies[role.name]
        return tally.result() if tally.scores else None

    def found(
        self, model: str, stack: str, seed: int, heads: Sequence[tuple[int, int]], plan: Plan
    ) -> HeadRoles:
        results = {role.name: self.result(role) for role in self.roles}
        known = {name: one for name, one in results.items() if one is not None}
        rows = tuple(
            _row(layer, head, name, one, place)
            for place, (layer, head) in enumerate(heads)
            for name, one in known.items()
        )
        counts = tuple((name, self._count(name)) for name in known)
        missing = (role for role in self.roles if role.name not in known)
        left_out = tuple((role.name, plan.why_not(role.family)) for role in missing)
        return HeadRoles(model, stack, seed, rows, counts, left_out)

    def _count(self, name: str) -> int:
        """The texts that a score rests on."""
        return len(self.tallies["previous token" if name == "position only" else name].scores)


def weights_of(trace: Trace, stack: str) -> Tensor:
    """Of every head of a stack, layer by layer: [N, Q, S]."""
    view = trace.role(stack).weights
    return torch.cat([view[layer] for layer in sorted(view.layers)])


def _row(layer: int, head: int, name: str, one: Result, place: int) -> HeadRole:
    spread = float(one.spread[place])
    numbers = (float(values[place]) for values in (one.score, one.chance, one.threshold))
    return HeadRole(layer, head, name, *numbers, None if spread != spread else spread)

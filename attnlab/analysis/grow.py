"""Many variants of one text, exact, in one forward whose batch grows.

A run with an edit in layer l is the plain run up to there. So the forward starts with the plain row
alone, and each variant joins at the block of its first edit as a copy of that row: on average half
of a full run each, in one large batch. It goes in groups of variants, so that results stream and
memory stays within a budget.

Some models cannot be run so, and some are silently wrong when they are. So two variants, the one
that joins first and the one that joins last, are run singly before anything is handed on; where
they differ, or the model's code fails, all variants run as plain batches, and the result says so.

    result = grown(lab, text, [(al.ZeroHead(4, 2),), (al.ZeroHead(9, 4),)], KL())
    result.values[0]          # KL of each variant, [N]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import torch
from torch import Tensor

from attnlab.analysis.metrics import Asks, Metric, joined
from attnlab.errors import GrowthRefused, InputError
from attnlab.trace.edits import Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Growing, Runner
from attnlab.trace.trace import Trace

BUDGET: Final = 2**29
"""Bytes that the rows of a group may take while they run."""
GROUPS: Final = 6
"""Into how many groups variants are split, at least, so that results stream."""
TOLERANCE: Final = 1e-4
"""How far a number may be from that of a single run, in float32."""
_ACTIVATIONS: Final = 24
"""Numbers a token, as multiples of the width, that are alive at once in one block."""
_TILE: Final = 128


@dataclass(frozen=True)
class Part:
    """Results as they come: of ``which`` variants, by metric, [n] or [n, Q]; ``done`` in all."""

    which: tuple[int, ...]
    values: tuple[Tensor, ...]
    done: float


@dataclass(frozen=True)
class Grown:
    """What each variant does.

    Attributes:
        plain: the run without variants, with what the metrics read.
        metrics: as they were resolved for this model and text.
        values: by metric, of each variant: [N], or [N, Q] by position.
        grown: how many variants joined a batch on the way; the rest ran as plain batches.
        why: where some did not, a sentence that says why; else "".
        difference: the largest of the two checked variants from single runs, in what was read
            (logits, losses or vectors); None where none was checked.
        forwards: that it took, the checks among them.
    """

    plain: Trace
    metrics: tuple[Metric, ...]
    values: tuple[Tensor, ...]
    grown: int
    why: str
    difference: float | None
    forwards: int

    @property
    def how(self) -> str:
        """ "grown" where most variants joined on the way, else batched."""
        return "grown" if 2 * self.grown > len(self.values[0]) else "batched"


def grown(
    runner: Runner,
    text: Any,
    variants: Sequence[Edit | Sequence[Edit]],
    metrics: Metric | Sequence[Metric],
    *,
    target: Any = None,
    edits: Sequence[Edit] = (),
    groups: int = GROUPS,
    budget: int = BUDGET,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
    seen: Callable[[Part], None] | None = None,
) -> Grown:
    """The metrics of each variant of one text, each equal to a run of its own.

    Args:
        variants: the edits of each.
        metrics: what is measured against the plain run; only what they read is kept.
        edits: act in every row, the plain one too.
        groups: forwards, at least, where there are as many variants.
        budget: bytes for the rows of one forward; they are split into more where they need more.
        seen: called with each group's results as they come, outside of any run.

    Raises:
        InputError, EditError: see ``Lab.run``.
        Cancelled: ``cancel`` was set.
    """
    metrics = (metrics,) if isinstance(metrics, Metric) else tuple(metrics)
    metrics = tuple(metric.resolved(runner, text, target) for metric in metrics)
    if not metrics or groups < 1:
        raise InputError("grown takes at least one metric and one group.")
    growth = runner.growing(text, variants, target=target, edits=edits)
    asks = joined(metrics) | {"cancel": cancel}
    work = _Work(runner, growth, asks, metrics, progress, seen)
    return work.done(groups, budget)


class _Work:
    """One call of ``grown``: what has been found so far."""

    def __init__(
        self,
        runner: Runner,
        growth: Growing,
        asks: Asks,
        metrics: tuple[Metric, ...],
        progress: Callable[[float], None] | None,
        seen: Callable[[Part], None] | None,
    ) -> None:
        self.runner, self.growth, self.asks, self.metrics = runner, growth, asks, metrics
        self.progress, self.seen = progress, seen
        self.count = len(growth.enters)
        self.found: dict[int, tuple[Tensor, ...]] = {}
        self.plain: Trace | None = None
        self.difference: float | None = None
        self.grew = 0
        self.reported = 0.0
        self.forwards = 0

    def done(self, groups: int, budget: int) -> Grown:
        enters = self.growth.enters
        joins = sorted(
            (i for i in range(self.count) if enters[i] is not None), key=enters.__getitem__
        )
        ends = (joins[0], joins[-1]) if len(joins) > 2 else ()
        alone = {i: self._plainly([i])[0] for i in ends}
        any_row = alone[ends[0]] if ends else self._plainly([None])[0]
        room = max(1, budget // bytes_of_row(self.runner, any_row))
        why = "So few variants that join late are run as a plain batch." if self.count else ""
        if alone:
            try:
                self._grow(_with_first(split(joins, groups, room), joins[-1]), alone)
                rest = self.count - len(joins)
                why = (
                    f"{rest} of them differ before the first block: plain batches." if rest else ""
                )
            except GrowthRefused as error:
                why = str(error)
        if self.plain is None:
            self.plain = any_row if not ends else self._plainly([None])[0]
        left = [i for i in range(self.count) if i not in self.found]
        for part in split(left, groups, room):
            self._keep(part, self._plainly(part, self._options(part)))
        return self._result(why)

    def _plainly(self, which: list[int | None], options: Asks | None = None) -> list[Trace]:
        """Rows that all start together: one, or a plain batch."""
        self.forwards += 1
        return self.growth.run(which, grow=False, **(options or self.asks))

    def _grow(self, parts: list[list[int]], alone: dict[int, Trace]) -> None:
        """All parts in turn; the first is compared with single runs before it is handed on."""
        for part in parts:
            self.forwards += 1
            plain, *traces = self.growth.run([None, *part], **self._options(part))
            if self.plain is None:
                pairs = [(alone[i], traces[part.index(i)]) for i in alone]
                self.difference = max(apart(*pair) for pair in pairs)
                allowed = max(tolerance(one) for one in alone.values())
                if not self.difference <= allowed:
                    raise GrowthRefused(
                        f"Rows that joined the batch of {self.runner.name} differ from single "
                        f"runs by {self.difference:.2g}, so all were run as plain batches."
                    )
                self.plain = plain
            self._keep(part, traces)
            self.grew += len(part)

    def _keep(self, part: list[int], traces: list[Trace]) -> None:
        values = tuple(metric.of_each(self.plain, traces) for metric in self.metrics)
        self.found.update(zip(part, zip(*values, strict=True), strict=True))
        if self.seen is not None:
            self.seen(Part(tuple(part), values, len(self.found) / self.count))

    def _options(self, part: list[int]) -> Asks:
        if self.progress is None:
            return self.asks
        before, share = len(self.found), len(part)
        return self.asks | {"progress": lambda x: self._report((before + x * share) / self.count)}

    def _report(self, share: float) -> None:
        """What a failed attempt has reported already is not reported again."""
        if share > self.reported:
            self.reported = share
            self.progress(share)

    def _result(self, why: str) -> Grown:
        rows = [self.found[i] for i in range(self.count)]
        values = tuple(
            torch.stack([row[at] for row in rows]) if rows else torch.zeros(0)
            for at in range(len(self.metrics))
        )
        return Grown(
            self.plain,
            self.metrics,
            values,
            grown=self.grew,
            why=why,
            difference=self.difference,
            forwards=self.forwards,
        )


def split(order: Sequence[int], groups: int, room: int) -> list[list[int]]:
    """Consecutive parts of about the same length: at least ``groups``, none above ``room``."""
    count = len(order)
    parts = min(count, max(groups, -(-count // room)))
    edges = [round(count * i / parts) for i in range(parts + 1)] if parts else []
    return [list(order[a:b]) for a, b in pairwise(edges)]


def _with_first(parts: list[list[int]], one: int) -> list[list[int]]:
    """The same with ``one`` in the first part, where it is checked."""
    rest = [[i for i in part if i != one] for part in parts]
    return [[*rest[0], one], *(part for part in rest[1:] if part)]


def bytes_of_row(runner: Runner, trace: Trace) -> int:
    """About what one more row takes while it runs, and its logits, in bytes (float32)."""
    sites = [site for site in runner.sites if site.role == trace.main_role] or [*runner.sites]
    tokens = max(len(trace.tokens), len(trace.source_tokens), 1)
    width = max((site.heads * site.value_size for site in sites), default=1)
    heads = max((site.heads for site in sites), default=1)
    scores = 3 * heads * min(tokens, _TILE) * tokens
    logits = 0 if trace.logits is None else 3 * trace.logits.numel()
    return 4 * (_ACTIVATIONS * tokens * width + scores + logits)


def apart(one: Trace, other: Trace) -> float:
    """The largest difference of what two runs kept: logits, losses, final vectors."""
    pairs = []
    for name in ("logits", "losses"):
        a, b = getattr(one, name), getattr(other, name)
        if a is not None and b is not None:
            pairs.append((a, b))
    pairs += [
        (kept.tensor, other.values[key][layer].tensor)
        for key, layers in one.values.items()
        for layer, kept in layers.items()
    ]
    # −∞ − −∞ is no number, and no difference either.
    gaps = [torch.where(a == b, 0.0, (a - b).abs()).max() for a, b in pairs if a.numel()]
    return float(torch.stack(gaps).max()) if gaps else 0.0


def tolerance(trace: Trace) -> float:
    """How far rows may be from single runs: TOLERANCE, or a few units in the last place of the
    largest logit in half precision."""
    dtype = getattr(torch, str(trace.how.get("dtype", "float32")).removeprefix("torch."))
    largest = 1.0 if trace.logits is None else float(trace.logits.abs().max())
    return max(TOLERANCE, 4 * torch.finfo(dtype).eps * largest)

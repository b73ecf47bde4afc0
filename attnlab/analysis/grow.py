"""Many variants of one text, exact, in one forward whose batch grows.

A run with an edit in layer l is the plain run up to there. So the forward starts with the plain row
alone, and each variant joins at the block of its first edit as a copy of that row: on average half
of a full run each, in one large batch. It goes in groups of variants, so that results stream and
memory stays within a budget.

Some models cannot be run so, and some are silently wrong when they are. So three variants, those
that join first, last and in the middle, are run singly before anything is handed on. Where they
differ in what is read, or in the last vector of any position, by more than rounding
(``batches.tolerance``), or the model's code fails, all run as plain batches (one at a time where
not even these are right), and the result says so.

    result = grown(lab, text, [(al.ZeroHead(4, 2),), (al.ZeroHead(9, 4),)], KL())
    result.values[0]          # KL of each variant, [N]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor

from attnlab.analysis.batches import bytes_of_row, gaps, split, with_first
from attnlab.analysis.metrics import Asks, Metric, joined, require_metric
from attnlab.errors import GrowthRefused, InputError
from attnlab.trace.capture import whole
from attnlab.trace.edits import Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Growing, Runner
from attnlab.trace.trace import Trace

BUDGET: Final = 2**29
"""Bytes that the rows of a group may take while they run."""
GROUPS: Final = 6
"""Into how many groups variants are split, at least, so that results stream."""
_SHARED: Final = "Each ran through all layers: runs that share the first ones"
_BESIDE: Final = "Run one after another: runs side by side"
_FEW: Final = "All ran side by side through all layers: too few begin to differ later."


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
        difference: the largest of the checked variants from single runs, in what was read (logits,
            losses or vectors); None where none was checked.
        noise: by metric, how far their effects are from those of single runs: smaller effects tell
            nothing, and in half precision they are many.
        forwards: that it took, the checks among them.
    """

    plain: Trace
    metrics: tuple[Metric, ...]
    values: tuple[Tensor, ...]
    grown: int
    why: str
    difference: float | None
    noise: tuple[float, ...] | None
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
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    given = tuple(metrics) if several else (metrics,)
    metrics = tuple(require_metric(metric).resolved(runner) for metric in given)
    if not metrics or whole("groups", groups, InputError) < 1:
        raise InputError("grown takes at least one metric and one group.")
    growth = runner.growing(text, variants, target=target, edits=edits, cancel=cancel)
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
        final = ("final",) if "final" in runner.stages else ()
        self.checks = asks | {"capture": tuple(dict.fromkeys((*asks["capture"], *final)))}
        """What is kept of the variants that are checked: the last vectors too, of all positions."""
        self.difference: float | None = None
        self.noise = [0.0] * len(metrics)
        self.alone: dict[int, Trace] = {}
        self.grew = self.forwards = 0
        self.reported = 0.0
        self.batch_failed = ""

    def done(self, groups: int, budget: int) -> Grown:
        enters = self.growth.enters
        late = [i for i in range(self.count) if enters[i] is not None]
        joins = sorted(late, key=lambda i: (enters[i], i))
        grows = len(joins) > 2
        order = joins if grows else range(self.count) if self.count > 2 else ()
        checked = [order[at] for at in (0, len(order) // 2, -1)] if order else []
        self.alone = {i: self._together([i], self.checks)[0] for i in checked}
        any_row = self.alone[checked[0]] if checked else self._together([None])[0]
        room = max(1, budget // bytes_of_row(self.runner, any_row))
        why = _FEW if self.count else ""
        if grows:
            why = self._in_growth(joins, groups, room)
        if self.plain is None:
            self._plain_is(self._together([None])[0] if checked else any_row)
        left = [i for i in range(self.count) if i not in self.found]
        self._in_batches(sorted(left, key=lambda i: i not in checked), groups, room)
        return self._result(self.batch_failed or why)

    def _in_growth(self, joins: list[int], groups: int, room: int) -> str:
        """Rows that join; why some, or all, are left for plain batches."""
        parts = with_first(split(joins, groups, room), list(self.alone))
        try:
            for part in parts:
                self.forwards += 1
                plain, *traces = self.growth.run([None, *part], **self._options(part))
                self._require_equal(part, traces, _SHARED)
                self._plain_is(plain)
                self._keep(part, traces)
                self.grew += len(part)
        except GrowthRefused as error:
            return str(error)
        rest = self.count - len(joins)
        return f"{rest} differ before the first layer, so they share none." if rest else ""

    def _in_batches(self, which: Sequence[int], groups: int, room: int) -> None:
        """Plain batches; one at a time where the model cannot be edited row by row."""
        for part in split(which, groups, room):
            traces = None
            if not self.batch_failed:
                try:
                    traces = self._together(part, self._options(part))
                    self._require_equal(part, traces, _BESIDE)
                except GrowthRefused as error:
                    self.batch_failed, traces = str(error), None
            if traces is None:
                traces = [self._together([i])[0] for i in part]
            self._keep(part, traces)
            self._report(len(self.found) / self.count)

    def _plain_is(self, plain: Trace) -> None:
        """What variants are compared with."""
        if self.plain is None:
            self.plain = plain
            self.metrics = tuple(metric.settled(plain) for metric in self.metrics)

    def _together(self, which: Sequence[int | None], options: Asks | None = None) -> list[Trace]:
        """Rows that all start together."""
        self.forwards += 1
        return self.growth.run(which, grow=False, **(options or self.asks))

    def _require_equal(self, part: Sequence[int], traces: list[Trace], how: str) -> None:
        """Raises GrowthRefused where a variant of the part is not what it is in a single run.

        Args:
            how: how the part was run, in words to which the difference is added.
        """
        for i, one in self.alone.items():
            if i in part:
                found = gaps(one, traces[part.index(i)])
                for gap in found:
                    if not gap.size <= gap.most:
                        raise GrowthRefused(f"{how} are {gap.size:.2g} off from single runs.")
                self.difference = max(self.difference or 0.0, found[0].size)

    def _keep(self, part: list[int], traces: list[Trace]) -> None:
        values = tuple(metric.of_each(self.plain, traces) for metric in self.metrics)
        for i in self.alone.keys() & set(part):
            for at, metric in enumerate(self.metrics):
                off = (metric.of(self.plain, self.alone[i]) - values[at][part.index(i)]).abs()
                self.noise[at] = max(self.noise[at], float(off.max()))
        self.found.update(zip(part, zip(*values, strict=True), strict=True))
        if self.seen is not None:
            self.seen(Part(tuple(part), values, len(self.found) / self.count))

    def _options(self, part: list[int]) -> Asks:
        asks = self.checks if self.alone.keys() & set(part) else self.asks
        if self.progress is None:
            return asks
        before, share = len(self.found), len(part)
        return asks | {"progress": lambda x: self._report((before + x * share) / self.count)}

    def _report(self, share: float) -> None:
        """What a failed attempt has reported already is not reported again."""
        if self.progress is not None and share > self.reported:
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
            noise=tuple(self.noise) if self.alone else None,
            forwards=self.forwards,
        )

"""Two texts that differ in what matters, run plain, and what is measured between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from attnlab.analysis.metrics import KL, LogitDifference, Metric, default_metric, joined
from attnlab.errors import InputError
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.trace import Trace


@dataclass(frozen=True)
class Contrast:
    """The two texts run plain, clean first, and the metric settled for them."""

    texts: tuple[Any, Any]
    targets: tuple[Any, Any]
    traces: tuple[Trace, Trace]
    metric: Metric

    @classmethod
    def run(
        cls,
        runner: Runner,
        texts: tuple[Any, Any],
        targets: tuple[Any, Any],
        metric: Metric | None,
        cancel: Cancel | None,
    ) -> Contrast:
        first = metric or default_metric(runner)
        first = first.resolved(runner, texts[0], targets[0])
        options = {"cancel": cancel, **joined((first,))}
        goals = ({} if goal is None else {"target": goal} for goal in targets)
        pairs = zip(texts, goals, strict=True)
        traces = tuple(runner.run(text, **options, **goal) for text, goal in pairs)
        lengths = {len(trace.tokens) for trace in traces}
        place = getattr(first, "position", getattr(first, "over", -1))
        if len(lengths) > 1 and (place is None or (isinstance(place, int) and place >= 0)):
            raise InputError(
                f"The texts have {' and '.join(map(str, sorted(lengths)))} tokens, so "
                f"{first.name} is not the same place in both; count it from the end."
            )
        if Raw(first, traces[0]).of_each(traces[0], traces[:1]).dim() > 1:
            raise InputError(
                f"Patching measures one number a run, and {first.name} has one for each position; "
                "name one position."
            )
        found = first if metric is not None else _default(first, traces)
        return cls(texts, targets, traces, found)

    @property
    def values(self) -> tuple[float, float]:
        """The metric of the clean and of the corrupted text."""
        raw = Raw(self.metric, self.traces[0])
        clean, corrupted = raw.of_each(self.traces[0], self.traces).tolist()
        return clean, corrupted


def _default(first: Metric, traces: tuple[Trace, ...]) -> Metric:
    """The logit difference of the two texts' likeliest tokens, where they have some and differ."""
    if not isinstance(first, KL):
        return first
    tops = [int(trace.logits_at().argmax()) for trace in traces]
    return first if tops[0] == tops[1] else LogitDifference(*tops)


@dataclass(frozen=True)
class Raw(Metric):
    """A metric's value in each run; of one that compares two, the distance from the clean run."""

    inner: Metric
    clean: Trace = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def unit(self) -> str:
        return self.inner.unit

    @property
    def asks(self) -> dict[str, Any]:
        return self.inner.asks

    def of(self, plain: Trace, edited: Trace) -> Tensor:
        return self.of_each(plain, [edited])[0]

    def of_each(self, plain: Trace, edited: Sequence[Trace]) -> Tensor:
        if self.inner.signed:
            return torch.stack([self.inner.value(trace) for trace in edited]).double()
        return self.inner.of_each(self.clean, edited).double()

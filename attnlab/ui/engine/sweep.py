"""What every head does to one text, exactly and estimated, and what a set of them does."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from attnlab.analysis import estimate
from attnlab.analysis.effects import Effect, compare
from attnlab.analysis.grow import Part, grown
from attnlab.analysis.metrics import Metric
from attnlab.analysis.tray import COUNT, Together, together
from attnlab.errors import InputError
from attnlab.ui import work
from attnlab.ui.engine.ask import Ask
from attnlab.ui.engine.edited import spelled
from attnlab.ui.engine.keys import EffectKey, Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.selection import Head
from attnlab.viz.heads import FEED

MOST_TOKENS: Final = 512
"""Of a text whose heads are all taken away, one by one."""


@dataclass(frozen=True)
class Swept:
    """The effect of every head alone.

    Attributes:
        exact: by head, in the unit of the metric.
        metric: with token ids for words.
        plain: the value of the text as trained, of metrics that have one.
        grown: how many runs joined a batch on the way; ``why`` the others did not, or "".
        difference: the largest of the checked runs from single ones, None where none was checked;
            ``noise``: that of their effects, in the unit of the metric.
    """

    exact: dict[Head, float]
    metric: Metric
    plain: float | None
    grown: int
    why: str
    difference: float | None
    noise: float | None


def swept(ask: Ask, partly: Callable[[dict[Head, float]], None]) -> Swept:
    """Every head taken away alone; ``partly`` is given what is known so far, as it comes.

    What is stopped goes on where it was when it is asked for again.

    Raises:
        AttnLabError: the text does not fit, or the work was stopped.
    """
    stores = work.stores().effects

    def run(job: Any) -> Swept:
        known = dict(_held(ask))
        left = [unit for unit in ask.units if unit not in known]

        def seen(part: Part) -> None:
            values = part.values[0].tolist()
            known.update({left[at]: value for at, value in zip(part.which, values, strict=True)})
            stores.put(ask.key("part"), dict(known))
            job.share(dict(known))

        share = len(known) / len(ask.units)
        found = grown(
            ask.reader.lab,
            ask.passage.text,
            [(ask.make(*unit),) for unit in left],
            ask.metric,
            target=ask.target,
            progress=lambda done: job.progress(share + (1 - share) * done),
            cancel=job.cancel,
            seen=seen,
        )
        metric = found.metrics[0]
        plain = float(metric.value(found.plain)) if metric.signed else None
        exact = {unit: known[unit] for unit in ask.units}
        noise = None if found.noise is None else found.noise[0]
        return Swept(exact, metric, plain, found.grown, found.why, found.difference, noise)

    words = f"Taking each of {len(ask.heads)} heads away"
    return work.perform(ask.key(), words, run, stores, partly=partly)


def known(ask: Ask) -> dict[Head, float]:
    """What a sweep has found already, of all heads or of some; nothing is run."""
    done = work.stores().effects.get(ask.key())
    return done.exact if done is not None else dict(_held(ask))


def _held(ask: Ask) -> dict[Head, float]:
    """What an unfinished sweep has found; where feed-forwards are asked too, heads may be there."""
    stores = work.stores().effects
    found = dict(stores.get(ask.key("part")) or {})
    if ask.layers:
        found = known(replace(ask, feed=False)) | found
    return found


def set_of(ask: Ask, units: Sequence[Head], count: int = COUNT) -> Together:
    """What a set does, beside each of its parts alone and beside ``count`` random sets.

    Args:
        units: heads, and feed-forwards as (layer, FEED).
    """

    def run(job: Any) -> Together:
        return together(
            ask.reader.lab,
            ask.passage.text,
            lambda layer, head: ask.make(layer, FEED if head is None else head),
            [unit for unit in units if unit[1] != FEED],
            ask.metric,
            layers=[layer for layer, head in units if head == FEED],
            role=ask.reader.role,
            target=ask.target,
            count=count,
            progress=job.progress,
            cancel=job.cancel,
        )

    key = ask.key(f"{spelled(ask.edits(units))} beside {count}")
    return work.perform(key, "Taking them away together", run, work.stores().effects)


def next_words(reader: Reader, passage: Passage, position: int) -> Effect:
    """What follows a token as trained: the likeliest words come first.

    Raises:
        InputError: the model predicts nothing.
    """
    if reader.lab.head_kind == "none":
        raise InputError(f"{reader.lab.name} predicts no token.")

    def run(job: Any) -> Effect:
        target = passage.target if reader.writes else None
        options = {"position": position, "k": 5, "target": target, "cancel": job.cancel}
        return compare(reader.lab, passage.text, (), **options)

    key = EffectKey(reader.key, passage, "[]", position)
    return work.perform(key, "Reading the prediction", run, work.stores().effects)


@dataclass(frozen=True)
class Estimated:
    """Estimates by head, before any of them is taken away."""

    values: dict[Head, float]

    def correlation(self, exact: dict[Head, float]) -> float | None:
        """Rank correlation with exact effects; None where there is too little to compare."""
        both = [head for head in exact if head in self.values]
        if len(both) < 3:
            return None
        found = estimate.rank_correlation(
            [self.values[head] for head in both], [exact[head] for head in both]
        )
        return found if math.isfinite(found) else None


def estimated(ask: Ask) -> Estimated:
    """About what every head does, from one pass forward and one back.

    Raises:
        AttnLabError: the text is too long for it, no gradient reaches the heads, or it was stopped.
    """

    def run(job: Any) -> Estimated:
        variants = [(ask.make(*unit),) for unit in ask.units]
        found = estimate.estimated(
            ask.reader.lab,
            ask.passage.text,
            variants,
            ask.metric,
            target=ask.target,
            cancel=job.cancel,
        )
        return Estimated(dict(zip(ask.units, found.values.tolist(), strict=True)))

    key = ask.key("estimate")
    return work.perform(key, "Estimating every head", run, work.stores().effects)

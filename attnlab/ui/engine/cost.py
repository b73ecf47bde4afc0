"""Time and memory on this machine, measured once for all sessions, or again where that is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from attnlab.analysis.measured import apart
from attnlab.analysis.measured.apart import Job, Measurement
from attnlab.ui import work

Measured = tuple[Measurement, ...]


@dataclass(frozen=True)
class MeasuredKey:
    """What was measured, and how often it was asked for anew."""

    jobs: tuple[Job, ...]
    again: int


def jobs_of(ways: Sequence[str], counts: Sequence[int]) -> tuple[Job, ...]:
    """Every way at every count of tokens, all ways at the shortest first."""
    return tuple((way, n) for n in counts for way in ways)


def measured(
    jobs: Sequence[Job],
    words: str,
    *,
    again: int = 0,
    partly: Callable[[Measured], None] | None = None,
) -> Measured:
    """What each job takes, in processes of their own, behind the gate.

    Args:
        again: another number measures anew.
        partly: called with what is there so far.

    Raises:
        AttnLabError: the work was stopped, or the process ended early.
    """

    def run(job: Any) -> Measured:
        options = {"progress": job.progress, "share": job.share, "cancel": job.cancel}
        return apart.measure(jobs, **options)

    key = MeasuredKey(tuple(jobs), again)
    return work.perform(key, words, run, work.stores().effects, partly=partly)

"""Time and memory on this machine, measured once for all sessions, or again where that is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from attnlab.analysis.measured import apart, tokens
from attnlab.analysis.measured.apart import Job, Measurement
from attnlab.analysis.measured.tokens import TokenTime
from attnlab.ui import work
from attnlab.ui.engine.keys import LabKey
from attnlab.ui.engine.model import Reader
from attnlab.ui.hosting import hosted

_CAREFUL: Final = {"seconds": 1.0, "most_bytes": 2**29}
"""What one job may take of a server that is open to strangers."""
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
        return apart.measure(jobs, **options, **(_CAREFUL if hosted() else {}))

    key = MeasuredKey(tuple(jobs), again)
    return work.perform(key, words, run, work.stores().effects, partly=partly)


@dataclass(frozen=True)
class TokenKey:
    """The time of a token after so many, of one model, on one text."""

    lab: LabKey
    ids: tuple[int, ...]
    counts: tuple[int, ...]
    again: int


def token_times(
    of: Reader,
    ids: Sequence[int],
    counts: Sequence[int],
    *,
    again: int = 0,
    partly: Callable[[tuple[TokenTime, ...]], None] | None = None,
) -> tuple[TokenTime, ...]:
    """Seconds of one more token with a cache and without, see ``analysis.measured.tokens``.

    Raises:
        AttnLabError: the model does not generate, or the work was stopped.
    """

    def run(job: Any) -> tuple[TokenTime, ...]:
        options = {"progress": job.progress, "share": job.share, "cancel": job.cancel}
        return tokens.token_times(of.lab, ids, counts, **options)

    key = TokenKey(of.key, tuple(ids), tuple(counts), again)
    return work.perform(key, "Timing one token", run, work.stores().effects, partly=partly)

"""The time of one more token, with a key/value cache and without, in a loaded model.

Without, the whole text is read again; with, its newest token alone. Both give the same logits. Time
is this thread's own on the processor, which other sessions of a server do not stretch; torch keeps
to that one thread meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import torch

from attnlab.analysis.progress import Progress
from attnlab.errors import Cancelled, InputError
from attnlab.trace.run import Cancel

_STEPS: Final = 3


@dataclass(frozen=True)
class TokenTime:
    """One more token after ``n``, in seconds: reading the n again, or the newest alone."""

    n: int
    again: float
    cached: float


def token_times(
    runner: Any,
    ids: Sequence[int],
    counts: Sequence[int],
    *,
    progress: Progress | None = None,
    share: Callable[[tuple[TokenTime, ...]], None] | None = None,
    cancel: Cancel | None = None,
) -> tuple[TokenTime, ...]:
    """The times after each of ``counts`` tokens of a text.

    Args:
        runner: a Lab that generates: its ``steps`` is used.
        counts: rising; those that leave no room in the text are left out.
        share: called with what is there so far.

    Raises:
        InputError: the model does not generate, or the text is shorter than all counts.
        Cancelled: ``cancel`` was set.
    """
    counts = [n for n in counts if n + _STEPS + 1 <= len(ids)]
    if not counts:
        raise InputError(f"{len(ids):,} tokens are too few to time one more after many.")
    done, total, found = 0, sum(counts), []
    for n in counts:
        if cancel is not None and cancel.is_set():
            raise Cancelled("The measurement was cancelled.")
        with _one_thread():
            found.append(_after(runner, list(ids), n, cancel))
        done += n
        if progress is not None:
            progress(done / total)
        if share is not None:
            share(tuple(found))
    return tuple(found)


def _after(runner: Any, ids: list[int], n: int, cancel: Cancel | None) -> TokenTime:
    # The first look reads n tokens, as every token would without a cache.
    going = runner.steps(ids[:n], capture=(), max_new_tokens=_STEPS + 1)
    again = _seconds(lambda: going.look(cancel=cancel))
    times = []
    for at in range(n, n + _STEPS):
        going.step(choose=ids[at], cancel=cancel)
        times.append(_seconds(lambda: going.look(cancel=cancel)))
    return TokenTime(n, again, min(times))


@contextmanager
def _one_thread() -> Iterator[None]:
    """Torch computes on one thread: what its others do would not be timed."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _seconds(work: Callable[[], Any]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start

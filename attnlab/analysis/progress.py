"""The progress of one part of a piece of work, as a share of the whole."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]


def part(progress: Progress | None, done: float, more: float) -> Progress | None:
    """What reports 0 to 1 of a part as ``done`` to ``done + more`` of the whole.

    >>> part(print, 0.5, 0.25)(1.0)
    0.75
    """
    return None if progress is None else lambda share: progress(done + more * share)

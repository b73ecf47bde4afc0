"""Starts the process that measures, listens to it, and ends it when nobody wants it any more."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from attnlab.analysis.measured.ways import WAYS
from attnlab.analysis.progress import Progress
from attnlab.errors import AttnLabError, Cancelled, InputError
from attnlab.trace.run import Cancel

Job = tuple[str, int]
"""A way of ``ways.WAYS``, and how many tokens."""

SECONDS: Final = 3.0
BYTES: Final = 1.5 * 2**30
"""What one job may take at most."""
_POLL: Final = 0.05  # seconds until a cancel is seen
_OWN: Final = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Measurement:
    """What one job took.

    Attributes:
        way, n: which.
        seconds: of processor time, on one thread; None where it was not run.
        bytes: the peak of memory, inputs and result included; None as well.
        why: "time" or "memory" where it was too big to run, else "".
    """

    way: str
    n: int
    seconds: float | None = None
    bytes: float | None = None
    why: str = ""


def measure(
    jobs: Sequence[Job],
    *,
    seconds: float = SECONDS,
    most_bytes: float = BYTES,
    progress: Progress | None = None,
    share: Callable[[tuple[Measurement, ...]], None] | None = None,
    cancel: Cancel | None = None,
) -> tuple[Measurement, ...]:
    """Every job, in the order given, each in a process of its own on one thread.

    Args:
        jobs: for each way from few tokens to many: a way that would take too much is not run.
        seconds, most_bytes: what is too much, for one run.
        share: called with what is there so far.

    Raises:
        InputError: there is no such way.
        Cancelled: ``cancel`` was set; the processes are gone then.
        AttnLabError: the process ended early; the sentence says so.
    """
    for way, n in jobs:
        if way not in WAYS or n < 1:
            raise InputError(f"There is no way {way!r} to measure {n} tokens; {', '.join(WAYS)}.")
    plan = json.dumps({"jobs": list(jobs), "seconds": seconds, "bytes": most_bytes})
    found: list[Measurement] = []
    with _Child(plan) as child:
        while len(found) < len(jobs):
            if cancel is not None and cancel.is_set():
                raise Cancelled("The measurement was cancelled.")
            line = child.line()
            if line is None:
                continue
            found.append(_read(line))
            if progress is not None:
                progress(len(found) / len(jobs))
            if share is not None:
                share(tuple(found))
    return tuple(found)


def _read(line: str) -> Measurement:
    if not line:
        raise AttnLabError("The process that measures ended early, so there is nothing to show.")
    return Measurement(**json.loads(line))


class _Child:
    """The process, in a session of its own so that it goes with all that it has started."""

    def __init__(self, plan: str) -> None:
        self._plan = plan
        self._lines: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> _Child:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "attnlab.analysis.measured.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_environment(),
            start_new_session=True,
        )
        # A process that has ended already reads nothing; what it said, nothing, tells so.
        with contextlib.suppress(BrokenPipeError), self._process.stdin as plan:
            plan.write(f"{self._plan}\n")
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *error: Any) -> None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):  # it may be done
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()

    def _listen(self) -> None:
        with self._process.stdout as said:
            for line in said:
                self._lines.put(line)
        self._lines.put("")

    def line(self) -> str | None:
        """What it said next; "" once it has ended, None where it is still at work."""
        try:
            return self._lines.get(timeout=_POLL)
        except queue.Empty:
            return None


def _environment() -> dict[str, str]:
    """Ours, on one thread; without tuning of the allocator, which would hide what is taken."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    paths = [entry for entry in sys.path if entry]
    return kept | _OWN | {"PYTHONPATH": os.pathsep.join(paths)}

"""The process that measures: ``python -m attnlab.analysis.measured.child``, a plan on its input.

The plan is one line of JSON: ``jobs``, a list of (way, n) with rising n, and the most ``seconds``
and ``bytes`` that one may take. For each job a line of JSON comes back: seconds and bytes, or why
it was not run.

Each job runs in a process of its own, whose memory nobody used before: forked from this one, which
has loaded torch and computed nothing; where a system cannot fork, started anew. Memory is the peak
of what is resident less what was resident before the inputs were made, so inputs and result count.
Time is the processor's, of one thread: the least of several runs, which a busy machine does not
stretch.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import torch

from attnlab.analysis.measured.ways import WAYS, Prepared

try:
    resource = importlib.import_module("resource")
except ImportError:  # Windows has none: nothing is said of memory there
    resource = None

_WARM: Final = 16  # tokens of a run that loads code and fills the pools
_RUNS: Final = 7
_ENOUGH: Final = 0.12  # seconds after which a run is not repeated


_LEAST: Final = 2**18
"""Bytes below which nothing is said: so much may lie ready from before."""


def measured(way: str, n: int) -> dict[str, float]:
    """Seconds and bytes of one job, in the process that calls it."""
    with torch.inference_mode():
        WAYS[way](_WARM)()
        before = _resident()
        run = WAYS[way](n)
        times = [_seconds(run)]
        # Later runs find the memory of earlier ones in pieces, and take more.
        taken = _peak() - before
        while len(times) < _RUNS and sum(times) < _ENOUGH:
            times.append(_seconds(run))
    return {"seconds": min(times), "bytes": taken if taken >= _LEAST else 0}


def _seconds(run: Prepared) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _resident() -> int:
    """Bytes of this process that are in memory now; their peak where a system does not say."""
    now = Path("/proc/self/statm")
    if now.exists():
        return int(now.read_text().split()[1]) * resource.getpagesize()
    return _peak()


def _peak() -> int:
    """The most bytes of this process that have been in memory; 0 where a system does not say."""
    if resource is None:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _job(way: str, n: int, answer: Connection) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    try:
        answer.send(measured(way, n))
    except (MemoryError, RuntimeError) as error:
        # What torch says of memory that it is not given is no type of its own.
        if "alloc" not in str(error) and not isinstance(error, MemoryError):
            raise


def _apart(way: str, n: int) -> dict[str, float] | None:
    """The same in a process of its own; None where that had too little memory.

    Raises:
        EOFError: it failed for another reason.
    """
    # Nothing here has threads, so forking is safe; elsewhere a process starts anew.
    method = "fork" if sys.platform.startswith("linux") else "spawn"
    context = multiprocessing.get_context(method)
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_job, args=(way, n, there), daemon=True)
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        process.join()
        if process.exitcode > 0:  # a fault of ours, which is no want of memory
            raise
        return None
    finally:
        process.join()


def reason(before: dict[str, float], by: float, seconds: float, most_bytes: float) -> str:
    """Why a job is too big, from the same way's at an n that is ``by`` times smaller; "" if not.

    At worst everything grows with n².
    """
    if before["seconds"] * by**2 > seconds:
        return "time"
    return "memory" if before["bytes"] * by**2 > most_bytes else ""


def run(jobs: Sequence[tuple[str, int]], seconds: float, most_bytes: float) -> None:
    """Every job in turn; a way that got too big is not asked for more."""
    last: dict[str, tuple[int, dict[str, float]]] = {}
    ended: dict[str, str] = {}
    for way, n in jobs:
        if way in last and way not in ended:
            count, before = last[way]
            ended[way] = reason(before, n / count, seconds, most_bytes)
        found: dict[str, Any] = {"way": way, "n": n}
        if ended.get(way):
            found["why"] = ended[way]
        else:
            ended.pop(way, None)
            answer = _apart(way, n)
            if answer is None:
                found["why"] = ended[way] = "memory"
            else:
                last[way] = n, answer
                found |= answer
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    plan = json.loads(sys.stdin.readline())
    run([tuple(job) for job in plan["jobs"]], plan["seconds"], plan["bytes"])

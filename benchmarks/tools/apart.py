"""Times taken in processes of their own, with one thread, and put side by side as ratios.

A neighbour that keeps the machine busy slows every case alike, so cases alternate and only their
ratios within a repeat are read.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TUNED = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "4000000000",
    "MALLOC_TOP_PAD_": "268435456",
}
"""glibc's allocator made to keep freed memory: otherwise half of a long run is spent on pages."""

Measured = dict[str, float]


def environment(tuned: bool = True) -> dict[str, str]:
    """What a child process runs in: one thread, no network, and this repository."""
    own = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    return without_malloc(os.environ) | own | (TUNED if tuned else {})


def without_malloc(environment: Mapping[str, str]) -> dict[str, str]:
    return {k: v for k, v in environment.items() if not k.startswith("MALLOC_")}


def child(
    script: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    python: str = sys.executable,
) -> Measured:
    """What a script prints last, as JSON, run by itself."""
    command = [python, script, *arguments]
    done = subprocess.run(
        command, env=dict(environment), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def timed(run: Callable[[], object], count: int) -> Measured:
    """Medians of the wall clock and of this process's own time over warm runs, s."""
    return by_turns({"run": run}, count)["run"]


def by_turns(runs: Mapping[str, Callable[[], object]], count: int) -> dict[str, Measured]:
    """The same of several runs that alternate, so that whatever slows the machine slows each."""
    taken: dict[str, dict[str, list[float]]] = {name: {"wall": [], "cpu": []} for name in runs}
    for turn in range(count + 1):
        for name in runs if turn % 2 else reversed(runs):
            start, start_cpu = time.perf_counter(), time.process_time()
            runs[name]()
            if turn:  # the first warms up
                taken[name]["wall"].append(time.perf_counter() - start)
                taken[name]["cpu"].append(time.process_time() - start_cpu)
    return {
        name: {clock: statistics.median(times) for clock, times in clocks.items()}
        for name, clocks in taken.items()
    }


def side_by_side(
    seen: Mapping[str, Sequence[Measured]], references: Sequence[str]
) -> dict[str, Measured]:
    """Each case's times, and its ratio to each reference: the median of those within a repeat."""
    result = {}
    for case, taken in seen.items():
        result[case] = {
            f"{clock}_s": round(statistics.median(one[clock] for one in taken), 4)
            for clock in ("wall", "cpu")
        }
        for reference in references:
            pairs = list(zip(taken, seen[reference], strict=True))
            for clock in ("wall", "cpu"):
                ratio = statistics.median(one[clock] / other[clock] for one, other in pairs)
                result[case][f"ratio_{clock}_to_{reference}"] = round(ratio, 3)
    return result

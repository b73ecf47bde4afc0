"""What this process's resident set rises to during a run (Linux)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def peak_of(run: Callable[[], object]) -> float:
    """How far the resident set rises over what it was before the run, MiB."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _status("VmRSS")
    run()
    return _status("VmHWM") - before


def _status(name: str) -> float:
    text = Path("/proc/self/status").read_text()
    return int(text.split(f"{name}:")[1].split()[0]) / 1024

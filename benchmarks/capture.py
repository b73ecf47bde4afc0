"""What our attention costs inside a pretrained model, plain and capturing, beside transformers'.

    python benchmarks/capture.py [--repeats 3] [--only a,b,c] [--malloc default|tuned]

Prints one JSON document. Every measurement runs in a process of its own, with one thread, after a
warm-up; the cases of a group alternate in order, so that a slow minute hits all of them. Read the
ratios, not the seconds: ``ratio`` is the median over repeats of case / reference within a repeat.
``cpu`` is the process's own time, which a busy neighbour disturbs less than the wall clock.
Peak memory is what the process's resident set rose by during one run, over the loaded weights; it
is taken in processes of their own with glibc's default allocator, because the tuned one keeps what
loading freed and hides what a run takes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODEL = "smollm2-135m"
TUNED = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "4000000000",
    "MALLOC_TOP_PAD_": "268435456",
}
# Group: tokens, cases, and which case the others are divided by.
GROUPS = {
    "a1024": (1024, ("sdpa", "eager", "ours"), "sdpa"),
    "a2048": (2048, ("sdpa", "eager", "ours"), "sdpa"),
    "b13": (13, ("eager_all", "ours_all"), "eager_all"),
    "b1024": (1024, ("eager_all", "ours_all"), "eager_all"),
    "c2048": (2048, ("sdpa", "eager", "ours_head", "ours_thumbnails"), "eager"),
}


def cases(lengths: tuple[int, ...]) -> dict[int, dict[str, Callable[[], object]]]:
    """What each case runs, by number of tokens; the inputs are the same random ids."""
    import torch
    import transformers

    import attnlab as al
    from attnlab.pretrained import embedded

    transformers.utils.logging.disable_progress_bar()
    folder = str(embedded.ensure(MODEL))
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    lab = al.load(model)  # the probe belongs to loading, not to the run
    return {length: _cases(model, lab, length) for length in lengths}


def _cases(model: Any, lab: Any, tokens: int) -> dict[str, Callable[[], object]]:
    import torch

    import attnlab as al

    ids = torch.randint(1000, 40000, (1, tokens), generator=torch.Generator().manual_seed(0))

    def theirs(implementation: str, **options: object) -> Callable[[], object]:
        def run() -> object:
            model.set_attn_implementation(implementation)
            with torch.no_grad():
                return model(ids, logits_to_keep=1, use_cache=False, **options)

        return run

    def ours(*capture: str | al.Capture) -> Callable[[], object]:
        return lambda: lab.run(ids, capture=capture, logits="last")

    return {
        "sdpa": theirs("sdpa"),
        "eager": theirs("eager"),
        "eager_all": theirs("eager", output_attentions=True),
        "ours": ours(),
        "ours_all": ours("weights"),
        "ours_head": ours(al.Capture("weights", layers=4, heads=2)),
        "ours_thumbnails": ours(al.Capture("weights", thumbnails=64)),
    }


def measure_memory(tokens: int, case: str) -> dict[str, float]:
    """Peak memory of one run of a case in this process, MiB."""
    warm, run = _prepared(tokens, case)
    warm()
    before = _reset_peak()
    run()
    return {"peak_mib": _peak() - before}


def _prepared(tokens: int, case: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """A short run, to have everything imported, and the run to be measured."""
    import torch

    torch.set_num_threads(1)
    made = cases((16, tokens))
    return made[16][case], made[tokens][case]


def measure_time(tokens: int, case: str) -> dict[str, float]:
    """Time of warm runs of a case in this process, s: medians of the wall clock and of our own."""
    _, run = _prepared(tokens, case)
    run()
    count = 15 if tokens < 100 else 2
    wall, cpu = [], []
    for _ in range(count):
        start, start_cpu = time.perf_counter(), time.process_time()
        run()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - start_cpu)
    return {"wall": statistics.median(wall), "cpu": statistics.median(cpu)}


def _status(name: str) -> float:
    text = Path("/proc/self/status").read_text()
    return int(text.split(f"{name}:")[1].split()[0]) / 1024


def _reset_peak() -> float:
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> float:
    return _status("VmHWM")


def _without_malloc(environment: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in environment.items() if not k.startswith("MALLOC_")}


def _child(what: str, tokens: int, case: str, environment: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", what, "--case", case, "--tokens", str(tokens)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{case} at {tokens} tokens failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def run_group(name: str, repeats: int, environment: dict[str, str]) -> dict:
    tokens, names, reference = GROUPS[name]
    seen: dict[str, list[dict[str, float]]] = {case: [] for case in names}
    for repeat in range(repeats):
        for case in names if repeat % 2 == 0 else reversed(names):
            seen[case].append(_child("time", tokens, case, environment))
            if "sdpa" in names:
                seen[case][-1] |= _child("memory", tokens, case, _without_malloc(environment))
            print(f"{name} {case} {seen[case][-1]}", file=sys.stderr, flush=True)
    result = {}
    for case in names:
        pairs = list(zip(seen[case], seen[reference], strict=True))
        result[case] = {
            "wall_s": round(statistics.median(s["wall"] for s in seen[case]), 4),
            "cpu_s": round(statistics.median(s["cpu"] for s in seen[case]), 4),
            f"ratio_wall_to_{reference}": round(
                statistics.median(s["wall"] / r["wall"] for s, r in pairs), 3
            ),
            f"ratio_cpu_to_{reference}": round(
                statistics.median(s["cpu"] / r["cpu"] for s, r in pairs), 3
            ),
        }
        if "sdpa" in seen:
            peaks = [s["peak_mib"] for s in seen[case]]
            result[case]["peak_mib"] = round(statistics.median(peaks), 1)
            extra = [
                s["peak_mib"] - r["peak_mib"] for s, r in zip(seen[case], seen["sdpa"], strict=True)
            ]
            result[case]["peak_over_sdpa_mib"] = round(statistics.median(extra), 1)
    return {"tokens": tokens, "cases": result}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default=",".join(GROUPS))
    parser.add_argument("--malloc", choices=("default", "tuned"), default="tuned")
    parser.add_argument("--child", choices=("time", "memory"))
    parser.add_argument("--case")
    parser.add_argument("--tokens", type=int, default=13)
    options = parser.parse_args()
    if options.child:
        measure = measure_time if options.child == "time" else measure_memory
        print(json.dumps(measure(options.tokens, options.case)))
        return
    root = str(Path(__file__).resolve().parent.parent)
    environment = _without_malloc(dict(os.environ))
    environment |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONPATH": root}
    allocator = TUNED if options.malloc == "tuned" else {}
    environment |= allocator
    wanted = [g for g in GROUPS if any(g.startswith(o) for o in options.only.split(","))]
    report = {
        "model": MODEL,
        "threads": 1,
        "allocator": allocator or "glibc defaults",
        "repeats": options.repeats,
        "groups": {name: run_group(name, options.repeats, environment) for name in wanted},
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

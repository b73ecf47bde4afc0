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
import statistics
import sys
from collections.abc import Callable
from typing import Any

from tools import apart, memory

MODEL = "smollm2-135m"
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
    return {"peak_mib": memory.peak_of(run)}


def _prepared(tokens: int, case: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """A short run, to have everything imported, and the run to be measured."""
    import torch

    torch.set_num_threads(1)
    made = cases((16, tokens))
    return made[16][case], made[tokens][case]


def measure_time(tokens: int, case: str) -> dict[str, float]:
    """Time of warm runs of a case in this process."""
    _, run = _prepared(tokens, case)
    return apart.timed(run, 15 if tokens < 100 else 2)


def _child(what: str, tokens: int, case: str, environment: dict[str, str]) -> dict[str, float]:
    arguments = ["--child", what, "--case", case, "--tokens", str(tokens)]
    return apart.child(__file__, arguments, environment)


def run_group(name: str, repeats: int, environment: dict[str, str]) -> dict:
    tokens, names, reference = GROUPS[name]
    seen: dict[str, list[dict[str, float]]] = {case: [] for case in names}
    for repeat in range(repeats):
        for case in names if repeat % 2 == 0 else reversed(names):
            seen[case].append(_child("time", tokens, case, environment))
            if "sdpa" in names:
                plain = apart.without_malloc(environment)
                seen[case][-1] |= _child("memory", tokens, case, plain)
            print(f"{name} {case} {seen[case][-1]}", file=sys.stderr, flush=True)
    result = apart.side_by_side(seen, [reference])
    for case in names if "sdpa" in seen else ():
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
    tuned = options.malloc == "tuned"
    environment = apart.environment(tuned)
    wanted = [g for g in GROUPS if any(g.startswith(o) for o in options.only.split(","))]
    report = {
        "model": MODEL,
        "threads": 1,
        "allocator": apart.TUNED if tuned else "glibc defaults",
        "repeats": options.repeats,
        "groups": {name: run_group(name, options.repeats, environment) for name in wanted},
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

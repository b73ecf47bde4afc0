"""What each edit costs over a plain run of the same text.

    python benchmarks/edits.py [--repeats 3] [--tokens 13,1024] [--only mask,positions]

Prints one JSON document. Each case has a process of its own, with one thread, in which plain and
edited runs alternate after one of each to warm up, so that a slow minute hits both: read ``ratio``,
the median over repeats of edited / plain within a process. All give the logits of the last
position and capture nothing. ``cases`` run once over the text as a plain run does. Apart from
them: ``enlarged`` masks show more than the model's own, so that there is more to compute;
``donors`` run the text once more, as it is, for what the edit puts in. There is no first run that
pays for a clone: hooks go in when a model is loaded; ``load`` says how long that takes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from tools import apart

MODEL = "smollm2-135m"
LIMIT = 1.25
"""What an edit may cost, as a multiple of a plain run."""

Make = Callable[[Any, int], list[Any]]
"""The edits of a case, given the package and the number of tokens."""

CASES: dict[str, Make] = {
    "mask causal": lambda al, n: [al.Mask("causal")],
    "mask window": lambda al, n: [al.Mask("window", window=_window(n))],
    "mask window with a sink": lambda al, n: [al.Mask("window", window=_window(n), sinks=1)],
    "mask window in some heads": lambda al, n: [
        al.Mask("window", window=_window(n), sinks=1, heads=(0, 1))
    ],
    "mask strided": lambda al, n: [al.Mask("strided", window=_window(n))],
    "mask global": lambda al, n: [al.Mask("global", window=_window(n), globals=(0, n // 2))],
    "mask documents": lambda al, n: [al.Mask("document", documents=[4 * i // n for i in range(n)])],
    "mask painted": lambda al, n: [_painted(al, n)],
    "zero a head": lambda al, n: [al.ZeroHead(4, 2)],
    "temperature": lambda al, n: [al.Temperature(1.5)],
    "positions none": lambda al, n: [al.Positions("none")],
    "positions shifted": lambda al, n: [al.Positions("shifted", offset=64)],
    "positions shuffled": lambda al, n: [al.Positions("shuffled", seed=1)],
    "positions reversed": lambda al, n: [al.Positions("reversed")],
    "positions base": lambda al, n: [al.Positions("base", base=1e4)],
    "positions interpolated": lambda al, n: [al.Positions("interpolated", factor=4.0)],
    "positions NTK": lambda al, n: [al.Positions("ntk", factor=4.0)],
    "positions YaRN": lambda al, n: [al.Positions("yarn", factor=4.0)],
    "positions ALiBi": lambda al, n: [al.Positions("alibi")],
}
ENLARGED: dict[str, Make] = {
    "mask bidirectional": lambda al, n: [al.Mask("bidirectional")],
    "mask prefix": lambda al, n: [al.Mask("prefix", prefix=n // 2)],
    "mask global, not native": lambda al, n: [
        al.Mask("global", window=_window(n), globals=(0,), native=False)
    ],
}
DONORS: dict[str, Make] = {"mean of a head": lambda al, n: [al.MeanHead(4, 2)]}
ALL = CASES | ENLARGED | DONORS


def _window(tokens: int) -> int:
    return max(2, tokens // 8)


def _painted(al: Any, tokens: int) -> Any:
    """Half of the causal cells, and every token itself."""
    import torch

    random = torch.rand(tokens, tokens, generator=torch.Generator().manual_seed(0)) < 0.5
    return al.Mask.painted(random.tril() | torch.eye(tokens).bool())


def measured(case: str, tokens: int) -> apart.Measured:
    """Plain and edited runs by turns, in this process: medians of each, s."""
    import torch
    import transformers

    import attnlab as al

    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    start = time.perf_counter()
    lab = al.load(MODEL, device="cpu", dtype="float32")
    load = time.perf_counter() - start
    ids = torch.randint(1000, 40000, (tokens,), generator=torch.Generator().manual_seed(0))
    edits = ALL[case](al, tokens)

    def run(edits: list[Any]) -> Callable[[], object]:
        return lambda: lab.run(ids, capture=(), edits=edits, logits="last").logits

    taken = apart.by_turns({"plain": run([]), "edited": run(edits)}, 15 if tokens < 100 else 3)
    flat = {f"{name}_{clock}": s for name, times in taken.items() for clock, s in times.items()}
    return flat | {"load": load}


def row(seen: list[apart.Measured]) -> dict[str, float]:
    """One case over its repeats."""

    def middle(values: list[float], digits: int) -> float:
        return round(statistics.median(values), digits)

    times = {f"{k}_s": middle([one[k] for one in seen], 4) for k in ("plain_wall", "edited_wall")}
    ratios = {
        f"ratio_{clock}": middle([o[f"edited_{clock}"] / o[f"plain_{clock}"] for o in seen], 3)
        for clock in ("wall", "cpu")
    }
    return times | ratios


def report(
    lengths: list[int], wanted: Mapping[str, Make], repeats: int, environment: dict[str, str]
) -> dict[str, Any]:
    seen: dict[tuple[int, str], list[apart.Measured]] = {}
    for repeat in range(repeats):
        for tokens in lengths:
            for case in wanted if repeat % 2 == 0 else reversed(wanted):
                arguments = ["--child", case, "--tokens", str(tokens)]
                one = apart.child(__file__, arguments, environment)
                seen.setdefault((tokens, case), []).append(one)
                ratio = one["edited_cpu"] / one["plain_cpu"]
                print(f"{tokens} {case}: {ratio:.3f}", file=sys.stderr, flush=True)
    loads = [one["load"] for taken in seen.values() for one in taken]
    result: dict[str, Any] = {"load_s": round(statistics.median(loads), 3), "tokens": {}}
    groups = {"cases": CASES, "enlarged": ENLARGED, "donors": DONORS}
    for tokens in lengths:
        result["tokens"][str(tokens)] = {
            name: {case: row(seen[tokens, case]) for case in group if (tokens, case) in seen}
            for name, group in groups.items()
        }
    result["above_limit"] = [
        f"{case} at {tokens} tokens"
        for tokens, found in result["tokens"].items()
        for case, times in found["cases"].items()
        if times["ratio_cpu"] > LIMIT
    ]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tokens", default="13,1024")
    parser.add_argument("--only", default="", help="beginnings of cases, with commas between")
    parser.add_argument("--malloc", choices=("default", "tuned"), default="tuned")
    parser.add_argument("--child", choices=ALL)
    options = parser.parse_args()
    lengths = [int(length) for length in options.tokens.split(",")]
    if options.child:
        print(json.dumps(measured(options.child, lengths[0])))
        return
    tuned = options.malloc == "tuned"
    begins = tuple(options.only.split(","))
    wanted = {case: make for case, make in ALL.items() if case.startswith(begins)}
    about = {
        "model": MODEL,
        "threads": 1,
        "allocator": apart.TUNED if tuned else "glibc defaults",
        "repeats": options.repeats,
        "limit": LIMIT,
    }
    found = report(lengths, wanted, options.repeats, apart.environment(tuned))
    print(json.dumps(about | found, indent=1))


if __name__ == "__main__":
    main()

"""What a token costs when a model writes: our engine with every head's weights kept, beside
transformers' own generation.

    python benchmarks/generate.py [--repeats 3] [--tokens 200] [--only ours,sdpa]

Prints one JSON document. Every measurement runs in a process of its own, with one thread; the cases
alternate in order. Both write greedily after the same prompt, beside a key/value cache, and no end
of sequence stops them. A step is the time from one token to the next: its median over all of a
generation, the first ones left out as a warm-up. ``ratio_…`` is the median over repeats of case /
reference within a repeat. Read the ratios, not the seconds.

``in_turns`` is the steadier figure on a machine that is shared: both write in one process from the
same weights, a token of theirs and a token of ours by turns, and the ratio is the median over pairs
of neighbours.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from tools import apart

MODEL = "smollm2-135m"
PROMPT = "The animal didn't cross the street because it was too tired."
WARM = 8
"""Steps that are not counted."""
REFERENCES = ("sdpa", "eager")
TURNS = "in_turns_"
CASES = ("sdpa", "eager", "eager_attentions", "ours", "ours_nothing", "rebuilt")
"""transformers' default, its eager attention without and with every head's weights; ours with every
head's weights, and with nothing kept; our own transformer with every head's weights."""


class Ticks:
    """Wall clock and this process's own time, at every token. A streamer of transformers'."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def put(self, value: object) -> None:
        self.wall.append(time.perf_counter())
        self.cpu.append(time.process_time())

    def end(self) -> None:
        pass


def theirs(case: str, tokens: int) -> Callable[[Any], object]:
    return loaded(case, tokens)[0]


def loaded(case: str, tokens: int) -> tuple[Callable[[Any], object], Any, Any]:
    """Their generation, told of every token, with its model and tokenizer."""
    import torch
    import transformers

    from attnlab.pretrained import embedded

    transformers.utils.logging.disable_progress_bar()
    folder = str(embedded.ensure(MODEL))
    kind, _, kept = case.partition("_")
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation=kind
    ).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(PROMPT, return_tensors="pt")
    options: dict[str, Any] = {"max_new_tokens": tokens, "do_sample": False, "eos_token_id": None}
    if kept:
        options |= {"output_attentions": True, "return_dict_in_generate": True}

    def run(told: Any) -> object:
        with torch.no_grad():
            return model.generate(**ids, streamer=told, pad_token_id=0, **options)

    return run, model, tokenizer


def ours(case: str, tokens: int) -> Callable[[Ticks], object]:
    import attnlab as al

    lab = al.load(MODEL)
    runner = al.rebuild(lab) if case == "rebuilt" else lab
    capture = () if case == "ours_nothing" else ("weights",)

    def run(ticks: Ticks) -> object:
        generation = runner.steps(PROMPT, max_new_tokens=tokens, capture=capture)
        for _ in range(tokens):
            generation.advance()
            ticks.put(None)
        return generation.trace()

    return run


class Turns:
    """A streamer that writes a token of ours after each of theirs, and times both."""

    def __init__(self, step: Callable[[], object]) -> None:
        self.step, self.since = step, self.now()
        self.pairs: list[tuple[list[float], list[float]]] = []

    @staticmethod
    def now() -> list[float]:
        return [time.perf_counter(), time.process_time()]

    def put(self, value: object) -> None:
        came = self.now()
        self.step()
        done = self.now()
        theirs = [b - a for a, b in zip(self.since, came, strict=True)]
        self.pairs.append((theirs, [b - a for a, b in zip(came, done, strict=True)]))
        self.since = self.now()

    def end(self) -> None:
        pass


def in_turns(kind: str, tokens: int) -> dict[str, float]:
    """Our step with every head's weights over theirs, the median of neighbours."""
    import torch

    import attnlab as al

    torch.set_num_threads(1)
    run, model, tokenizer = loaded(kind, tokens)
    generation = al.load(model, tokenizer=tokenizer).steps(PROMPT, max_new_tokens=tokens + 1)
    turns = Turns(generation.advance)
    run(turns)
    pairs = turns.pairs[WARM:]
    return {
        name: statistics.median(ours[clock] / theirs[clock] for theirs, ours in pairs)
        for clock, name in enumerate(("ratio_wall", "ratio_cpu"))
    }


def measure(case: str, tokens: int) -> dict[str, float]:
    """Median time of a step, s, and of the whole, the prompt included."""
    import torch

    torch.set_num_threads(1)
    make = ours if case.startswith(("ours", "rebuilt")) else theirs
    if case.startswith(TURNS):
        return in_turns(case.removeprefix(TURNS), tokens)
    run, ticks = make(case, tokens), Ticks()
    start, start_cpu = time.perf_counter(), time.process_time()
    run(ticks)
    whole = time.perf_counter() - start, time.process_time() - start_cpu
    steps = {}
    for name in ("wall", "cpu"):
        times = getattr(ticks, name)[-tokens:]
        gaps = [b - a for a, b in itertools.pairwise(times)]
        steps[name] = statistics.median(gaps[WARM:])
    return steps | {"whole_wall": whole[0], "whole_cpu": whole[1]}


def turns_of(kind: str, options: argparse.Namespace) -> dict[str, float]:
    arguments = ["--child", f"{TURNS}{kind}", "--tokens", str(options.tokens)]
    repeats = range(options.repeats)
    taken = [apart.child(__file__, arguments, apart.environment()) for _ in repeats]
    print(f"in turns with {kind}: {taken}", file=sys.stderr, flush=True)
    return {name: round(statistics.median(one[name] for one in taken), 3) for name in taken[0]}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--child")
    return parser.parse_args()


def main() -> None:
    options = _options()
    if options.child:
        print(json.dumps(measure(options.child, options.tokens)))
        return
    names = [case for case in CASES if case in options.only.split(",")]
    seen: dict[str, list[dict[str, float]]] = {case: [] for case in names}
    for repeat in range(options.repeats):
        for case in names if repeat % 2 == 0 else reversed(names):
            arguments = ["--child", case, "--tokens", str(options.tokens)]
            seen[case].append(apart.child(__file__, arguments, apart.environment()))
            print(f"{case} {seen[case][-1]}", file=sys.stderr, flush=True)
    cases = apart.side_by_side(seen, [case for case in REFERENCES if case in names])
    for case, taken in seen.items():
        for clock in ("wall", "cpu"):
            whole = statistics.median(one[f"whole_{clock}"] for one in taken)
            cases[case][f"whole_{clock}_s"] = round(whole, 2)
    report = {
        "model": MODEL,
        "prompt": PROMPT,
        "new_tokens": options.tokens,
        "threads": 1,
        "allocator": apart.TUNED,
        "repeats": options.repeats,
        "cases": cases,
        "in_turns": {kind: turns_of(kind, options) for kind in REFERENCES if kind in names},
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

"""Our own transformer beside transformers' eager and sdpa: the same weights, the same ids.

    python benchmarks/scratch.py [--repeats 3] [--tokens 13,128,1024] [--malloc default|tuned]

Prints one JSON document. Every measurement is taken in a process of its own, with one thread,
after a warm-up; the cases alternate in order. ``forward`` is our transformer by itself, ``run``
the same through ``al.rebuild(lab).run``, which makes a trace of it. All give the logits of the
last position. Read the ratios: each is the median over repeats of case / reference in a repeat.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from tools import apart

MODEL = "smollm2-135m"
CASES = ("sdpa", "eager", "forward", "run")
REFERENCES = ("eager", "sdpa")


def prepared(case: str, tokens: int) -> Callable[[], object]:
    """What a case runs."""
    import torch
    import transformers

    import attnlab as al
    from attnlab.pretrained import embedded

    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    folder = str(embedded.ensure(MODEL))
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids = torch.randint(1000, 40000, (1, tokens), generator=torch.Generator().manual_seed(0))
    if case in REFERENCES:
        model.set_attn_implementation(case)
        return _silent(lambda: model(ids, logits_to_keep=1, use_cache=False).logits)
    rebuilt = al.rebuild(al.load(model))
    if case == "run":
        return lambda: rebuilt.run(ids, capture=(), logits="last").logits
    ours = rebuilt.transformer
    return _silent(lambda: ours.logits(ours(ids)[:, -1:]))


def _silent(run: Callable[[], object]) -> Callable[[], object]:
    """Without a graph."""
    import torch

    return torch.no_grad()(run)


def measured(tokens: int, repeats: int, environment: dict[str, str]) -> dict:
    """All cases at one length."""
    seen: dict[str, list[apart.Measured]] = {case: [] for case in CASES}
    for repeat in range(repeats):
        for case in CASES if repeat % 2 == 0 else reversed(CASES):
            arguments = ["--child", case, "--tokens", str(tokens)]
            seen[case].append(apart.child(__file__, arguments, environment))
            print(f"{tokens} {case} {seen[case][-1]}", file=sys.stderr, flush=True)
    return apart.side_by_side(seen, REFERENCES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tokens", default="13,128,1024")
    parser.add_argument("--malloc", choices=("default", "tuned"), default="tuned")
    parser.add_argument("--child", choices=CASES)
    options = parser.parse_args()
    lengths = [int(length) for length in options.tokens.split(",")]
    if options.child:
        count = 15 if lengths[0] < 100 else 5 if lengths[0] < 500 else 3
        print(json.dumps(apart.timed(prepared(options.child, lengths[0]), count)))
        return
    tuned = options.malloc == "tuned"
    report = {
        "model": MODEL,
        "threads": 1,
        "allocator": apart.TUNED if tuned else "glibc defaults",
        "repeats": options.repeats,
        "tokens": {
            str(length): measured(length, options.repeats, apart.environment(tuned))
            for length in lengths
        },
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

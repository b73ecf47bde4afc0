"""What exact attention costs: naive, ours in whole rows, ours in tiles, torch's own; CPU and GPU.

    python benchmarks/attention.py [--lengths 1024,4096] [--repeats 3] [--gpu]

Prints one JSON document. On the CPU every measurement runs in a process of its own, with one
thread, after a warm-up; cases alternate in order. ``ratio_cpu_to_sdpa`` is the median over repeats
of the process's own time over sdpa's within a repeat. Peak memory is what the resident set rises by
during one run, the result included, with glibc's default allocator; ``memory_to_sdpa`` divides it.

Causal self-attention of one text, 8 heads of 64, float32. ``wide`` has queries 30 times as large:
scores too large to do without a running maximum. ``learning`` is forward and backward. ``window``
sees the last 512 tokens. Naive attention is left out where its scores exceed 2 GiB.

``--gpu``: the kernel against torch's sdpa on CUDA, bfloat16, 16 heads of 128, in one process:
TFLOP/s by the multiplications of a causal mask, and the largest difference from float32.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable

from tools import apart, memory

LENGTHS = (1024, 2048, 4096, 8192, 16384)
HEADS, SIZE, WINDOW = 8, 64, 512
NAIVE_MOST = 4096
LEARNING_MOST = 4096
CASES = {
    "sdpa": ("sdpa", "naive", "attend", "tiled", "window"),
    "sdpa_wide": ("sdpa_wide", "tiled_wide"),
    "sdpa_learning": ("sdpa_learning", "tiled_learning"),
}
"""By what they are divided by."""


def prepared(case: str, n: int) -> Callable[[], object]:
    """A run of a case over n random tokens, its inputs made."""
    import torch

    import attnlab as al

    kind, _, variant = case.partition("_")
    random = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, HEADS, n, SIZE, generator=random) for _ in range(3))
    if variant == "wide":
        q *= 30
    if variant == "learning":
        return _learning(kind, q, k, v)
    sdpa = torch.nn.functional.scaled_dot_product_attention
    runs = {
        "sdpa": lambda: sdpa(q, k, v, is_causal=True),
        "naive": lambda: _naive(q, k, v),
        "attend": lambda: al.attend(q, k, v, causal=True),
        "tiled": lambda: al.tiled(q, k, v, causal=True),
        "window": lambda: al.tiled(q, k, v, al.masks.Window(WINDOW)),
    }
    return runs[kind]


def _naive(q, k, v):
    import torch

    scores = q @ k.mT / SIZE**0.5
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v


def _learning(kind: str, *inputs) -> Callable[[], object]:
    import torch

    import attnlab as al

    leaves = [x.requires_grad_() for x in inputs]
    sdpa = torch.nn.functional.scaled_dot_product_attention

    def run() -> object:
        z = al.tiled(*leaves, causal=True) if kind == "tiled" else sdpa(*leaves, is_causal=True)
        return torch.autograd.grad(z.sum(), leaves)

    return run


def measure(what: str, case: str, n: int) -> dict[str, float]:
    """Time or peak memory of a case, in this process."""
    import torch

    torch.set_num_threads(1)
    with torch.set_grad_enabled("learning" in case):
        prepared(case, 300)()  # everything loaded, pools filled
        run = prepared(case, n)
        if what == "memory":
            return {"peak_mib": memory.peak_of(run)}
        return apart.timed(run, 5 if n < 4096 else 2)


def run_length(n: int, reference: str, repeats: int, tuned: bool) -> dict[str, dict[str, float]]:
    """The cases that are divided by one reference, at one length."""
    names = [case for case in CASES[reference] if n <= _most(case)]
    if reference not in names:
        return {}
    seen: dict[str, list[dict[str, float]]] = {case: [] for case in names}
    for repeat in range(repeats):
        for case in names if repeat % 2 == 0 else reversed(names):
            arguments = ["--case", case, "--tokens", str(n), "--child"]
            found = apart.child(__file__, [*arguments, "time"], apart.environment(tuned))
            plain = apart.environment(tuned=False)
            found |= apart.child(__file__, [*arguments, "memory"], plain)
            seen[case].append(found)
            print(n, case, found, file=sys.stderr, flush=True)
    result = apart.side_by_side(seen, [reference])
    base = statistics.median(one["peak_mib"] for one in seen[reference])
    for case in names:
        peak = statistics.median(one["peak_mib"] for one in seen[case])
        result[case] |= {
            "peak_mib": round(peak, 1),
            "memory_to_sdpa": round(peak / base, 2),
        }
    return result


def _most(case: str) -> int:
    if case == "naive":
        return NAIVE_MOST
    return LEARNING_MOST if "learning" in case else max(LENGTHS)


def gpu(lengths: tuple[int, ...]) -> dict[str, object]:
    """The kernel beside torch's own on this machine's GPU."""
    import torch

    from attnlab.attention.choice import Call, kernel_available, kernel_serves
    from attnlab.attention.tiled import tiled

    sdpa = torch.nn.functional.scaled_dot_product_attention
    report: dict[str, object] = {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "kernel_available": kernel_available(),
    }
    for n in lengths:
        q, k, v = (torch.randn(2, 16, n, 128, device="cuda", dtype=torch.bfloat16) for _ in "qkv")
        assert kernel_serves(Call.of(q, k, v, ())), "the kernel does not serve this call"
        runs = {
            "tiled": lambda q=q, k=k, v=v: tiled(q, k, v, causal=True),
            "sdpa": lambda q=q, k=k, v=v: sdpa(q, k, v, is_causal=True),
        }
        with torch.no_grad():
            seconds = {name: _gpu_seconds(run) for name, run in runs.items()}
        products = 2 * 2 * q.shape[0] * q.shape[1] * 128 * n * (n + 1) / 2
        report[str(n)] = {name: round(products / s / 1e12, 1) for name, s in seconds.items()}
        report[str(n)]["throughput_to_sdpa"] = round(seconds["sdpa"] / seconds["tiled"], 3)
        if n == min(lengths):
            exact = sdpa(q.float(), k.float(), v.float(), is_causal=True)
            report["largest_difference"] = {
                name: float((run().float() - exact).abs().max()) for name, run in runs.items()
            }
    return report


def _gpu_seconds(run: Callable[[], object]) -> float:
    """Median of 20 runs after 5, by the device's own clock."""
    import torch

    for _ in range(5):
        run()
    times = []
    for _ in range(20):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) / 1000)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", default=",".join(map(str, LENGTHS)))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default=",".join(CASES), help="references, see CASES")
    parser.add_argument("--malloc", choices=("default", "tuned"), default="tuned")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--child", choices=("time", "memory"))
    parser.add_argument("--case")
    parser.add_argument("--tokens", type=int, default=1024)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.child, options.case, options.tokens)))
        return
    lengths = tuple(map(int, options.lengths.split(",")))
    if options.gpu:
        print(json.dumps(gpu(lengths), indent=1))
        return
    report: dict[str, object] = {
        "threads": 1,
        "heads": HEADS,
        "head_size": SIZE,
        "repeats": options.repeats,
        "allocator": apart.TUNED if options.malloc == "tuned" else "glibc defaults",
    }
    for n in lengths:
        found: dict[str, dict[str, float]] = {}
        for reference in options.only.split(","):
            found |= run_length(n, reference, options.repeats, options.malloc == "tuned")
        report[str(n)] = found
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

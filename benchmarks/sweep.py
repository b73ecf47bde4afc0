"""What a sweep of every head of SmolLM2 costs: the growing batch against one head at a time.

    python benchmarks/sweep.py [--repeats 3] [--tokens 13,64] [--heads 270] [--tl-python PATH]

Prints one JSON document. Cases, each in a process of its own, one thread, in turn:

    grown   al.sweep: all heads in a forward whose batch grows, in groups, its two checks included
    single  lab.run with one head zeroed, 270 times; last-position logits, as in ``grown``
    lens    TransformerLens as its users call it: TransformerBridge on the same weights,
            run_with_hooks with a head of hook_z set to zero, 270 times, logits of every position.
            Only with --tl-python, the Python of an environment that has transformer-lens:
                python -m venv tl && tl/bin/pip install transformer-lens

Every case ends in the KL divergence of each head at the last position. Read ``ratio_wall`` and
``ratio_cpu``: how many times as long as ``grown``, the median over repeats. ``difference`` is the
largest of any logit of any head from ``single``'s. With --heads n, ``single`` and ``lens`` run n
heads spread over the layers and their times are scaled up, which the document says.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools import apart

MODEL = "smollm2-135m"
LAYERS, HEADS = 30, 9
TEXT = "The animal didn't cross the street because it was too tired."
LIMIT = 1e-4
AIMS = {"13": {"single": 5.0, "lens": 7.0}, "64": {"single": 2.0, "lens": 3.0}}
"""How many times as long each should take, at least."""


def ids_of(tokens: int, folder: str) -> list[int]:
    """The first tokens of a sentence that is said again and again."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return tokenizer(TEXT + (" " + TEXT) * (tokens // 8))["input_ids"][:tokens]


def spread(count: int) -> list[tuple[int, int]]:
    """That many heads, evenly over all of them."""
    every = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]
    return [every[i * len(every) // count] for i in range(count)]


def timed(run: Callable[[], Any]) -> tuple[Any, apart.Measured]:
    start, start_cpu = time.perf_counter(), time.process_time()
    result = run()
    return result, {
        "wall": time.perf_counter() - start,
        "cpu": time.process_time() - start_cpu,
    }


def grown(ids: list[int], heads: list[tuple[int, int]], out: Path | None) -> apart.Measured:
    """al.sweep of all heads; then, not timed, the logits of some of them from the same rows."""
    import numpy as np

    import attnlab as al

    lab = al.load(MODEL, device="cpu", dtype="float32")
    lab.run(ids, capture=(), logits="last")
    frame, taken = timed(lambda: al.sweep(lab, ids))
    taken |= {"difference_of_two": frame.attrs["difference"], "forwards": frame.attrs["forwards"]}
    taken["strongest"] = float(frame["effect"].max())
    if out is not None:
        rows = []
        for layer in range(0, LAYERS, 5):
            part = [head for head in heads if layer <= head[0] < layer + 5]
            growth = lab.growing(ids, [al.ZeroHead(*head) for head in part])
            traces = growth.run([None, *range(len(part))], logits="last")
            rows += [trace.logits[-1].numpy() for trace in traces[1:]]
        np.save(out, np.stack(rows))
    return taken


def single(ids: list[int], heads: list[tuple[int, int]], out: Path | None) -> apart.Measured:
    import numpy as np
    import torch

    import attnlab as al
    from attnlab.analysis.effects import kl_divergence

    lab = al.load(MODEL, device="cpu", dtype="float32")
    plain = lab.run(ids, capture=(), logits="last").logits[-1]

    def run() -> tuple[list[torch.Tensor], list[float]]:
        logits, effects = [], []
        for head in heads:
            trace = lab.run(ids, capture=(), edits=[al.ZeroHead(*head)], logits="last")
            logits.append(trace.logits[-1])
            effects.append(float(kl_divergence(plain, trace.logits[-1])))
        return logits, effects

    (logits, effects), taken = timed(run)
    if out is not None:
        np.save(out, torch.stack(logits).numpy())
    return taken | {"strongest": max(effects)}


def lens(
    ids: list[int], heads: list[tuple[int, int]], out: Path | None, folder: str
) -> apart.Measured:
    """In an environment that has TransformerLens; nothing of AttnLab is imported."""
    import numpy as np
    import torch
    import transformers
    from transformer_lens.model_bridge import TransformerBridge

    torch.set_grad_enabled(False)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    name = "HuggingFaceTB/SmolLM2-135M-Instruct"
    bridge = TransformerBridge.boot_transformers(
        name, hf_model=model, tokenizer=tokenizer, device="cpu", dtype=torch.float32
    )
    tokens = torch.tensor([ids])
    plain = bridge(tokens, return_type="logits")[0, -1].log_softmax(-1)

    def ablated(layer: int, head: int) -> torch.Tensor:
        def zero(z: torch.Tensor, hook: object) -> torch.Tensor:
            z[:, :, head] = 0
            return z

        hooks = [(f"blocks.{layer}.attn.hook_z", zero)]
        return bridge.run_with_hooks(tokens, return_type="logits", fwd_hooks=hooks)[0, -1]

    def run() -> tuple[list[torch.Tensor], list[float]]:
        logits, effects = [], []
        for head in heads:
            logits.append(ablated(*head))
            log_q = logits[-1].log_softmax(-1)
            effects.append(float((plain.exp() * (plain - log_q)).sum()))
        return logits, effects

    (logits, effects), taken = timed(run)
    if out is not None:
        np.save(out, torch.stack(logits).numpy())
    return taken | {"strongest": max(effects)}


def measured(options: argparse.Namespace) -> apart.Measured:
    """One case in this process."""
    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    ids = ids_of(int(options.tokens), options.folder)
    heads = spread(options.heads)
    out = Path(options.out) if options.out else None
    if options.child == "lens":
        return lens(ids, heads, out, options.folder)
    return {"grown": grown, "single": single}[options.child](ids, heads, out)


def furthest(folder: Path, case: str) -> float:
    """The largest difference of a logit from that of single runs."""
    import numpy as np

    found, right = (np.load(folder / f"{name}.npy") for name in (case, "single"))
    return float(np.abs(found - right).max())


def report(options: argparse.Namespace, environment: dict[str, str]) -> dict[str, Any]:
    cases = ["grown", "single", *(["lens"] if options.tl_python else [])]
    scale = LAYERS * HEADS / options.heads
    result: dict[str, Any] = {}
    for tokens in options.tokens.split(","):
        seen: dict[str, list[apart.Measured]] = {case: [] for case in cases}
        with tempfile.TemporaryDirectory() as folder:
            for repeat in range(options.repeats):
                for case in cases if repeat % 2 == 0 else reversed(cases):
                    arguments = ["--child", case, "--tokens", tokens, "--folder", options.folder]
                    arguments += ["--heads", str(options.heads)]
                    if not repeat:
                        arguments += ["--out", f"{folder}/{case}.npy"]
                    python = options.tl_python if case == "lens" else sys.executable
                    one = apart.child(__file__, arguments, environment, python)
                    if case != "grown":
                        one |= {clock: one[clock] * scale for clock in ("wall", "cpu")}
                    seen[case].append(one)
                    print(f"{tokens} {case}: {one['wall']:.1f} s", file=sys.stderr, flush=True)
            gaps = {case: furthest(Path(folder), case) for case in cases}
        result[tokens] = {case: row(seen, case, gaps[case]) for case in cases}
    return result


def row(seen: dict[str, list[apart.Measured]], case: str, gap: float) -> dict[str, float]:
    """One case over its repeats."""
    taken = seen[case]
    found = {
        f"{clock}_s": round(statistics.median(one[clock] for one in taken), 2)
        for clock in ("wall", "cpu")
    }
    for clock in ("wall", "cpu"):
        pairs = zip(taken, seen["grown"], strict=True)
        ratio = statistics.median(one[clock] / base[clock] for one, base in pairs)
        found[f"ratio_{clock}"] = round(ratio, 2)
    more = ("strongest", "forwards", "difference_of_two")
    found |= {name: taken[0][name] for name in more if name in taken[0]}
    return found | {"difference": gap}


def missed(found: dict[str, Any]) -> list[str]:
    """Which aims were not met."""
    said = []
    for tokens, cases in found.items():
        for case, aim in AIMS.get(tokens, {}).items():
            if case in cases and cases[case]["ratio_cpu"] < aim:
                said.append(f"{case} at {tokens} tokens: {cases[case]['ratio_cpu']} of {aim}")
        said += [
            f"{case} at {tokens} tokens differs by {values['difference']:.2g}"
            for case, values in cases.items()
            if values["difference"] > LIMIT
        ]
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tokens", default="13,64")
    parser.add_argument("--heads", type=int, default=LAYERS * HEADS)
    parser.add_argument("--tl-python", default="", help="a Python that has transformer-lens")
    parser.add_argument("--malloc", choices=("default", "tuned"), default="tuned")
    parser.add_argument("--child", choices=("grown", "single", "lens"))
    parser.add_argument("--folder", default="")
    parser.add_argument("--out", default="")
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measured(options)))
        return
    sys.path.insert(0, str(apart.ROOT))
    from attnlab.pretrained import embedded

    options.folder = str(embedded.ensure(MODEL))
    tuned = options.malloc == "tuned"
    found = report(options, apart.environment(tuned))
    about = {
        "model": MODEL,
        "threads": 1,
        "allocator": apart.TUNED if tuned else "glibc defaults",
        "repeats": options.repeats,
        "heads_run_singly": options.heads,
        "scaled_to_270_heads": options.heads != LAYERS * HEADS,
        "transformer_lens": bool(options.tl_python),
        "aims": AIMS,
    }
    print(json.dumps(about | {"tokens": found, "missed": missed(found)}, indent=1))


if __name__ == "__main__":
    main()

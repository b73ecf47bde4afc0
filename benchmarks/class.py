"""A class at once: many sessions of the hosted page, each with sentences and heads of its own.

    python benchmarks/class.py [--sessions 50] [--seconds 120] [--pauses 10 30] [--only a,b]

Prints one JSON document. Every session is a websocket client of the real page (`hosted.py`), which
opens a link, then types a sentence or clicks a head after each pause. Every answer is checked: its
KL divergence must be the one computed beforehand by the library alone. Two groups:

    distinct    everyone has other sentences and heads; pauses are drawn from --pauses
    identical   everyone asks for the same at the same moment; `forwards` tells how often it was
                computed

Clients and server share the machine's cores. Times are from the request to the end of the page's
script, as the server's last message says it; drawing in a browser comes on top. `open` is the
first page of everyone at the same moment. Memory is the server's resident set.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tools.server import ROOT, Server, serving

sys.path.insert(0, str(ROOT))
from tools.visitor import Answer, Visitor
from websockets import WebSocketException

MODEL = "smollm2-135m"
LAYERS, HEADS = 30, 9
_WORDS = (
    ("tired", "wide", "cold", "old", "busy", "dark", "loud", "steep", "small", "late"),
    ("animal", "dog", "horse", "fox", "cat", "goat", "hen", "wolf", "bear", "sheep", "lion", "owl"),
    ("street", "river", "bridge", "field", "garden", "road", "fence", "lake", "park", "yard"),
)

# Sessions start so many sentences apart; those of the identical group come after the 49th.
_APART, _COMMON = 23, 1170


@dataclass(frozen=True)
class Step:
    """One request: what is typed or clicked after a pause of `pause` s, and the KL it must show."""

    pause: float
    sentence: str
    layer: int
    head: int
    typed: bool
    kl: str = ""


@dataclass
class Seen:
    """What a group of sessions saw."""

    opened: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    rss: list[tuple[float, float]] = field(default_factory=list)


def sentence(number: int) -> str:
    """The `number`-th sentence; 1,200 are distinct."""
    chosen = []
    for words in _WORDS:
        number, place = divmod(number, len(words))
        chosen.append(words[place])
    reason, animal, place = chosen
    return f"The {animal} didn't cross the {place} because it was too {reason}."


def plan(rng: random.Random, first: int, seconds: float, pauses: tuple[float, float]) -> list[Step]:
    """Steps of one session: the link, then a sentence and a head in turn, until time is over."""
    steps = [Step(0.0, sentence(first), rng.randrange(LAYERS), rng.randrange(HEADS), True)]
    while True:
        pause = rng.uniform(*pauses)
        if sum(step.pause for step in steps) + pause > seconds:
            return steps
        last, typed = steps[-1], len(steps) % 2 == 1
        if typed:
            steps.append(Step(pause, sentence(first + len(steps)), last.layer, last.head, True))
        else:
            head = (rng.randrange(LAYERS), rng.randrange(HEADS))
            steps.append(Step(pause, last.sentence, *head, False))


def with_answers(plans: Sequence[list[Step]]) -> list[list[Step]]:
    """The plans with the KL of every step, computed one by one without the app."""
    import torch

    import attnlab as al
    from attnlab.analysis.effects import compare

    torch.set_num_threads(1)
    lab, known = al.load(MODEL, device="cpu"), {}

    def answered(step: Step) -> Step:
        key = (step.sentence, step.layer, step.head)
        if key not in known:
            edits = (al.ZeroHead(step.layer, step.head),)
            known[key] = f"{compare(lab, step.sentence, edits).kl:.4f}"
        return Step(**{**vars(step), "kl": known[key]})

    return [[answered(step) for step in steps] for steps in plans]


async def session(port: int, steps: list[Step], seen: Seen) -> None:
    """One visitor, from the link to the last step."""
    visitor, first = Visitor(port), steps[0]
    head = f"L{first.layer}H{first.head}"
    try:
        answer = await visitor.open(a=first.sentence, b="", head=head)
        seen.opened.append(answer.seconds)
        _check(first, answer, seen)
        for step in steps[1:]:
            await asyncio.sleep(step.pause)
            if step.typed:
                answer = await visitor.type(step.sentence)
            else:
                answer = await visitor.click(step.layer, step.head)
            seen.answered.append(answer.seconds)
            _check(step, answer, seen)
    except (OSError, TimeoutError, WebSocketException) as error:
        seen.errors.append(f"{type(error).__name__}: {error}")
    finally:
        await visitor.close()


def _check(step: Step, answer: Answer, seen: Seen) -> None:
    seen.errors += answer.exceptions
    if answer.kl != step.kl:
        seen.wrong.append(f"{step.sentence} L{step.layer}H{step.head}: {answer.kl} for {step.kl}")


async def watch(server: Server, seen: Seen) -> None:
    """Memory, once a second, until cancelled."""
    start = time.monotonic()
    while True:
        seen.rss.append((time.monotonic() - start, server.rss()))
        await asyncio.sleep(1)


async def visit(server: Server, plans: Sequence[list[Step]]) -> tuple[Seen, float]:
    """Everyone at once; what they saw, and how long it took, s."""
    seen, start = Seen(), time.monotonic()
    watching = asyncio.create_task(watch(server, seen))
    await asyncio.gather(*(session(server.port, steps, seen) for steps in plans))
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    return seen, time.monotonic() - start


def run_group(server: Server, plans: Sequence[list[Step]]) -> dict:
    forwards, cpu = len(server.forwards()), server.cpu()
    seen, wall = asyncio.run(visit(server, plans))
    made = server.forwards()[forwards:]
    walls, processor = zip(*made, strict=True) if made else ((0.0,), (0.0,))
    return {
        "sessions": len(plans),
        "open": summary(seen.opened),
        "answer": summary(seen.answered),
        "wrong_numbers": seen.wrong,
        "errors": seen.errors,
        "forwards": {
            "n": len(made),
            "median_s": round(statistics.median(walls), 3),
            "cpu_s": round(sum(processor), 1),
        },
        "wall_s": round(wall, 1),
        "server_cpu_s": round(server.cpu() - cpu, 1),
        "rss_mib": memory(seen.rss),
    }


def summary(seconds: Sequence[float]) -> dict[str, float]:
    """Count, median, 95th percentile and the slowest, s."""
    ordered = sorted(seconds)
    if not ordered:
        return {"n": 0}
    return {
        "n": len(ordered),
        "p50_s": round(statistics.median(ordered), 3),
        "p95_s": round(ordered[int(0.95 * (len(ordered) - 1))], 3),
        "max_s": round(ordered[-1], 3),
    }


def memory(samples: Sequence[tuple[float, float]]) -> dict[str, object]:
    """Medians of each quarter of the time, and the slope over the second half, MiB a minute."""
    values = [value for _, value in samples]
    size = max(1, len(values) // 4)
    quarters = [
        round(statistics.median(values[i : i + size]))
        for i in range(0, size * min(4, len(values)), size)
    ]
    half = samples[len(samples) // 2 :]
    slope = statistics.linear_regression(*zip(*half, strict=True)).slope if len(half) > 2 else 0
    return {
        "quarters": quarters,
        "slope_per_minute": round(60 * slope, 1),
        "peak": round(max(values)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--pauses", type=float, nargs=2, default=(10, 30), metavar="s")
    parser.add_argument("--only", default="distinct,identical")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    rng, pauses = random.Random(0), tuple(options.pauses)
    wanted = options.only.split(",")
    plans = {
        "distinct": [
            plan(rng, _APART * number, options.seconds, pauses)
            for number in range(options.sessions)
        ],
        "identical": [plan(rng, _COMMON, options.seconds, pauses)] * options.sessions,
    }
    plans = {name: with_answers(made) for name, made in plans.items() if name in wanted}
    with serving("hosted.py", options.port) as server:
        # A class opens the page of a server that someone has tried before.
        asyncio.run(session(server.port, with_answers([[plans[wanted[0]][0][0]]])[0], Seen()))
        groups = {}
        for name, made in plans.items():
            groups[name] = run_group(server, made)
            print(name, json.dumps(groups[name]), file=sys.stderr, flush=True)
    report = {"model": MODEL, "cores": os.cpu_count(), "threads": 1, "pauses_s": pauses}
    print(json.dumps({**report, "groups": groups}, indent=1))


if __name__ == "__main__":
    main()

"""What the page Generate shows of its own; nothing here imports Streamlit.

runs=one|edited|two     one run, the same prompt plain and edited, or prompts A and B
made=12  made2=12       how many tokens each run has written
chose=3.1234_7.99       the tokens that were chosen by hand: at which step, and their ids;
chose2=…                those of the second run
heat=0.8  topk=40  topp=0.9  seed=0     how the next token is drawn
edits=heads.window      what is changed while the text is written; w=8  sinks=1  their sizes
cache=all|last|ends     what the key/value cache keeps; hold=16  begin=4  how many tokens, and of
                        the first
from=12                 the word that is looked from, -1 for the newest
as=matrix|words|difference              how the chosen head is drawn
every=shown             whether every head stands below
lesson=loop             the experiment that set this up

The prompts, the chosen head and the heads that are taken away are of the shared selection.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from attnlab.ui.own_link import Page, Reader, one_of, switch, typed, whole

Runs = Literal["one", "edited", "two"]
Drawn = Literal["matrix", "words", "difference"]
Kept = Literal["all", "last", "ends"]
Chosen = tuple[tuple[int, int], ...]
"""(step, id) of tokens that were chosen by hand, by step; step 0 writes the first token."""

RUNS: Final[tuple[Runs, ...]] = ("one", "edited", "two")
DRAWN: Final[tuple[Drawn, ...]] = ("matrix", "words", "difference")
CACHES: Final[tuple[Kept, ...]] = ("all", "last", "ends")
EDITS: Final = ("heads", "window", "order", "sharp", "flat")
MOST: Final = 256
"""Tokens that one run writes."""
MOST_SIZE: Final = 4_096
MOST_HELD: Final = 1_024
MOST_FIRST: Final = 64
HOTTEST: Final = 3.0
MOST_KEPT: Final = 1_000
MOST_SEED: Final = 9_999
LAST: Final = 99_999


@dataclass(frozen=True)
class Generate:
    """How a text is written on, and how far it has got.

    Attributes:
        runs: one run, plain and edited, or two prompts.
        made, made2: tokens that the first and the second run have written.
        chose, chose2: those of them that were chosen by hand.
        heat: the sampling temperature; 0 takes the likeliest token.
        topk: how many of the likeliest tokens stay, 0 for all.
        topp: the share of the probability that stays.
        seed: what tokens are drawn with.
        edits: what is changed meanwhile, of EDITS; ``window``, ``sinks``: their sizes.
        cache: what the cache keeps: everything, the last tokens, or the first ones as well;
            ``held``: how many in all, ``first``: how many of the first. Of a plain and an edited
            run it is the edited one's.
        at: the word that is looked from, -1 for the newest.
        drawn: how the chosen head is drawn.
        every: whether every head is drawn too.
        lesson: the name of the experiment that set this up, "" for none.
    """

    runs: Runs = "one"
    made: int = 0
    made2: int = 0
    chose: Chosen = ()
    chose2: Chosen = ()
    heat: float = 0.0
    topk: int = 0
    topp: float = 1.0
    seed: int = 0
    edits: tuple[str, ...] = ()
    window: int = 8
    sinks: int = 0
    cache: Kept = "all"
    held: int = 16
    first: int = 4
    at: int = -1
    drawn: Drawn = "matrix"
    every: bool = False
    lesson: str = ""


def _choices(field: str) -> Reader:
    """Tokens chosen by hand, as 3.1234_7.99."""

    def read(given: str) -> Chosen:
        if given and not re.fullmatch(r"[0-9]{1,3}\.[0-9]{1,7}(_[0-9]{1,3}\.[0-9]{1,7})*", given):
            raise ValueError("is not a list of steps and tokens such as 3.1234_7.99")
        pairs = [tuple(map(int, one.split("."))) for one in given.split("_")] if given else []
        if any(step >= MOST for step, _ in pairs):
            raise ValueError(f"names a step beyond {MOST - 1}")
        return tuple(sorted(dict(pairs).items()))

    return field, read, lambda chosen: "_".join(f"{step}.{number}" for step, number in chosen)


def _hundredths(field: str, least: float, most: float) -> Reader:
    """A number of at most two decimals from ``least`` to ``most``."""

    def read(given: str) -> float:
        plain = re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,2})?", given)
        if plain is None or not least <= float(given) <= most:
            raise ValueError(f"is not a number from {least:g} to {most:g}")
        return float(given)

    return field, read, lambda value: f"{value:.2f}".rstrip("0").rstrip(".")


def _several(field: str, names: tuple[str, ...]) -> Reader:
    """Some of a few words, as heads.window."""

    def read(given: str) -> tuple[str, ...]:
        found = given.split(".") if given else []
        if any(one not in names for one in found):
            raise ValueError(f"holds others than {', '.join(names)}")
        return tuple(name for name in names if name in found)

    return field, read, ".".join


GENERATE: Final = Page(
    "generate",
    Generate(),
    {
        "runs": one_of("runs", RUNS),
        "made": whole("made", 0, MOST),
        "made2": whole("made2", 0, MOST),
        "chose": _choices("chose"),
        "chose2": _choices("chose2"),
        "heat": _hundredths("heat", 0.0, HOTTEST),
        "topk": whole("topk", 0, MOST_KEPT),
        "topp": _hundredths("topp", 0.01, 1.0),
        "seed": whole("seed", 0, MOST_SEED),
        "edits": _several("edits", EDITS),
        "w": whole("window", 1, MOST_SIZE),
        "sinks": whole("sinks", 0, MOST_SIZE),
        "cache": one_of("cache", CACHES),
        "hold": whole("held", 1, MOST_HELD),
        "begin": whole("first", 1, MOST_FIRST),
        "from": whole("at", -1, LAST),
        "as": one_of("drawn", DRAWN),
        "every": switch("every", "shown", "hidden"),
        "lesson": typed("lesson", 40),
    },
)


def until(chosen: Chosen, made: int) -> Chosen:
    """The choices of the first ``made`` steps."""
    return tuple(pair for pair in chosen if pair[0] < made)


def with_choice(chosen: Chosen, step: int, token: int) -> Chosen:
    """The choices before a step, and this one."""
    return (*until(chosen, step), (step, token))

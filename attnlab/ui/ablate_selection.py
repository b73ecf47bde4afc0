"""What the page Ablate shows of its own; nothing here imports Streamlit.

fill=zero|mean|corpus|resample|keys|values|uniform|previous|first|pattern
                            what a head is set to (resample, keys, values: from sentence B)
by=paint|paste              how the weights of fill=pattern are given: cell by cell, or as
start=previous  cells=5s0-3_7h2  row=5      what a painting starts from, what was painted over it,
                            and the row that is spelled out; or as
rows=…                      a line of numbers for each word
mlp=3.11                    the layers whose feed-forward is taken away with the heads
feed=1                      feed-forwards are taken away, too
metric=kl|token|difference|loss|cosine     how an effect is measured
after=4                     the token whose prediction is looked at, -1 for the last
token=Paris  answer=Paris  other=Rome      the words of the second and the third metric
lesson=paris                the experiment that set this up

The heads that are taken away and the one that is looked at are of the shared selection.
"""

from dataclasses import dataclass
from typing import Final, Literal

from attnlab.ui import ablate_pattern
from attnlab.ui.ablate_pattern import Start
from attnlab.ui.masks_cells import NOTHING, Painted
from attnlab.ui.own_link import Page, numbers, one_of, pasted, switch, typed, whole

Fill = Literal[
    "zero",
    "mean",
    "corpus",
    "resample",
    "keys",
    "values",
    "uniform",
    "previous",
    "first",
    "pattern",
]
MetricName = Literal["kl", "token", "difference", "loss", "cosine"]

FILLS: Final[tuple[Fill, ...]] = (
    *("zero", "mean", "corpus", "resample", "keys", "values"),
    *("uniform", "previous", "first", "pattern"),
)
FROM_B: Final = frozenset({"resample", "keys", "values"})
"""What is taken from sentence B."""
LOOKING: Final = frozenset({"uniform", "previous", "first", "pattern"})
"""What sets where a head looks, not what it hands on."""
ESTIMATED: Final = frozenset({"zero", "mean", "corpus", "resample"})
"""What has an estimate of first order."""
OF_LAYERS: Final = frozenset({"zero", "mean", "resample"})
"""What feed-forwards can be set to, as well."""
METRICS: Final[tuple[MetricName, ...]] = ("kl", "token", "difference", "loss", "cosine")
LAST: Final = 9_999
MOST_TYPED: Final = 60
"""Characters of an answer."""
MOST_PASTED: Final = 100_000
"""Characters of a pattern."""


@dataclass(frozen=True)
class Ablate:
    """What is done to the heads, and how its effect is measured.

    Attributes:
        fill: what takes the place of what a head hands on, or of where it looks.
        by: how a "pattern" is given; "" for painted, unless something was pasted.
        start, cells: what a painting starts from, and what was painted over it; ``row``: the word
            whose row is spelled out, -1 for the last.
        rows: the weights that are pasted, a line for each word.
        feed: whether every feed-forward is taken away alone, too.
        layers: those whose feed-forward is taken away together with the heads.
        metric: the measure; a model that does not have it is given one that it has.
        at: the token whose prediction is looked at, -1 for the last.
        token: the word whose probability is followed, "" for the likeliest.
        answer, other: the words whose logits are compared, "" for the two likeliest.
        lesson: the name of the experiment that set this up, "" for none.
    """

    fill: Fill = "zero"
    by: Literal["", "paint", "paste"] = ""
    start: Start = "previous"
    cells: Painted = NOTHING
    row: int = -1
    rows: str = ""
    feed: bool = False
    layers: tuple[int, ...] = ()
    metric: MetricName = "kl"
    at: int = -1
    token: str = ""
    answer: str = ""
    other: str = ""
    lesson: str = ""

    @property
    def pasting(self) -> bool:
        """Whether a pattern is pasted; links of before had no other way."""
        return self.by == "paste" or (not self.by and bool(self.rows))


ABLATE: Final = Page(
    "ablate",
    Ablate(),
    {
        "fill": one_of("fill", FILLS),
        "by": one_of("by", ("paint", "paste")),
        "start": one_of("start", ablate_pattern.STARTS),
        "cells": ablate_pattern.reader("cells"),
        "row": whole("row", -1, ablate_pattern.MOST_WORDS - 1),
        "rows": pasted("rows"),
        "mlp": numbers("layers", LAST, "layers"),
        "feed": switch("feed", "1", "0"),
        "metric": one_of("metric", METRICS),
        "after": whole("at", -1, LAST),
        "token": typed("token", MOST_TYPED),
        "answer": typed("answer", MOST_TYPED),
        "other": typed("other", MOST_TYPED),
        "lesson": typed("lesson", 40),
    },
)


def metrics_of(head_kind: str) -> tuple[MetricName, ...]:
    """The measures that a model has, by what it predicts; the first is its usual one."""
    if head_kind in ("causal", "seq2seq"):
        return ("kl", "token", "difference", "loss")
    return ("kl", "token", "difference", "cosine") if head_kind == "masked" else ("cosine",)

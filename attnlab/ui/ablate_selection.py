"""What the page Ablate shows of its own; nothing here imports Streamlit.

fill=zero|mean|resample     what takes the place of a head's output (resample: from sentence B)
metric=kl|token|difference|loss|cosine     how an effect is measured
after=4                     the token whose prediction is looked at, -1 for the last
token=Paris  answer=Paris  other=Rome      the words of the second and the third metric
lesson=paris                the experiment that set this up

The heads that are taken away and the one that is looked at are of the shared selection.
"""

from dataclasses import dataclass
from typing import Final, Literal

from attnlab.ui.own_link import Page, one_of, typed, whole

Fill = Literal["zero", "mean", "resample"]
MetricName = Literal["kl", "token", "difference", "loss", "cosine"]

FILLS: Final[tuple[Fill, ...]] = ("zero", "mean", "resample")
METRICS: Final[tuple[MetricName, ...]] = ("kl", "token", "difference", "loss", "cosine")
LAST: Final = 9_999
MOST_TYPED: Final = 60
"""Characters of an answer."""


@dataclass(frozen=True)
class Ablate:
    """What is done to the heads, and how its effect is measured.

    Attributes:
        fill: what takes the place of what a head hands on.
        metric: the measure; a model that does not have it is given one that it has.
        at: the token whose prediction is looked at, -1 for the last.
        token: the word whose probability is followed, "" for the likeliest.
        answer, other: the words whose logits are compared, "" for the two likeliest.
        lesson: the name of the experiment that set this up, "" for none.
    """

    fill: Fill = "zero"
    metric: MetricName = "kl"
    at: int = -1
    token: str = ""
    answer: str = ""
    other: str = ""
    lesson: str = ""


ABLATE: Final = Page(
    "ablate",
    Ablate(),
    {
        "fill": one_of("fill", FILLS),
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

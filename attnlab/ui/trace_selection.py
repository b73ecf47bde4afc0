"""What the page Trace a prediction shows of its own; nothing here imports Streamlit.

show=one|pair|word|head     one prediction, sentence A against B, a word in both, inside a head
after=4                     the token whose prediction is looked at, -1 for the last
answer=Paris  other=Berlin  the word that is followed, and the one it is compared with
feed=29                     the layer whose feed-forward is looked at, -1 for the chosen head
stage=z|weights|v|resid_post|attn_out|mlp_out     what is patched
into=B|A                    the sentence that runs, with values of the other
spot=L23P3                  the layer and the position that are looked at
word=it  toward=animal.street     the word in both, and those it may come nearer to
words=France.Paris          what a head is asked about alone, "" for words of the text
apart=1                     how far the word that looks stands after the other
lesson=paris                the experiment that set this up

The chosen head is of the shared selection.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from attnlab.ui.own_link import Page, Reader, one_of, typed, whole

View = Literal["one", "pair", "word", "head"]
Stage = Literal["z", "weights", "v", "resid_post", "attn_out", "mlp_out"]
Into = Literal["B", "A"]
Spot = tuple[int, int]
"""A layer and a position."""

VIEWS: Final[tuple[View, ...]] = ("one", "pair", "word", "head")
STAGES: Final[tuple[Stage, ...]] = ("z", "weights", "v", "resid_post", "attn_out", "mlp_out")
OF_HEADS: Final = frozenset({"z", "weights", "v"})
INTO: Final[tuple[Into, ...]] = ("B", "A")
LAST: Final = 9_999
MOST_TYPED: Final = 60
"""Characters of an answer."""
MOST_WORDS: Final = 120
"""Characters of words that a head is asked about."""
MOST_APART: Final = 256


@dataclass(frozen=True)
class Traced:
    """Which prediction is traced, and how.

    Attributes:
        view: one prediction of A, A against B, a word in both, or one head by itself.
        at: the token whose prediction is looked at, -1 for the last.
        answer: the word that is followed, "" for the likeliest.
        other: the word it is compared with; "" for none, or, in "pair", for what B says.
        feed: the layer whose feed-forward is taken away, -1 for the chosen head instead.
        stage: what is patched; ``into``: the sentence that runs with it.
        spot: the patched layer and position that are looked at.
        word: the word that stands in A and B; ``toward``: others, with spaces between them.
        words: what a head is asked about alone, "" for words of the text; ``apart``: how many
            positions the word that looks stands after the other.
        lesson: the name of the experiment that set this up, "" for none.
    """

    view: View = "one"
    at: int = -1
    answer: str = ""
    other: str = ""
    feed: int = -1
    stage: Stage = "z"
    into: Into = "B"
    spot: Spot | None = None
    word: str = ""
    toward: str = ""
    words: str = ""
    apart: int = 1
    lesson: str = ""


def _spot(field: str) -> Reader:
    """A layer and a position as L23P3."""

    def read(given: str) -> Spot | None:
        found = re.fullmatch(r"L([0-9]{1,4})P([0-9]{1,4})", given)
        if given and found is None:
            raise ValueError("is not a layer and a position such as L2P3")
        return (int(found[1]), int(found[2])) if found else None

    return field, read, lambda spot: "" if spot is None else f"L{spot[0]}P{spot[1]}"


TRACE: Final = Page(
    "trace",
    Traced(),
    {
        "show": one_of("view", VIEWS),
        "after": whole("at", -1, LAST),
        "answer": typed("answer", MOST_TYPED),
        "other": typed("other", MOST_TYPED),
        "feed": whole("feed", -1, LAST),
        "stage": one_of("stage", STAGES),
        "into": one_of("into", INTO),
        "spot": _spot("spot"),
        "word": typed("word", MOST_TYPED),
        "toward": typed("toward", MOST_TYPED),
        "words": typed("words", MOST_WORDS),
        "apart": whole("apart", 0, MOST_APART),
        "lesson": typed("lesson", 40),
    },
)

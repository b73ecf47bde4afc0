"""What the Positions page shows of its own; nothing here imports Streamlit."""

from dataclasses import dataclass
from typing import Final, Literal

from attnlab.ui.own_link import Page, head, one_number_of, one_of, pasted, switch, typed, whole
from attnlab.ui.selection import Head

Panel = Literal["schemes", "order", "distance", "model", "family"]

PANELS: Final[tuple[Panel, ...]] = ("schemes", "order", "distance", "model", "family")
SCHEMES: Final = ("sinusoidal", "learned", "rope", "alibi", "buckets")
WIDTHS: Final = (8, 16, 32, 64, 128)
KEY_SIZES: Final = (8, 16, 32, 64, 128)
BASES: Final = (100, 500, 1_000, 10_000, 100_000, 1_000_000)
HEADS: Final = (1, 2, 4, 6, 8, 12, 16)
BUCKETS: Final = (8, 16, 32, 64)
FARTHEST: Final = (32, 64, 128, 256)
PLACES: Final = 128
"""Positions that the clocks can be set to, 0 to one less."""
VECTORS: Final = ("alike", "ones", "apart")
SCALINGS: Final = ("none", "interpolated", "ntk", "yarn")
FACTORS: Final = (1, 2, 4, 8, 16)
TRAINED: Final = (64, 128, 512, 2_048)
ORDERS: Final = ("swap", "reverse", "shuffle")
MOST_WORDS: Final = 8
MOST_WRITTEN: Final = 120  # characters
MOST_SENTENCE: Final = 300
EDITS: Final = (
    *("none", "shifted", "shuffled", "reversed", "base"),
    *("interpolated", "ntk", "yarn", "alibi", "sinusoidal"),
)
OFFSETS: Final = (1, 10, 100, 1_000)
TEXTS: Final = ("ruth", "esther", "own")
LONGEST: Final = (1, 2, 4, 8)
"""How many times the training length the models of one family are read."""


@dataclass(frozen=True)
class Positions:
    """The panel that is open, and what each of them was set to.

    Attributes:
        panel: which one is open.
        scheme: "Schemes": which is drawn, one of SCHEMES.
        width, base, at, by: the waves and clocks: M, their base, a position, and how far on.
        size, long: D of rotary positions, in "Schemes" and in "Distance".
        query, key: positions of a query and a key, turned.
        heads: how many slopes ALiBi has.
        buckets, farthest, both: T5's, and whether they look both ways.
        words, order: "Dog bites man": a text, and how its tokens change places.
        vectors, scaling, factor, trained: "Distance".
        edit, offset, seed, to_base, by_factor, look: "In the model": the scheme, what it takes, and
            the head that is drawn.
        text, pasted, times, seen: "Five schemes": the text, how long, and the head of each model.
        lesson: the name of the experiment that set this up, "" for none.
    """

    panel: Panel = "schemes"
    scheme: str = "sinusoidal"
    width: int = 64
    base: int = 10_000
    at: int = 12
    by: int = 5
    size: int = 16
    long: int = 64
    query: int = 9
    key: int = 3
    heads: int = 8
    buckets: int = 32
    farthest: int = 128
    both: bool = True
    words: str = "dog bites man"
    order: str = "swap"
    vectors: str = "alike"
    scaling: str = "none"
    factor: int = 4
    trained: int = 128
    edit: str = "none"
    offset: int = 100
    seed: int = 0
    to_base: int = 500
    by_factor: int = 4
    look: Head | None = None
    text: str = "ruth"
    pasted: str = ""
    times: int = 8
    seen: Head = (0, 0)
    sentence: str = "In the beginning God created the heaven and the earth."
    lesson: str = ""


POSITIONS: Final = Page(
    "positions",
    Positions(),
    {
        "show": one_of("panel", PANELS),
        "scheme": one_of("scheme", SCHEMES),
        "m": one_number_of("width", WIDTHS),
        "base": one_number_of("base", BASES),
        "p": whole("at", 0, PLACES - 1),
        "k": whole("by", 0, 64),
        "d": one_number_of("size", KEY_SIZES),
        "head-size": one_number_of("long", KEY_SIZES),
        "query": whole("query", 0, PLACES - 1),
        "at-key": whole("key", 0, PLACES - 1),
        "slopes": one_number_of("heads", HEADS),
        "buckets": one_number_of("buckets", BUCKETS),
        "farthest": one_number_of("farthest", FARTHEST),
        "ways": switch("both", "both", "past"),
        "words": typed("words", MOST_WRITTEN),
        "order": one_of("order", ORDERS),
        "vectors": one_of("vectors", VECTORS),
        "scaling": one_of("scaling", SCALINGS),
        "factor": one_number_of("factor", FACTORS),
        "trained": one_number_of("trained", TRAINED),
        "edit": one_of("edit", EDITS),
        "offset": one_number_of("offset", OFFSETS),
        "seed": whole("seed", 0, 9_999),
        "to-base": one_number_of("to_base", BASES),
        "times": one_number_of("by_factor", FACTORS),
        "look": head("look"),
        "text": one_of("text", TEXTS),
        "pasted": pasted("pasted"),
        "far": one_number_of("times", LONGEST),
        "seen": head("seen", (0, 0)),
        "sentence": typed("sentence", MOST_SENTENCE),
        "lesson": typed("lesson", 40),
    },
)

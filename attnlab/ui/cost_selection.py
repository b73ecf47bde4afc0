"""What the Cost page shows of its own; nothing here imports Streamlit."""

from dataclasses import dataclass
from typing import Final, Literal

from attnlab.analysis.passage import PASSAGES
from attnlab.ui.own_link import Page, one_number_of, one_of, switch, typed, whole

Panel = Literal["growth", "tiles", "cache", "recall", "why"]

PANELS: Final[tuple[Panel, ...]] = ("growth", "tiles", "cache", "recall", "why")
UP_TO: Final = (1_024, 2_048, 4_096, 8_192, 16_384)
"""Longest texts, in tokens, up to which time and memory are measured."""
TILES: Final = (2, 3, 4, 6, 8)
"""Queries and keys of a drawn tile."""
TILED_UP_TO: Final = (512, 1_024, 2_048, 4_096)
"""Tokens at which both ways are compared in fresh processes."""
MODEL: Final = "model"  # the loaded one
TYPED: Final = "typed"  # sizes of one's own
OF: Final = (MODEL, "llama-2-7b", "llama-3-8b", "starcoder", TYPED)
LENGTHS: Final = tuple(2**power for power in range(7, 21))
"""Lengths at which a cache is looked at, in tokens."""
BYTES: Final = (1, 2, 4)
"""Of one number: 8, 16 or 32 bits."""
OWN: Final = "own"  # a text that the model writes itself
TEXTS: Final = (*PASSAGES, OWN)
LONG: Final = (128, 256, 512)
"""Tokens of such a text."""
HEATS: Final = (0.5, 0.7, 1.0, 1.3)
"""Temperatures at which it is drawn."""
MOST_SEED: Final = 9_999
READ: Final = (256, 512, 1_024, 2_048)
"""Tokens that are read beside caches that forget."""
WIDE: Final = (64, 128, 256)
"""Tokens that such a cache holds, the first ones among them."""
FIRST: Final = (1, 2, 4, 8)
"""First tokens that are kept for good."""
PAIRS: Final = (4, 8, 16, 24, 32)
"""How many a random list has."""
SEEDS: Final = (0, 1, 2)
MOST_LIST: Final = 1_000  # characters
MOST_LAYERS: Final = 500
MOST_HEADS: Final = 512
MOST_SIZE: Final = 1_024


@dataclass(frozen=True)
class Cost:
    """The panel that is open, and what each of them was set to.

    Attributes:
        panel: which one is open.
        measured: "n²": whether time and memory are measured; ``up_to``: the longest text, of UP_TO.
        tile: "FlashAttention": queries and keys of a tile, of TILES; ``at``: the tile shown,
            -1 for the one in the middle; ``many``: tokens at which memory is compared;
            ``compared``: whether it is.
        of: "The cache": whose; ``length``: tokens, one of LENGTHS; ``layers``, ``kv_heads``,
            ``heads``, ``size``, ``number``: sizes of one's own.
        text, read, wide, first: "The cache": the text, of TEXTS, how much of a passage is read, how
            many tokens a cache holds, and how many first ones among them; ``forgetting``: whether
            it is read; ``long``, ``heat``, ``luck``: tokens of a text of the model's own, the
            temperature and the seed that it is drawn with.
        given, pairs, drawn, seed: "What the cheap ones give up": a typed list, "" for a random one
            of so many pairs, its number, and which of the three trainings.
        timed: "The cache": whether the time of a token is measured.
        looped: "Why it won": whether the loop is measured.
        lesson: the name of the experiment that set this up, "" for none.
    """

    panel: Panel = "growth"
    measured: bool = False
    up_to: int = 4_096
    tile: int = 4
    at: int = -1
    many: int = 2_048
    compared: bool = False
    of: str = MODEL
    length: int = 4_096
    layers: int = 32
    heads: int = 32
    kv_heads: int = 8
    size: int = 128
    number: int = 2
    timed: bool = False
    text: str = "ruth"
    read: int = 1_024
    wide: int = 128
    first: int = 4
    forgetting: bool = False
    long: int = 256
    heat: float = 0.7
    luck: int = 0
    given: str = ""
    pairs: int = 16
    drawn: int = 0
    seed: int = 0
    looped: bool = False
    lesson: str = ""


COST: Final = Page(
    "cost",
    Cost(),
    {
        "show": one_of("panel", PANELS),
        "measure": switch("measured", "yes", "no"),
        "up-to": one_number_of("up_to", UP_TO),
        "tile": one_number_of("tile", TILES),
        "nth": whole("at", 0, 9_999),
        "many": one_number_of("many", TILED_UP_TO),
        "compare": switch("compared", "yes", "no"),
        "of": one_of("of", OF),
        "length": one_number_of("length", LENGTHS),
        "layers": whole("layers", 1, MOST_LAYERS),
        "of-heads": whole("heads", 1, MOST_HEADS),
        "kv-heads": whole("kv_heads", 1, MOST_HEADS),
        "size": whole("size", 1, MOST_SIZE),
        "bytes": one_number_of("number", BYTES),
        "time": switch("timed", "yes", "no"),
        "passage": one_of("text", TEXTS),
        "read": one_number_of("read", READ),
        "wide": one_number_of("wide", WIDE),
        "kept-first": one_number_of("first", FIRST),
        "forget": switch("forgetting", "yes", "no"),
        "write": one_number_of("long", LONG),
        "heat": one_number_of("heat", HEATS),
        "seed": whole("luck", 0, MOST_SEED),
        "list": typed("given", MOST_LIST),
        "pairs": one_number_of("pairs", PAIRS),
        "nth-list": whole("drawn", 0, 9_999),
        "training": one_number_of("seed", SEEDS),
        "loop": switch("looped", "yes", "no"),
        "lesson": typed("lesson", 40),
    },
)

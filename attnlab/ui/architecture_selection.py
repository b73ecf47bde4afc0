"""What the Architecture page shows of its own; nothing here imports Streamlit."""

from dataclasses import dataclass
from typing import Final, Literal

from attnlab.analysis.sizes import PRESETS
from attnlab.ui.own_link import Page, head, one_number_of, one_of, typed, whole
from attnlab.ui.selection import Head

Panel = Literal["block", "heads", "sees", "cross", "why"]

PANELS: Final[tuple[Panel, ...]] = ("block", "heads", "sees", "cross", "why")
MODEL: Final = "model"  # the loaded one, instead of a preset
MODELS: Final = (MODEL, *(preset.name for preset in PRESETS))
LENGTHS: Final = tuple(2**power for power in range(7, 21))
"""Lengths that a cache is looked at, in tokens: 128 to 1,048,576."""
WINDOWS: Final = (8, 32, 128, 512, 2_048, 4_096)
"""Windows that are compared, in tokens."""
MOST_TOKENS: Final = 131_072
MOST_WRITTEN: Final = 200  # characters
MOST_DATE: Final = 60  # characters
DATES: Final = (
    "Friday, the 3rd of July 2026",
    "March 14, 2031",
    "25.12.1999",
    "2001 Jan 9",
    "20 JULY 1969 (Sunday)",
)
"""Dates to try, each written in another way."""
DRAWN_AS: Final = ("matrix", "words")


@dataclass(frozen=True)
class Architecture:
    """The panel that is open, and what each of them was set to.

    Attributes:
        panel: which one is open.
        of: "The block", "Heads and cache": the loaded model, or the name of a preset.
        tokens: how many tokens a preset is shown on.
        length: "Heads and cache": tokens that the cache holds, one of LENGTHS.
        window: "Why it won": how many positions the window holds, one of WINDOWS.
        lesson: the name of the experiment that set this up, "" for none.
        written: "Who sees what": what an encoder-decoder writes for sentence A.
        date: "Cross-attention": what the dates model reads.
        look: the head of its cross-attention, None for the one that tells the parts apart best.
        drawn: how that head is drawn, one of DRAWN_AS.
        row: the token being written that is looked from, -1 before one is clicked.
    """

    panel: Panel = "block"
    of: str = MODEL
    tokens: int = 13
    length: int = 4_096
    window: int = 128
    lesson: str = ""
    written: str = "It was tired."
    date: str = DATES[0]
    look: Head | None = None
    drawn: str = "matrix"
    row: int = -1


ARCHITECTURE: Final = Page(
    "architecture",
    Architecture(),
    {
        "show": one_of("panel", PANELS),
        "of": one_of("of", MODELS),
        "n": whole("tokens", 1, MOST_TOKENS),
        "length": one_number_of("length", LENGTHS),
        "window": one_number_of("window", WINDOWS),
        "lesson": typed("lesson", 40),
        "written": typed("written", MOST_WRITTEN),
        "date": typed("date", MOST_DATE),
        "look": head("look"),
        "as": one_of("drawn", DRAWN_AS),
        "row": whole("row", -1, 9_999),
    },
)

"""What the Architecture page shows of its own; nothing here imports Streamlit."""

from dataclasses import dataclass
from typing import Final, Literal

from attnlab.ui.own_link import Page, one_of, typed

Panel = Literal["block", "heads", "sees", "cross", "why"]

PANELS: Final[tuple[Panel, ...]] = ("block", "heads", "sees", "cross", "why")


MOST_WRITTEN: Final = 200  # characters


@dataclass(frozen=True)
class Architecture:
    """The panel that is open, and what each of them was set to.

    Attributes:
        panel: which one is open.
        written: "Who sees what": what an encoder-decoder writes for sentence A.
    """

    panel: Panel = "block"
    written: str = "It was tired."


ARCHITECTURE: Final = Page(
    "architecture",
    Architecture(),
    {"show": one_of("panel", PANELS), "written": typed("written", MOST_WRITTEN)},
)

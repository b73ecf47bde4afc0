"""What the Architecture page shows of its own; nothing here imports Streamlit."""

from dataclasses import dataclass
from typing import Final, Literal

from attnlab.ui.own_link import Page, one_of

Panel = Literal["block", "heads", "sees", "cross", "why"]

PANELS: Final[tuple[Panel, ...]] = ("block", "heads", "sees", "cross", "why")


@dataclass(frozen=True)
class Architecture:
    """The panel that is open, and what each of them was set to."""

    panel: Panel = "block"


ARCHITECTURE: Final = Page("architecture", Architecture(), {"show": one_of("panel", PANELS)})

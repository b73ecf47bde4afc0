"""What a head is set to on the page Ablate: in words. Nothing here imports Streamlit."""

from typing import Final

from attnlab.ui.selection import Head

TITLES: Final = {"zero": "zero", "mean": "its mean", "resample": "what it is in B"}
"""Of the choice."""
DONE: Final = {
    "zero": ("without the head", "without it"),
    "mean": ("with the head’s mean", "with its mean"),
    "resample": ("with the head as in B", "with it as in B"),
}
"""What is done to a head, and again in short."""
PLACES: Final = {"zero": "zero", "mean": "its mean over the text", "resample": "what it is in B"}
"""What a head is set to, for files."""


def changed(heads: tuple[Head, ...], fill: str) -> str:
    """What a figure is of once these heads are changed."""
    done = DONE[fill][0]
    if len(heads) == 1:
        return done
    return done.replace("the head’s", "their").replace("the head", f"the {len(heads)} heads")


def together(fill: str) -> str:
    """What is said of several heads that are changed at once."""
    return "Taken away together" if fill == "zero" else f"Set to {TITLES[fill]}, together"

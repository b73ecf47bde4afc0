"""The words and figures of a mask over a few words. Nothing is drawn here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import torch

from attnlab.analysis import masking
from attnlab.analysis.reach import window_reach
from attnlab.ui import masks_cells, masks_selection
from attnlab.ui.masks_cells import Painted
from attnlab.ui.masks_selection import Masks

MOST_LAYERS: Final = masks_selection.MOST_LAYERS
TITLES: Final = {
    "causal": "Causal",
    "bidirectional": "Both ways",
    "window": "Window",
    "sinks": "Sinks + window",
    "strided": "Strided",
    "global": "Global + window",
    "prefix": "Prefix",
    "document": "Documents",
}
ABOUT: Final = {
    "causal": "A word sees itself and what came before it: a GPT.",
    "bidirectional": "Every word sees every word: an encoder such as BERT.",
    "window": "A word sees the last few words, itself among them: Mistral, Gemma.",
    "sinks": "The last few words, and the first of the text, on which heads like to rest.",
    "strided": "The last few words, and before them every so many: sparse transformers.",
    "global": "The last few words; a few chosen words see all before them, all after see those.",
    "prefix": "The first words see each other both ways, the rest is causal: a prefix model.",
    "document": "Several texts packed into one: none sees another.",
}


@dataclass(frozen=True, eq=False)
class Sheet:
    """A mask over words.

    Attributes:
        words: n of them.
        base: bool [n, n], what the pattern shows.
        cells: what is painted over it, within the words.
        row: the word that is looked from.
    """

    words: tuple[str, ...]
    base: np.ndarray
    cells: Painted
    row: int

    @cached_property
    def seen(self) -> np.ndarray:
        """bool [n, n]: the mask as it is."""
        return masks_cells.applied(self.base, self.cells)

    @property
    def seen_tensor(self) -> torch.Tensor:
        """The same for what computes with it."""
        return torch.from_numpy(self.seen)

    @property
    def tokens(self) -> list[dict[str, Any]]:
        """The words as components take tokens."""
        return [{"text": word, "raw": word, "id": None, "special": False} for word in self.words]


def counted(sheet: Sheet) -> str:
    """ "70 of 136" scores: those of the mask, and those of full causal attention."""
    return f"{int(sheet.seen.sum()):,} of {masking.full_count(len(sheet.words)):,}"


def share(sheet: Sheet) -> str:
    """What the two figures are."""
    part = int(sheet.seen.sum()) / masking.full_count(len(sheet.words))
    return f"scores of full causal attention, {percent(part)}"


def percent(part: float) -> str:
    """A share in as many digits as it needs."""
    return (
        f"{part:.0%}"
        if part >= 0.1 or part == 0
        else f"{part:.1%}"
        if part >= 0.01
        else f"{part:.2%}"
    )


def formulas(value: Masks, sheet: Sheet) -> list[str]:
    """For each number of layers, what the reach of a plain window is made of."""
    if value.kind not in ("window", "sinks", "strided", "global") or sheet.cells:
        return []
    told = []
    for layers in range(1, MOST_LAYERS + 1):
        back = window_reach(value.window, layers)
        also = {
            "sinks": " The first words are kept in sight besides.",
            "strided": " The stride leads further.",
            "global": " Words seen by all lead further.",
        }.get(value.kind, "")
        text = f"Window: {layers} × ({value.window} − 1) = {back} back"
        short = " (the text is shorter)." if back > sheet.row else "."
        told.append(text + short + also)
    return told

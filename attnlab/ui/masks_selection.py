"""What the page Masks shows of its own; nothing here imports Streamlit.

show=paper|model|sinks|layouts          which panel is open
mask=sinks  w=4  sinks=1  prefix=4  global=0.7  docs=2     the pattern, on every panel
words=…  cells=5s0-3_7h2  row=5  layers=3                  On paper: the words, what was painted
n=131072  far=4096         how many scores at another length, and its window
paint=…  after=5  from=0  to=29  heads=0.3  windows=kept      In the model
text=ruth  length=1024  wide=128  keep=1  every=5  hold=0  the last two panels, pasted=… their text
lesson=answer                                              the experiment that set this up
"""

from dataclasses import dataclass
from typing import Final, Literal

from attnlab.analysis.masking import KINDS, MOST_TOKENS, Pattern
from attnlab.ui import masks_cells
from attnlab.ui.masks_cells import MOST_WORDS, NOTHING, Painted
from attnlab.ui.own_link import Page, numbers, one_number_of, one_of, pasted, switch, typed, whole

Panel = Literal["paper", "model", "sinks", "layouts"]

PANELS: Final[tuple[Panel, ...]] = ("paper", "model", "sinks", "layouts")
WORDS: Final = "Maya put the cat out before she left because it had eaten all of her fish"
"""Sixteen, so that the counts are those that books give."""
THREE: Final = "A B C"
MOST_LAYERS: Final = 6
"""That the reach of a mask is followed over."""
MOST_SIZE: Final = 4_096
"""Of a window, a prefix, or a number of sinks or documents."""
MOST_TYPED: Final = 400  # characters
LAST_LAYER: Final = 9_999
SOURCES: Final = ("ruth", "esther", "pasted")
LENGTHS: Final = (256, 512, 1_024, 2_048)
WIDE: Final = (16, 32, 64, 128, 256, 512)
MOST_SINKS: Final = 8
EVERY: Final = (2, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True)
class Masks:
    """The panel that is open, and what each of them was set to.

    Attributes:
        panel: which one is open.
        kind, window, sinks, prefix, globals, documents: the mask, see ``Pattern``.
        words: "On paper": the words of the text.
        cells: what was painted over its mask.
        row: the word that is looked from, -1 for the last.
        layers: how many layers its reach is followed over.
        far, far_window: at which length, and with which window, scores are counted too.
        painted: "In the model": what was painted over the mask of its tokens.
        at: the token after which the prediction is looked at, -1 for the last.
        first, last: the layers whose mask is changed, both included.
        heads: the heads whose mask is changed, () for all.
        native: whether what the model hides by itself stays hidden.
        source, pasted: "Why sinks stay", "Layouts": a shipped text, or the pasted one.
        length: how many of its tokens are read.
        wide, keep: the window, and how many first tokens it keeps.
        every, hold: every how many layers attention is full, and how many first tokens the
            windows of the others keep.
        lesson: the name of the experiment that set this up, "" for none.
    """

    panel: Panel = "paper"
    kind: str = "sinks"
    window: int = 4
    sinks: int = 1
    prefix: int = 4
    globals: tuple[int, ...] = (0,)
    documents: int = 2
    words: str = WORDS
    cells: Painted = NOTHING
    row: int = -1
    layers: int = 3
    far: int = 131_072
    far_window: int = 4_096
    painted: Painted = NOTHING
    at: int = -1
    first: int = 0
    last: int = LAST_LAYER
    heads: tuple[int, ...] = ()
    native: bool = True
    source: str = "ruth"
    pasted: str = ""
    length: int = 1_024
    wide: int = 128
    keep: int = 1
    every: int = 5
    hold: int = 0
    lesson: str = ""

    @property
    def pattern(self) -> Pattern:
        """The mask without what was painted."""
        return Pattern(
            self.kind, self.window, self.sinks, self.globals, self.prefix, self.documents
        )

    @property
    def far_pattern(self) -> Pattern:
        """The mask at the other length."""
        return Pattern(
            self.kind, self.far_window, self.sinks, self.globals, self.prefix, self.documents
        )


def split(text: str) -> list[str]:
    """The words of a text, as many as can be painted."""
    return text.split()[:MOST_WORDS]


MASKS: Final = Page(
    "masks",
    Masks(),
    {
        "show": one_of("panel", PANELS),
        "mask": one_of("kind", KINDS),
        "w": whole("window", 1, MOST_SIZE),
        "sinks": whole("sinks", 0, MOST_SIZE),
        "prefix": whole("prefix", 0, MOST_SIZE),
        "global": numbers("globals", MOST_WORDS, "words"),
        "docs": whole("documents", 1, MOST_SIZE),
        "words": typed("words", MOST_TYPED),
        "cells": ("cells", masks_cells.read, masks_cells.write),
        "row": whole("row", -1, MOST_WORDS - 1),
        "layers": whole("layers", 1, MOST_LAYERS),
        "n": whole("far", 1, MOST_TOKENS),
        "far": whole("far_window", 1, MOST_TOKENS),
        "paint": ("painted", masks_cells.read, masks_cells.write),
        "after": whole("at", -1, LAST_LAYER),
        "from": whole("first", 0, LAST_LAYER),
        "to": whole("last", 0, LAST_LAYER),
        "heads": numbers("heads", 1_000, "heads"),
        "windows": switch("native", "kept", "lifted"),
        "text": one_of("source", SOURCES),
        "pasted": pasted("pasted"),
        "length": one_number_of("length", LENGTHS),
        "wide": one_number_of("wide", WIDE),
        "keep": whole("keep", 1, MOST_SINKS),
        "every": one_number_of("every", EVERY),
        "hold": whole("hold", 0, MOST_SINKS),
        "lesson": typed("lesson", 40),
    },
)

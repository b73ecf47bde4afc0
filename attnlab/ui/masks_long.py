"""The runs behind "Why sinks stay" and "Layouts": which edits, how they are called, what they say.

Nothing is drawn or run here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from attnlab.analysis.damage import damage, half_mean
from attnlab.trace import Mask
from attnlab.ui.masks_selection import Masks
from attnlab.viz.figures import ordinal

_NOTHING: Final = 0.02  # nats a token


@dataclass(frozen=True)
class Way:
    """One way to read the text.

    Attributes:
        name: in a word or two, at the end of its line.
        under_way: the same while it is computed.
        edits: what is changed; () as trained.
        colour, dashed: of its line.
    """

    name: str
    under_way: str
    edits: tuple[Mask, ...]
    colour: str
    dashed: bool = False


def full() -> Way:
    """As trained."""
    return Way("full", "Full attention", (), "ink")


def window(wide: int) -> Way:
    """The last few tokens alone, in every layer."""
    return Way("window", f"A window of {wide}", (Mask("window", window=wide),), "brown", True)


def kept(wide: int, keep: int) -> Way:
    """The same, and the first tokens."""
    first = "1 sink" if keep == 1 else f"{keep} sinks"
    mask = Mask("window", window=wide, sinks=keep)
    return Way(f"window + {first}", f"A window of {wide} and {first}", (mask,), "attention")


def sinks(value: Masks) -> tuple[Way, ...]:
    """What "Why sinks stay" compares."""
    return full(), window(value.wide), kept(value.wide, value.keep)


def full_layers(layers: Sequence[int], every: int) -> tuple[int, ...]:
    """Every so many-th of the layers, the last of each group."""
    return tuple(layer for at, layer in enumerate(layers, start=1) if at % every == 0)


def layouts(value: Masks, layers: Sequence[int]) -> tuple[Way, ...]:
    """What "Layouts" compares: a window everywhere, and one in all but every k-th layer."""
    open_ = full_layers(layers, value.every)
    narrow = tuple(layer for layer in layers if layer not in open_)
    base = kept(value.wide, value.hold) if value.hold else window(value.wide)
    (mask,) = base.edits
    mixed = Mask("window", window=mask.window, sinks=mask.sinks, layers=narrow)
    name = f"every {ordinal(value.every)} full"
    everywhere = Way("window everywhere", base.under_way, base.edits, "brown", True)
    return full(), everywhere, Way(name, f"{base.under_way}, {name}", (mixed,), "attention")


@dataclass(frozen=True)
class Mean:
    """One way's mean loss over the second half of the text, in nats."""

    name: str
    nats: float


def means(ways: Sequence[Way], curves: Sequence[np.ndarray], tokens: int) -> list[Mean]:
    """The means that are there so far."""
    return [
        Mean(way.name, half_mean(torch.tensor(curve), tokens))
        for way, curve in zip(ways, curves, strict=False)
    ]


def repaired(found: Sequence[Mean]) -> str:
    """How much of the second way's damage the third undoes, in a sentence; "" until it is known."""
    known = damage([one.nats for one in found])
    if known is None:
        return ""
    if known.cost < _NOTHING:
        if known.cost > -_NOTHING:
            return "The window costs next to nothing here: there is nothing to repair."
        return f"The window helps here, by {-known.cost:.2f} nats a token: nothing to repair."
    rises, third = f"The window costs {known.cost:.2f} nats a token", found[2].name
    if known.taken_back < 0:
        return f"{rises}, and “{third}” makes it worse."
    return f"{rises}; “{third}” takes {known.taken_back:.0%} of that back."

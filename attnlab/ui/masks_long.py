"""The runs behind "Why sinks stay" and "Layouts": which edits, how they are called, what they say.

Nothing is drawn or run here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from attnlab.trace import Mask
from attnlab.ui.masks_selection import Masks

SMOOTHED: Final = 65
"""Positions that a drawn value is the mean of; files hold every one."""


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


def ordinal(number: int) -> str:
    """ "2nd", "5th"."""
    return f"{number}{ {2: 'nd', 3: 'rd'}.get(number, 'th') }"


@dataclass(frozen=True)
class Mean:
    """One way's mean loss over the second half of the text, in nats."""

    name: str
    nats: float


def half(count: int) -> int:
    """The first position of the second half of ``count`` tokens."""
    return count // 2


def means(ways: Sequence[Way], curves: Sequence[np.ndarray], count: int) -> list[Mean]:
    """The means that are there so far."""
    start = half(count)
    return [
        Mean(way.name, float(curve[start:].mean(dtype=np.float64)))
        for way, curve in zip(ways, curves, strict=False)
    ]


def repaired(found: Sequence[Mean]) -> str:
    """How much of the second way's damage the third undoes, in a sentence; "" until it is known."""
    if len(found) < 3:
        return ""
    whole, lost, saved = (one.nats for one in found[:3])
    damage = lost - whole
    if damage < 0.02:
        return f"The window costs {damage:+.2f} nats a token here, so there is nothing to repair."
    part = (lost - saved) / damage
    rises = f"The window costs {damage:.2f} nats a token"
    if part < 0:
        return f"{rises}, and “{found[2].name}” makes it worse: {saved - whole:.2f}."
    return f"{rises}; “{found[2].name}” takes {part:.0%} of that back."

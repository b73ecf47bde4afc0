"""Loss by position: a long text read in several ways, as one picture and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np

from attnlab.analysis.damage import width_for
from attnlab.ui.engine import longtext
from attnlab.viz import lines
from attnlab.viz.diagram import Diagram
from attnlab.viz.lines import Line, Mark

_BEGIN: Final = 16
"""Positions at the very start, whose losses are too high for the picture."""
_MOST_PLACES: Final = 512
"""About how many points a line is drawn through."""


class Way(Protocol):
    """A way to read the text: its name at the end of its line, and how that is drawn."""

    @property
    def name(self) -> str: ...

    @property
    def colour(self) -> str: ...

    @property
    def dashed(self) -> bool: ...


def chart(
    ways: Sequence[Way], found: Sequence[np.ndarray], tokens: int, mark: Mark, **size: float
) -> Diagram:
    """The ways of which there is something so far; a line ends where its reading has got to.

    Args:
        found: [n − 1] nats each, or fewer: at position i what the token after it costs.
        tokens: n, of the whole text.
        mark: the position from which on the ways differ.
        size: high and wide, CSS pixels.
    """
    width = width_for(tokens)
    smooth = [longtext.drawn(curve, width) for curve in found]
    places = range(0, tokens - 1, max(1, tokens // _MOST_PLACES))
    shown = [v for line in smooth for v in line[min(_BEGIN, len(line) - 1) :]]
    drawn = [
        Line(
            way.name,
            [line[at] if at < len(line) else None for at in places],
            way.colour,
            way.dashed,
        )
        for way, line in zip(ways, smooth, strict=False)
    ]
    title = f"Loss by position, nats, each the mean of {width} around it"
    options = {"x_name": "position", "write": "{:.3g}".format, "span": (min(shown), max(shown))}
    return lines.lines(title, places, drawn, marks=[mark], **options, **size)


def numbers(ways: Sequence[Way], found: Sequence[np.ndarray], *notes: str) -> dict[str, Any]:
    """The table of the picture, as ``export.architecture.picture`` takes it: every position."""
    tokens = len(found[0]) + 1
    return {
        "what": "−log of the probability of the token after each position, in nats; every one.",
        "columns": ("position", *(way.name for way in ways)),
        "rows": [[at, *map(float, row)] for at, row in enumerate(zip(*found, strict=True))],
        "notes": (f"The picture shows means of {width_for(tokens)} positions.", *notes),
    }

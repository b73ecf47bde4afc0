"""What is known of every head and feed-forward, and what is said of it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from attnlab.ui.ablate_measure import Measured, write
from attnlab.ui.engine.sweep import Swept
from attnlab.ui.selection import Head
from attnlab.viz.figures import tiny
from attnlab.viz.heads import FEED


@dataclass(frozen=True)
class Found:
    """What is known of the heads.

    Attributes:
        exact, estimate: effects by head; exact ones of all heads once ``swept`` is there.
        correlation: of the ranks of both, None where there are not both.
    """

    exact: Mapping[Head, float]
    estimate: Mapping[Head, float]
    swept: Swept | None = None
    correlation: float | None = None

    def rank(self, head: Head) -> int | None:
        """The place of a head, from 1, by the size of its exact effect."""
        if self.swept is None:
            return None
        mine = abs(self.exact[head])
        return 1 + sum(abs(other) > mine for other in self.of_heads.values())

    @property
    def of_heads(self) -> dict[Head, float]:
        """The exact effects of heads alone."""
        return {unit: value for unit, value in self.exact.items() if unit[1] != FEED}

    @property
    def of_layers(self) -> dict[int, float]:
        """The exact effects of feed-forwards, by layer."""
        return {unit[0]: value for unit, value in self.exact.items() if unit[1] == FEED}


def feeds_said(found: Found, measured: Measured) -> str:
    """Which feed-forward does most, and what is usual among them."""
    layers = found.of_layers
    most = max(layers, key=lambda layer: abs(layers[layer]))
    half = statistics.median(abs(value) for value in layers.values())
    return (
        f"Of the feed-forwards that of layer {most} does most: {write(layers[most])} "
        f"{measured.unit}; half of them do less than {write(half)}."
    )


def how_found(found: Found, measured: Measured) -> str:
    """How the exact numbers were come by, and how far they are from single runs."""
    swept = found.swept
    how = "in batches that grow layer by layer" if swept.grown else "in plain batches"
    checked = ""
    if swept.difference is not None:
        apart = "exactly the same" if not swept.difference else f"within {tiny(swept.difference)}"
        checked = f"; three of them checked singly, {apart}"
    noise = write(swept.noise or 0.0)  # half precision rounds, and other batches otherwise
    seen = f" Effects below {noise} {measured.unit} are rounding." if noise != "0" else ""
    why = f" {swept.why}" if swept.why else ""
    feeds = f" and {len(found.of_layers)} feed-forwards" if found.of_layers else ""
    return f"All {len(found.of_heads)} heads{feeds}, exactly, {how}{checked}.{seen}{why}"

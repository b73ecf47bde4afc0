"""The rows of a result, filled as results come in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
from torch import Tensor

from attnlab.analysis.batches import TOLERANCE
from attnlab.analysis.grow import Part
from attnlab.analysis.patching.variants import Cell
from attnlab.trace.token import Token

Seen = Callable[[pd.DataFrame, float], None]


class Table:
    """A row for each patched head, position or layer: value, effect and share.

    Args:
        tokens: of the text that runs.
        values: the metric of the clean and of the corrupted text.
        receives: which of them runs.

    Attributes:
        least: a difference between the texts that may be rounding: what rows of a batch may be off.
    """

    def __init__(
        self,
        rows: Sequence[Cell],
        by: str,
        tokens: Sequence[Token],
        values: tuple[float, float],
        receives: int,
    ) -> None:
        self.values, self.receives = values, receives
        self.least = TOLERANCE
        self.frame = pd.DataFrame({"layer": [layer for layer, *_ in rows]})
        if by != "layer":
            self.frame[by] = [unit for _, unit, _ in rows]
        if by == "position":
            self.frame["token"] = [tokens[here].text for _, here, _ in rows]
            self.frame["donor_position"] = [there for *_, there in rows]
        for column in ("value", "effect", "share"):
            self.frame[column] = float("nan")

    def fill(self, which: Sequence[int], found: Tensor) -> None:
        """Write the values of some rows, and what follows from them."""
        which, (clean, corrupted) = list(which), self.values
        value, apart = found.double().numpy(), clean - corrupted
        self.frame.loc[which, "value"] = value
        self.frame.loc[which, "effect"] = value - self.values[self.receives]
        # Texts that the metric cannot tell apart leave no scale to measure by.
        share = (value - corrupted) / apart if abs(apart) > self.least else float("nan")
        self.frame.loc[which, "share"] = share

    def streaming(self, seen: Seen) -> Callable[[Part], None]:
        """Fills in each part of a sweep, and hands on a copy of what there is so far."""

        def shown(part: Part) -> None:
            self.fill(part.which, part.values[0])
            seen(self.frame.copy(), part.done)

        return shown

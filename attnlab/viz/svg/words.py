"""One head in words: where one word looks, as arcs, bars and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.viz.svg.axes import Cells
from attnlab.viz.svg.matrix import figure
from attnlab.viz.svg.sheet import Sheet, Theme, number
from attnlab.viz.svg.text import cut, width

ARC_LEAST, FAINT_ARC_LEAST = 0.01, 0.03  # weights; less is not drawn
LIST = 12  # of a long text, so many of the words most looked at are named
_SMALLEST_FIGURE = 0.005


def row_height(count: int) -> int:
    """Height of one word's row; the twin of ``rowHeight`` in ``viz/components/words.js``."""
    return 25 if count <= 26 else 21 if count <= 40 else 18


@dataclass(frozen=True)
class _Plan:
    """One sentence's drawing: what is looked from, and where its columns lie.

    ``left`` ends the words that look, ``arcs`` is the room of the arcs, ``full`` the length of a
    bar of weight 1.
    """

    sheet: Sheet
    cells: Cells
    colour: str
    looked: int
    row: float
    size: float
    left: float
    arcs: float
    full: float

    @property
    def right(self) -> float:
        """Where the words that are looked at begin."""
        return self.left + self.arcs

    def arc(self, i: int, j: int) -> str:
        """The curve from word i on the left to word j on the right."""
        y0, y1 = number((i + 0.5) * self.row), number((j + 0.5) * self.row)
        bend, turn = number(self.arcs * 0.45), number(self.arcs * 0.55)
        return f"M0 {y0}C{bend} {y0} {turn} {y1} {number(self.arcs)} {y1}"

    def faint(self) -> None:
        """Every arc, behind those of the looked-from word."""
        paths = "".join(
            f'<path d="{self.arc(i, j)}" stroke-width="{number(0.5 + 5 * weight)}"/>'
            for (i, j), weight in np.ndenumerate(self.cells.values)
            if weight >= FAINT_ARC_LEAST and not self.cells.blank[i, j]
        )
        self._arcs("g", paths, stroke_opacity=self.sheet.theme.faint)

    def _arcs(self, tag: str, body: str | None, **attributes: object) -> None:
        move = f"translate({number(self.left)} 0)"
        self.sheet.put(tag, body, fill="none", stroke=self.colour, transform=move, **attributes)

    def look(self, i: int) -> None:
        """One word that looks."""
        word, on, theme = self.cells.rows[i], i == self.looked, self.sheet.theme
        self.sheet.text(
            self.left - 8,
            (i + 0.5) * self.row,
            cut(word.text, self.left - 8, self.size, on),
            size=self.size,
            bold=on,
            anchor="end",
            colour=self.colour if on else theme.mute if word.special else theme.ink,
        )

    def seen(self, j: int) -> None:
        """One word that is looked at: its bar, its arc, itself and its figure."""
        weight, theme = float(self.cells.values[self.looked, j]), self.sheet.theme
        word, y, bold = self.cells.columns[j], (j + 0.5) * self.row, weight > 0.3
        bar = (self.right, j * self.row + 2, self.full * weight, self.row - 4)
        self.sheet.rect(*bar, self.colour, fill_opacity=theme.shade, rx=4)
        if weight >= ARC_LEAST:
            opacity = round(min(1, 0.14 + 1.6 * weight), 3)
            curve = self.arc(self.looked, j)
            self._arcs("path", None, d=curve, stroke_width=1 + 5 * weight, opacity=opacity)
        self.sheet.text(
            self.right + 8,
            y,
            cut(word.text, self.full - 8, self.size, bold),
            size=self.size,
            bold=bold,
            colour=theme.mute if word.special else theme.ink,
            opacity=0.3 if self.cells.blank[self.looked, j] else None,
        )
        if weight >= _SMALLEST_FIGURE:
            size, end = 12 if self.size > 12 else 11, self.right + self.full + 40
            shown = figure(weight, False, False)
            self.sheet.text(end, y, shown, size=size, colour=theme.mute, anchor="end")


def draw(
    cells: Cells, theme: Theme, side: str, looked: int, key: int | None = None, room: float = 560
) -> Sheet:
    """The words that look, arcs, and the words looked at with the weights of row ``looked``."""
    queries, keys = cells.values.shape
    row = row_height(max(queries, keys))
    size = 14 if row >= 20 else 12
    sheet = Sheet(theme, room, row * max(queries, keys))
    left = min(0.26 * room, max(width(word.text, size, True) for word in cells.rows) + 10)
    arcs = min(0.4 * room, 190)
    full = room - left - arcs - 44
    plan = _Plan(sheet, cells, theme.of(side), looked, row, size, left, arcs, full)
    plan.faint()
    for j in range(keys):
        plan.seen(j)
    for i in range(queries):
        plan.look(i)
    if cells.apart[looked].any():
        sheet.hatch(plan.right, 0, room - plan.right, sheet.height)
    if key is not None:
        box = {"x": plan.right, "y": key * row + 1, "width": room - plan.right, "height": row - 2}
        sheet.put("rect", **box, rx=4, fill="none", stroke=theme.ink, stroke_width=1.2)
    return sheet


def listed(cells: Cells, theme: Theme, side: str, looked: int, room: float = 330) -> Sheet:
    """Of a long text: the looked-from word, and the words that it looks at most."""
    row, colour = 21, theme.of(side)
    weights = np.where(cells.blank[looked], -1, cells.values[looked])
    order = np.argsort(-weights, kind="stable")[:LIST]
    order = order[weights[order] >= _SMALLEST_FIGURE]
    sheet = Sheet(theme, room, row * (len(order) + 1) + 8)
    sheet.text(0, 8, "from", size=12, colour=theme.mute)
    word = cut(cells.rows[looked].text, room - 120, 14, True)
    sheet.text(34, 8, word, size=14, bold=True, colour=colour)
    sheet.text(room, 8, f"position {looked}", size=11, colour=theme.mute, anchor="end")
    for at, j in enumerate(order, start=1):
        weight, y = float(weights[j]), at * row + 14
        sheet.rect(
            0,
            y - row / 2 + 2,
            (room - 90) * weight,
            row - 4,
            colour,
            fill_opacity=theme.shade,
            rx=4,
        )
        sheet.text(8, y, cut(cells.columns[j].text, room - 108, 14), size=14)
        sheet.text(room - 46, y, figure(weight, False, False), size=12, anchor="end")
        sheet.text(room, y, str(int(j)), size=11, colour=theme.mute, anchor="end")
    return sheet


def row_sum(values: np.ndarray, name: str, word: str, sink: bool) -> str:
    """What the looked-from row adds up to, as a sentence."""
    total = float(values.astype(np.float64).sum())
    if total == 0:
        return f"{name}: {word} sees nothing, every word is masked."
    rest = 1 - total
    if rest <= 0.005:
        return ""
    taken = f"; the sink takes {rest:.2f}" if sink else ""
    return f"{name}: the row of {word} adds up to {total:.2f}{taken}."


def names(words: Sequence[Any], most: int = 4) -> str:
    """A few words in a sentence, and how many more there are."""
    shown = ", ".join(str(word) for word in words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"

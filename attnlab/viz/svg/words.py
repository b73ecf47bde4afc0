"""One head in words: where one word looks, as arcs, bars and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz.svg.axes import Cells
from attnlab.viz.svg.matrix import figure
from attnlab.viz.svg.sheet import Sheet, Theme, number
from attnlab.viz.svg.text import cut, width

ARC_LEAST, FAINT_ARC_LEAST, FAINT_ARCS_UP_TO = 0.01, 0.03, 96  # weights; tokens
LIST = 12  # of a long text, so many of the words most looked at are named
_SMALLEST_FIGURE = 0.005


def row_height(count: int) -> int:
    """Height of one word's row, as on the page."""
    return 25 if count <= 26 else 21 if count <= 40 else 18 if count <= 50 else 16


def _arc(i: int, j: int, row: float, wide: float) -> str:
    """The curve from word i on the left to word j on the right."""
    y0, y1 = number((i + 0.5) * row), number((j + 0.5) * row)
    return f"M0 {y0}C{number(wide * 0.45)} {y0} {number(wide * 0.55)} {y1} {number(wide)} {y1}"


def draw(
    cells: Cells, theme: Theme, side: str, looked: int, key: int | None = None, room: float = 560
) -> Sheet:
    """The words that look, arcs, and the words looked at with the weights of row `looked`."""
    queries, keys = cells.values.shape
    row, colour = row_height(max(queries, keys)), theme.of(side)
    size = 14 if row >= 20 else 12
    left = min(0.26 * room, max(width(word.text, size, True) for word in cells.rows) + 10)
    arcs = min(0.4 * room, 190)
    right, full = left + arcs, room - left - arcs - 44
    sheet = Sheet(theme, room, row * max(queries, keys))
    _faint(sheet, cells, colour, row, left, arcs)
    for j, weight in enumerate(cells.values[looked]):
        _key(sheet, cells, j, float(weight), looked, colour, row, (left, arcs, right, full), size)
    for i, word in enumerate(cells.rows):
        sheet.text(
            left - 8,
            (i + 0.5) * row,
            cut(word.text, left - 8, size, i == looked),
            size=size,
            bold=i == looked,
            anchor="end",
            colour=colour if i == looked else theme.mute if word.special else theme.ink,
        )
    if cells.apart[looked].any():
        sheet.hatch(right, 0, room - right, sheet.height)
    if key is not None:
        sheet.put(
            "rect",
            x=right,
            y=key * row + 1,
            width=room - right,
            height=row - 2,
            rx=4,
            fill="none",
            stroke=theme.ink,
            stroke_width=1.2,
        )
    return sheet


def _faint(sheet: Sheet, cells: Cells, colour: str, row: float, left: float, arcs: float) -> None:
    """Every arc, behind those of the looked-from word."""
    if max(cells.values.shape) > FAINT_ARCS_UP_TO:
        return
    opacity = 0.09 if sheet.theme.paper < "#8" else 0.07
    paths = "".join(
        f'<path d="{_arc(i, j, row, arcs)}" stroke-width="{number(0.5 + 5 * weight)}"/>'
        for (i, j), weight in np.ndenumerate(cells.values)
        if weight >= FAINT_ARC_LEAST and not cells.blank[i, j]
    )
    sheet.put(
        "g",
        paths,
        fill="none",
        stroke=colour,
        stroke_opacity=opacity,
        transform=f"translate({number(left)} 0)",
    )


def _key(
    sheet: Sheet,
    cells: Cells,
    j: int,
    weight: float,
    looked: int,
    colour: str,
    row: float,
    places: tuple[float, float, float, float],
    size: float,
) -> None:
    """One word that is looked at: its arc, its bar, itself and its figure."""
    left, arcs, right, full = places
    theme, word, y = sheet.theme, cells.columns[j], (j + 0.5) * row
    future = bool(cells.blank[looked, j])
    sheet.rect(right, j * row + 2, full * weight, row - 4, colour, fill_opacity=theme.shade, rx=4)
    if weight >= ARC_LEAST:
        sheet.put(
            "path",
            d=_arc(looked, j, row, arcs),
            fill="none",
            stroke=colour,
            stroke_width=1 + 5 * weight,
            opacity=round(min(1, 0.14 + 1.6 * weight), 3),
            transform=f"translate({number(left)} 0)",
        )
    bold = weight > 0.3
    sheet.text(
        right + 8,
        y,
        cut(word.text, full - 8, size, bold),
        size=size,
        bold=bold,
        colour=theme.mute if word.special else theme.ink,
        opacity=0.3 if future else None,
    )
    if weight >= _SMALLEST_FIGURE:
        sheet.text(
            right + full + 40,
            y,
            figure(weight, False, False),
            size=12 if size > 12 else 11,
            colour=theme.mute,
            anchor="end",
        )


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

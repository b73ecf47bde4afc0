"""The picture of one step of a worked example: its matrices and the signs between them."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

from attnlab.viz.steps import Figures, Line, View, scenes, title
from attnlab.viz.svg import ink
from attnlab.viz.svg.frame import Caption, framed
from attnlab.viz.svg.sheet import Sheet, Theme, theme_of
from attnlab.viz.svg.text import cut, width
from attnlab.viz.tokens import label

_CELL, _TALL, _GAP = 50, 28, 2  # units: a cell and what is between two of them
_NAMES, _HEAD = 86, 40  # room for the names of rows, and for the title and the names of columns
_BETWEEN = 16
_FIGURES = 5  # digits that a cell has room for


def steps(figures: Figures, step: str, *, caption: Caption, dark: bool = False) -> str:
    """The SVG of one step.

    Raises:
        KeyError: there is no such step.
    """
    theme = theme_of(dark)
    lines = scenes(figures)[step]
    drawn = [_line(figures, line, theme) for line in lines] or [_words(figures, theme)]
    sheet = Sheet(theme, max(one.width for one in drawn))
    for one in drawn:
        sheet.place(0, sheet.height, one)
        sheet.height += one.height + 18
    sheet.height -= 18
    return framed(sheet, caption)


def _words(figures: Figures, theme: Theme) -> Sheet:
    """The tokens, before they are numbers."""
    sheet = Sheet(theme, 0, 40)
    for word in figures.names.tokens:
        token = label({"text": word})
        wide = width(token, 18) + 28
        sheet.rect(sheet.width, 0, wide, 40, theme.tile, rx=9)
        sheet.text(sheet.width + wide / 2, 20, token, size=18, anchor="middle")
        sheet.width += wide + 10
    return sheet


def _line(figures: Figures, line: Line, theme: Theme) -> Sheet:
    """Matrices from left to right, their middles at one height."""
    sheet = Sheet(theme)
    parts = [part if isinstance(part, str) else _matrix(figures, part, theme) for part in line]
    sheet.height = max(part.height for part in parts if isinstance(part, Sheet))
    for part in parts:
        if isinstance(part, Sheet):
            sheet.place(sheet.width, (sheet.height - part.height) / 2, part)
            sheet.width += part.width + _BETWEEN
        elif part != "beside":
            middle = (sheet.height + _HEAD) / 2
            sheet.text(sheet.width, middle, part, size=15, colour=theme.mute)
            sheet.width += width(part, 15) + _BETWEEN
    return sheet


def _matrix(figures: Figures, view: View, theme: Theme) -> Sheet:
    """A titled grid of numbers; weights are shaded by how large they are."""
    numbers, (rows, columns) = figures.block(view), figures.labels(view)
    if view.flip:
        numbers, rows, columns = numbers.T, columns, rows
    wide, tall = _CELL + _GAP, _TALL + _GAP
    sheet = Sheet(theme, _NAMES + len(columns) * wide, _HEAD + len(rows) * tall)
    sheet.text(0, 8, title(view, figures), bold=True)
    for j, name in enumerate(columns):
        place = _NAMES + j * wide + _CELL / 2
        sheet.text(place, 30, cut(name, _CELL, 11), size=11, colour=theme.mute, anchor="middle")
    for i, name in enumerate(rows):
        y = _HEAD + i * tall
        named = cut(name, _NAMES - 8, 11.5)
        sheet.text(_NAMES - 8, y + _TALL / 2, named, size=11.5, colour=theme.mute, anchor="end")
        for j, value in enumerate(numbers[i].tolist()):
            written = figure(value, typed=view.matrix in figures.plain)
            shade = value if view.matrix == "weights" else None
            _cell(sheet, _NAMES + j * wide, y, written, shade)
    return sheet


def _cell(sheet: Sheet, x: float, y: float, written: str, shade: float | None) -> None:
    theme = sheet.theme
    sheet.rect(x, y, _CELL, _TALL, theme.tile, rx=5)
    colour = theme.ink
    if shade is not None:
        strength = min(1.0, shade * ink.GAIN)
        sheet.rect(x, y, _CELL, _TALL, theme.ink, rx=5, opacity=strength)
        colour = theme.paper if strength > 0.45 else theme.ink
    sheet.text(x + _CELL / 2, y + _TALL / 2, written, size=12.5, colour=colour, anchor="middle")


def figure(value: float, *, typed: bool = False) -> str:
    """A number as a cell of the page has it; the twin of ``compact`` in ``components/numerals.js``.

    Five digits at most: what was typed keeps four decimals, without idle zeros; what was computed
    has two.
    """
    if math.isinf(value):
        return "−∞"
    size = abs(value)
    if size >= 10**_FIGURES:
        figures, power = f"{value:.1e}".split("e")
        return f"{figures}e{int(power)}".replace("-", "−")
    digits = min(4 if typed else 2, _FIGURES - len(str(math.floor(size))))
    # As toFixed rounds: half away from zero.
    text = f"{Decimal(size).quantize(Decimal(10) ** -digits, ROUND_HALF_UP):f}"
    text = text.rstrip("0").rstrip(".") if typed and "." in text else text
    return f"−{text}" if value < 0 and float(text) else text

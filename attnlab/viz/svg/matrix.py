"""One head as a matrix: a row for each word that looks, a column for each looked at."""

from __future__ import annotations

import math

import numpy as np

from attnlab.viz.svg import ink
from attnlab.viz.svg.axes import Cells, Label
from attnlab.viz.svg.sheet import Sheet, Theme, number
from attnlab.viz.svg.text import cut, width

# Sizes in units of the picture; the twin of MATRIX in ``viz/components/matrix.js``.
MOST, FIGURES, WRITTEN, LABEL, GAP, START = 38, 17, 12, 96, 7, 0.55
TILT = math.pi / 3.4
SHAPES_UP_TO = 64  # a side; longer maps are drawn as an image
IMAGE_SIDE = 1024  # pixels of such an image, and _LONG units: two pixels each
_LONG = 512
_TICKS = 12


def draw(
    cells: Cells,
    theme: Theme,
    room: float,
    *,
    rows: bool = True,
    columns: bool = True,
    looked: int | None = None,
    figures: bool = True,
    above: float = 0,
) -> Sheet:
    """The matrix within about ``room`` units; ``rows`` and ``columns`` say which words are written.

    ``looked`` is a row to be framed; ``above`` is the least height of the words above.
    """
    if max(cells.values.shape) > SHAPES_UP_TO:
        return _long(cells, theme, looked)
    sheet = Sheet(theme)
    queries, keys = cells.values.shape
    left = words_width(cells) if rows else 1
    leans = [width(_shown(label), 12) for label in cells.columns] if columns else [0.0] * keys
    top = max(_height(leans), above) if columns else 1
    pitch = _pitch(room - left, leans)
    _cells(sheet, cells, left, top, pitch, figures)
    if rows:
        _row_words(sheet, cells.rows, left, top, pitch)
    if columns:
        _column_words(sheet, cells.columns, left, top, pitch)
    if looked is not None:
        _frame(sheet, left, top + looked * pitch, keys * pitch, pitch)
    ends = [(j + START) * pitch + lean * math.cos(TILT) + 5 for j, lean in enumerate(leans)]
    sheet.width = left + max(keys * pitch, *ends)
    sheet.height = top + queries * pitch
    return sheet


def above(cells: Cells) -> float:
    """The height of the words above the columns; 0 where none are written there."""
    if max(cells.values.shape) > SHAPES_UP_TO:
        return 0
    return _height([width(_shown(label), 12) for label in cells.columns])


def _height(leans: list[float]) -> float:
    return max(leans) * math.sin(TILT) + GAP + 6


def words_width(cells: Cells) -> float:
    """The room that the words beside the rows need."""
    return max(width(_shown(label), 12) for label in cells.rows) + GAP + 4


def image(cells: Cells, theme: Theme, side: float) -> Sheet:
    """The matrix as an image alone, ``side`` units along its longer side."""
    queries, keys = cells.values.shape
    high, wide = (side * length / max(queries, keys) for length in (queries, keys))
    sheet = Sheet(theme, wide, high)
    _ground(sheet, cells, 0, 0, wide, high)
    return sheet


def _ground(sheet: Sheet, cells: Cells, x: float, y: float, wide: float, high: float) -> None:
    """The tile, without the corner that a causal model cannot see, and the image on it."""
    corner = "" if cells.blank.any() else f"L{number(wide)} 0"
    sheet.put(
        "path",
        d=f"M0 0{corner}L{number(wide)} {number(high)}L0 {number(high)}Z",
        fill=sheet.theme.tile,
        transform=f"translate({number(x)} {number(y)})",
    )
    _hatch_runs(sheet, cells, x, y, wide / len(cells.columns), high / len(cells.rows))
    inked = np.where(cells.blank | cells.apart, 0, cells.ink)
    png = ink.image(inked, sheet.theme, IMAGE_SIDE)
    sheet.image(x, y, wide, high, png, "attention of this head")


def _hatch_runs(sheet: Sheet, cells: Cells, x: float, y: float, across: float, down: float) -> None:
    """Hatches the rows and columns of a long text that only one sentence has."""
    if not cells.change:
        return
    causal, rows, columns = bool(cells.blank.any()), len(cells.rows), len(cells.columns)
    for start, end in _runs([label.side != "" for label in cells.rows]):
        right = (start, end) if causal else (columns, columns)
        corners = [(0, start), (right[0], start), (right[1], end), (0, end)]
        _area(sheet, [(x + j * across, y + i * down) for j, i in corners])
    for start, end in _runs([label.side != "" for label in cells.columns]):
        top = (start, end) if causal else (0, 0)
        corners = [(start, top[0]), (end, top[1]), (end, rows), (start, rows)]
        _area(sheet, [(x + j * across, y + i * down) for j, i in corners])


def _runs(marked: list[bool]) -> list[tuple[int, int]]:
    """The stretches of True, as (start, end)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _area(sheet: Sheet, corners: list[tuple[float, float]]) -> None:
    points = " ".join(f"{number(round(a, 2))},{number(round(b, 2))}" for a, b in corners)
    sheet.put("polygon", points=points, fill="url(#hatch)")


def reduced(cells: Cells) -> str:
    """What was reduced in the picture of a long text, as a sentence, or ""."""
    longest = max(cells.values.shape)
    each = -(-longest // IMAGE_SIDE)
    if longest <= SHAPES_UP_TO or each == 1:
        return ""
    return f"A pixel shows the strongest of {each} × {each} cells."


def figure(value: float, change: bool, short: bool) -> str:
    """A value in a cell: "0.46", "+0.40"; without the 0 before the point where room is short."""
    text = f"{abs(value):.2f}"
    if short:
        text = "1.0" if text == "1.00" else text.removeprefix("0")
    return ("−" if value < 0 else "+") + text if change else text


def _shown(label: Label) -> str:
    return cut(label.text, LABEL, 12)


def _pitch(room: float, leans: list[float]) -> float:
    """The largest cell with which cells and slanted words fit."""
    fits = [
        (room - lean * math.cos(TILT) - 5) / (j + START) if lean else MOST
        for j, lean in enumerate(leans)
    ]
    pitch = max(4.0, min(MOST, room / len(leans), *fits))
    return math.floor(pitch * 2) / 2  # edges on whole pixels of a PNG


def _cells(
    sheet: Sheet, cells: Cells, left: float, top: float, pitch: float, figures: bool
) -> None:
    size = pitch - (1 if pitch >= 10 else 0)
    theme = sheet.theme
    for (i, j), value in np.ndenumerate(cells.values):
        if cells.blank[i, j]:
            continue
        x, y = left + j * pitch, top + i * pitch
        if cells.apart[i, j]:
            sheet.hatch(x, y, size, size)
            continue
        strength = float(cells.ink[i, j])
        sheet.rect(x, y, size, size, theme.tile)
        colour = theme.a if strength < 0 else theme.b
        if abs(strength) >= ink.FAINT:
            sheet.rect(x, y, size, size, colour, fill_opacity=round(min(1, abs(strength)), 3))
        if figures and pitch >= FIGURES and abs(value) >= 0.005:
            sheet.text(
                x + size / 2,
                y + size / 2,
                figure(float(value), cells.change, size < 32),
                size=11.5 if size >= 32 else 10 if size >= 24 else 8.5 if size >= 19 else 7.5,
                colour=ink.readable_on(colour, abs(strength), theme),
                anchor="middle",
            )


def _spans(theme: Theme, label: Label) -> list[tuple[str, str]]:
    """A label whose words differ, each in its sentence's colour; [] where it is one word or cut."""
    if label.pair is None or _shown(label) != label.text:
        return []
    return [(label.pair[0], theme.a), (" / ", theme.mute), (label.pair[1], theme.b)]


def _colour(theme: Theme, label: Label) -> str:
    return theme.of(label.side) if label.side else theme.mute if label.special else theme.ink


def _row_words(sheet: Sheet, words: list[Label], left: float, top: float, pitch: float) -> None:
    """The words beside the rows; where they would overlap, every second, third, ... is written."""
    step = max(1, math.ceil(WRITTEN / pitch))
    for i in range(0, len(words), step):
        sheet.text(
            left - GAP,
            top + (i + 0.5) * pitch,
            _shown(words[i]),
            size=12 if pitch >= 14 else 10.5,
            colour=_colour(sheet.theme, words[i]),
            spans=_spans(sheet.theme, words[i]),
            anchor="end",
        )


def _column_words(sheet: Sheet, words: list[Label], left: float, top: float, pitch: float) -> None:
    step = max(1, math.ceil(WRITTEN / pitch))
    for j in range(0, len(words), step):
        sheet.text(
            left + (j + START) * pitch,
            top - GAP + 1,
            _shown(words[j]),
            size=12 if pitch >= 14 else 10.5,
            colour=_colour(sheet.theme, words[j]),
            spans=_spans(sheet.theme, words[j]),
            turn=-math.degrees(TILT),
        )


def _frame(sheet: Sheet, left: float, y: float, wide: float, pitch: float) -> None:
    sheet.put(
        "rect",
        x=left - 1,
        y=y - 1,
        width=wide + 1,
        height=pitch + 1,
        rx=3,
        fill="none",
        stroke=sheet.theme.ink,
        stroke_width=1.5,
    )


def _long(cells: Cells, theme: Theme, looked: int | None) -> Sheet:
    """A long text: an image, and words at a few positions."""
    queries, keys = cells.values.shape
    pitch = _LONG / max(queries, keys)
    left, top = LABEL + 52.0, 58.0
    sheet = Sheet(theme, left + keys * pitch + 60, top + queries * pitch + 2)
    _ground(sheet, cells, left, top, keys * pitch, queries * pitch)
    _long_words(sheet, cells, left, top, pitch)
    if looked is not None:
        y = top + (looked + 0.5) * pitch
        sheet.put(
            "path",
            d=f"M{left - 4} {y:.1f}l-8 -4v8Z",
            fill=theme.ink,
        )
    return sheet


def _long_words(sheet: Sheet, cells: Cells, left: float, top: float, pitch: float) -> None:
    """Position and word at equal distances along both sides."""
    mute = sheet.theme.mute
    for i in _ticks(len(cells.rows), pitch):
        y = top + (i + 0.5) * pitch
        sheet.text(left - 16, y, str(i), size=11, colour=mute, anchor="end")
        colour, spans = _colour(sheet.theme, cells.rows[i]), _spans(sheet.theme, cells.rows[i])
        shown = _shown(cells.rows[i])
        sheet.text(left - 48, y, shown, size=11.5, anchor="end", colour=colour, spans=spans)
    for j in _ticks(len(cells.columns), pitch):
        x = left + (j + 0.5) * pitch
        sheet.text(
            x,
            top - 8,
            f"{j} {cut(cells.columns[j].text, 48, 11)}",
            size=11,
            colour=mute,
            turn=-math.degrees(TILT),
        )


def _ticks(count: int, pitch: float) -> range:
    """Positions at round distances, at least 20 units apart."""
    least = max(count / _TICKS, 20 / pitch)
    step = next(s for s in (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 10**9) if s >= least)
    return range(0, count, step)

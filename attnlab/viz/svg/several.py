"""The picture of up to six heads side by side, on one scale, and how alike they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.viz import pooling
from attnlab.viz.heads import short
from attnlab.viz.svg import axes, ink, matrix, words
from attnlab.viz.svg.axes import Cells
from attnlab.viz.svg.frame import Caption, Scale, framed
from attnlab.viz.svg.sheet import Sheet, Theme, theme_of
from attnlab.viz.svg.text import cut, width

ACROSS = 1200  # units
_GAP, _HEAD = 26, 28  # between the pictures; above each, for its title and note


def compare(
    heads: Sequence[tuple[int, int]],
    a: np.ndarray,
    tokens_a: Sequence[Any],
    *,
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    drawn: str = "matrices",
    similarity_a: np.ndarray | None = None,
    similarity_b: np.ndarray | None = None,
    notes: Sequence[str] = (),
    row_a: int | None = None,
    row_b: int | None = None,
    causal: bool = True,
    caption: Caption,
    dark: bool = False,
) -> str:
    """The SVG of these (layer, head) on one or both sentences: ``a``, ``b`` are [n, Q, S].

    ``drawn`` is "matrices" or "arcs" (then ``row_a``, ``row_b`` are looked from); ``notes`` say
    what each head is; ``similarity_*`` [n, n] are 1 where two heads look alike.

    Of a long text ``a`` and ``b`` may be reduced maps [n, q, s], smaller than the tokens.

    Raises:
        ValueError: counts or shapes do not fit.
    """
    if len(a) != len(heads) or (b is not None and len(b) != len(heads)) or not len(heads):
        raise ValueError(f"{len(heads)} heads, and weights of {len(a)}")
    theme, titles = theme_of(dark), [short(head) for head in heads]
    arcs = drawn == "arcs"
    sides = [_side("A", a, tokens_a, sources_a, causal, similarity_a, arcs, row_a)]
    if b is not None:
        sides.append(_side("B", b, tokens_b or [], sources_b, causal, similarity_b, arcs, row_b))
    body = Sheet(theme)
    for side in sides:
        if b is not None:
            body.text(0, body.height + 8, side.name, bold=True, size=14, colour=theme.of(side.name))
            body.height += 26
        _below(body, _rows(side, titles, notes, theme), 14)
    tables = _tables(sides, titles, theme)
    if tables.width:
        _below(body, tables, 10)
    full = f"{1 / ink.GAIN:.2f} or more"
    legend = [
        Scale(side.name.lower(), f"{side.name}: weight 0", full)
        for side in sides
        if side.looked is None
    ]
    said = [note for side in sides for note in side.notes]
    return framed(body, caption.noting(*said), legend)


@dataclass(frozen=True)
class _Side:
    """The heads on one sentence, ready to be drawn.

    ``looked`` is the word that looks, where arcs are drawn; ``pooled`` maps have no words;
    ``notes`` say what is drawn; ``similarity`` [n, n] says how alike the heads are.
    """

    name: str
    cells: Sequence[Cells]
    looked: int | None
    pooled: bool
    notes: Sequence[str]
    similarity: np.ndarray | None

    @property
    def long(self) -> bool:
        """Whether a map is drawn as an image, without words."""
        return self.pooled or max(self.cells[0].values.shape) > matrix.SHAPES_UP_TO


def _side(
    name: str,
    weights: np.ndarray,
    tokens: Sequence[Any],
    sources: Sequence[Any] | None,
    causal: bool,
    similarity: np.ndarray | None,
    arcs: bool,
    row: int | None,
) -> _Side:
    """The heads' weights [n, Q, S], or reduced maps [n, q, s], on the tokens of one sentence."""
    keys = tokens if sources is None else sources
    pooled = pooling.note(weights.shape, len(tokens), len(keys))
    if pooled:
        cells = [axes.of_reduced(head, causal and sources is None, name) for head in weights]
    else:
        cells = [axes.of_one(head, tokens, sources, causal, name) for head in weights]
    looked, word = None, ""
    if arcs and not pooled and max(len(tokens), len(keys)) <= matrix.SHAPES_UP_TO:
        looked = len(tokens) - 1 if row is None else row
        word = f"{name}: where {cells[0].rows[looked].text} looks."
    notes = (word, pooled, matrix.reduced(cells[0]))
    return _Side(name, cells, looked, bool(pooled), notes, similarity)


def _below(body: Sheet, part: Sheet, gap: float) -> None:
    """Puts a part under what is there."""
    body.place(0, body.height, part)
    body.height += part.height + gap
    body.width = max(body.width, part.width)


def _tables(sides: Sequence[_Side], titles: Sequence[str], theme: Theme) -> Sheet:
    """How alike the heads are on each sentence, the tables side by side."""
    body = Sheet(theme)
    for side in sides:
        if side.similarity is None or len(titles) < 2:
            continue
        table = _similarity(side.similarity, titles, theme, side.name)
        left = body.width + 50 if body.width else 0
        body.place(left, 0, table)
        body.width, body.height = left + table.width, table.height
    return body


def _rows(side: _Side, titles: Sequence[str], notes: Sequence[str], theme: Theme) -> Sheet:
    """All heads of one sentence, in rows; the words stand beside the first matrix of each."""
    arcs, cells, count = side.looked is not None, side.cells, len(side.cells)
    across = count if count <= 3 or (count == 4 and not arcs) else -(-count // 2)
    words_left = 0 if arcs or side.long else matrix.words_width(cells[0])
    room = min(560 if arcs else 420, (ACROSS - words_left - (across - 1) * _GAP) / across)
    sheet = Sheet(theme)
    for start in range(0, count, across):
        x, tallest = 0.0, 0.0
        for at in range(start, min(start + across, count)):
            first = at == start
            if arcs:
                part = words.draw(cells[at], theme, side.name, side.looked, room=room)
            elif side.long:
                part = matrix.image(cells[at], theme, room)
            else:
                wide = room + words_left if first else room
                part = matrix.draw(cells[at], theme, wide, rows=first, figures=room > 380)
            _headed(sheet, x, sheet.height, part, titles[at], notes[at] if at < len(notes) else "")
            x += part.width + _GAP
            tallest = max(tallest, part.height)
        sheet.width = max(sheet.width, x - _GAP)
        sheet.height += tallest + _HEAD + 12
    return sheet


def _headed(sheet: Sheet, x: float, y: float, part: Sheet, title: str, note: str) -> None:
    """One head's picture under its name and what it is known for."""
    beside = width(title, 13, True) + 10
    sheet.text(x, y + 8, title, bold=True)
    if note:
        shown = cut(note, part.width - beside, 12)
        sheet.text(x + beside, y + 8, shown, size=12, colour=sheet.theme.mute)
    sheet.place(x, y + _HEAD, part)


def _similarity(table: np.ndarray, titles: Sequence[str], theme: Theme, side: str) -> Sheet:
    """How alike each two heads are: figures on ink."""
    left, size, top = 74, 46, 42
    sheet = Sheet(theme, left + size * len(titles), top + 24 * len(titles))
    sheet.text(0, 8, f"How alike on {side}, from 0 to 1", size=12, colour=theme.mute)
    for at, title in enumerate(titles):
        sheet.text(left + (at + 0.5) * size, 30, title, size=11.5, anchor="middle")
        sheet.text(left - 8, top + at * 24 + 11, title, size=11.5, anchor="end")
    for (i, j), value in np.ndenumerate(table):
        x, y, share = left + j * size, top + i * 24, float(min(max(value, 0), 1))
        sheet.rect(x, y, size - 1, 23, theme.tile)
        if i != j:
            sheet.rect(x, y, size - 1, 23, theme.of(side), fill_opacity=round(0.85 * share, 3))
        colour = theme.mute if i == j else ink.readable_on(theme.of(side), 0.85 * share, theme)
        sheet.text(
            x + size / 2, y + 11.5, f"{value:.2f}", size=11.5, anchor="middle", colour=colour
        )
    return sheet

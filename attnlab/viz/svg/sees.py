"""The picture of who may see whom: a table for each kind of transformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz.sees import Sight, check
from attnlab.viz.svg import matrix
from attnlab.viz.svg.axes import Cells, labels
from attnlab.viz.svg.frame import Caption, Key, framed
from attnlab.viz.svg.sheet import Sheet, Theme, theme_of
from attnlab.viz.svg.text import wrapped

_WIDE, _GAP = 380, 34  # units of a table, and between two
_SEEN = -0.55  # ink in A's colour, as in components/sees.js
_ABOUT_LINES = 3


def sees(
    sights: Sequence[Sight],
    tokens: Sequence[Any],
    written: Sequence[Any] = (),
    *,
    row: int = 0,
    caption: Caption,
    dark: bool = False,
) -> str:
    """The SVG; arguments as in :func:`attnlab.viz.sees.sees_payload`.

    Raises:
        ValueError: a table does not fit the words.
    """
    check(sights, len(tokens), len(written))
    theme, body = theme_of(dark), Sheet(theme_of(dark))
    parts = [_one(sight, tokens, written, row, theme) for sight in sights]
    for number, part in enumerate(parts):
        across = number % 2
        body.place(across * (_WIDE + _GAP), body.height, part)
        if across or number == len(parts) - 1:
            pair = parts[number - across : number + 1]
            body.height += max(one.height for one in pair) + _GAP
    body.width = max(_WIDE * min(2, len(parts)) + _GAP, *(part.width for part in parts))
    legend = [Key(theme.a, "may be looked at")]
    return framed(body, caption, legend)


def _one(
    sight: Sight, tokens: Sequence[Any], written: Sequence[Any], row: int, theme: Theme
) -> Sheet:
    """One table under its title."""
    words = labels([*tokens, *written] if sight.joins(len(tokens)) else tokens)
    ink = np.where(sight.seen, _SEEN, 0.0)
    nothing = np.zeros(sight.seen.shape, bool)
    cells = Cells(sight.seen.astype(float), ink, ~sight.seen, nothing, words, words)
    sheet, y = Sheet(theme, _WIDE), 34.0
    sheet.text(0, 10, sight.title, size=14, bold=True)
    for line in wrapped(sight.about, _WIDE, 11.5, _ABOUT_LINES):
        sheet.text(0, y - 4, line, size=11.5, colour=theme.mute)
        y += 16
    y += 16 * (_ABOUT_LINES - len(wrapped(sight.about, _WIDE, 11.5, _ABOUT_LINES)))
    table = matrix.draw(cells, theme, _WIDE, looked=row, figures=False)
    sheet.place(0, y, table)
    sheet.height = y + table.height
    return sheet

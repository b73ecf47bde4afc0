"""The picture of one head: words with arcs, a matrix, or B − A."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attnlab.viz.head import follow, settle_row
from attnlab.viz.svg import axes, matrix, words
from attnlab.viz.svg.axes import Cells
from attnlab.viz.svg.frame import Caption, Key, Scale, framed
from attnlab.viz.svg.ink import GAIN
from attnlab.viz.svg.sheet import Sheet, Theme, theme_of

WIDE, GAP = 560, 36  # units of one side in words, and between the sides
_MATRIX_ROOM = 720


def head(
    a: np.ndarray,
    tokens_a: Sequence[Any],
    *,
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    mode: str = "words",
    row_a: int | None = None,
    row_b: int | None = None,
    key_position: int | None = None,
    side: str = "B",
    causal: bool = True,
    sink: bool = False,
    edited: str = "",
    forgets: Mapping[str, tuple[int, int]] | None = None,
    caption: Caption,
    dark: bool = False,
) -> str:
    """The SVG of one head's weights [Q, S]; arguments as in :func:`attnlab.viz.head.head_payload`.

    ``key_position`` is a pinned key word of sentence ``side``.

    Raises:
        ValueError: a shape, the mode or a row does not fit.
    """
    if mode not in ("words", "matrix", "difference") or (mode == "difference" and b is None):
        raise ValueError(f"mode {mode!r} needs to be words, matrix or difference (of A and B)")
    theme = theme_of(dark)
    theme = replace(theme, **dict.fromkeys(edited, theme.edit))
    if mode == "difference":
        cells = axes.of_change(a, b, tokens_a, tokens_b or [], sources_a, sources_b, causal)
        return _difference(cells, theme, caption)
    kept = dict(forgets or {})
    of_a = axes.of_one(a, tokens_a, sources_a, causal, "a", kept.get("a"))
    row_a = settle_row(row_a, len(tokens_a))
    sides = {"A": (of_a, row_a)}
    if b is not None:
        tokens_b = tokens_b or []
        row_b = follow(row_a, tokens_a, tokens_b) if row_b is None else row_b
        of_b = axes.of_one(b, tokens_b, sources_b, causal, "b", kept.get("b"))
        sides["B"] = (of_b, settle_row(row_b, len(tokens_b)))
    pinned = {} if key_position is None else {"A" if b is None else side: key_position}
    body, notes = _beside(sides, theme, pinned, mode)
    for name, (cells, looked) in sides.items():
        notes.append(words.row_sum(cells.values[looked], name, cells.rows[looked].text, sink))
    legend = [_scale(name) for name in sides] if mode == "matrix" or _is_long(sides) else []
    return framed(body, caption.noting(*dict.fromkeys(notes)), legend)


def _beside(
    sides: dict[str, tuple[Cells, int]], theme: Theme, pinned: dict[str, int], mode: str
) -> tuple[Sheet, list[str]]:
    """The sides beside each other, their first rows at one height; and what is said of each."""
    body, notes = Sheet(theme), []
    above = max(matrix.above(cells) for cells, _ in sides.values())
    for name, (cells, looked) in sides.items():
        part, note = _side(cells, theme, name, looked, pinned.get(name), mode, above)
        body.place(body.width + (GAP if body.width else 0), 0, part)
        body.width += part.width + (GAP if body.width else 0)
        body.height = max(body.height, part.height)
        notes.append(note)
    return body, notes


def _is_long(sides: dict[str, tuple[Cells, int]]) -> bool:
    return any(max(cells.values.shape) > matrix.SHAPES_UP_TO for cells, _ in sides.values())


def _scale(side: str) -> Scale:
    return Scale(side.lower(), f"{side}: weight 0", f"{1 / GAIN:.2f} or more")


def _side(
    cells: Cells,
    theme: Theme,
    name: str,
    looked: int,
    key: int | None,
    mode: str,
    above: float,
) -> tuple[Sheet, str]:
    """The drawing of one sentence, and a note on what it reduces; ``above``: the least height of a
    matrix' headings."""
    if max(cells.values.shape) <= matrix.SHAPES_UP_TO:
        if mode == "words":
            word = (
                f"{name}: where {cells.rows[looked].text} looks; the arcs of other words are faint."
            )
            return words.draw(cells, theme, name, looked, key, WIDE), word
        return matrix.draw(cells, theme, _MATRIX_ROOM, looked=looked, above=above), ""
    picture = matrix.draw(cells, theme, _MATRIX_ROOM, looked=looked)
    length = f"{len(cells.rows):,}"
    notes = [f"{name} has {length} tokens and is drawn as an image.", matrix.reduced(cells)]
    if mode == "words":
        below = words.listed(cells, theme, name, looked, picture.width - 60)
        picture.place(30, picture.height + 16, below)
        picture.height += below.height + 16
        notes.append(f"Named below: where {cells.rows[looked].text} (position {looked}) looks.")
    return picture, " ".join(filter(None, notes))


def _difference(cells: Cells, theme: Theme, caption: Caption) -> str:
    """B − A over the words of both sentences."""
    room = _MATRIX_ROOM + 200 if max(cells.values.shape) > 24 else _MATRIX_ROOM
    body = matrix.draw(cells, theme, room)
    full = f"{cells.full:.2f}"
    legend: list[Scale | Key] = [Scale("d", f"{full} more in A", f"{full} more in B")]
    if cells.apart.any():
        legend.append(Key("hatch", "no counterpart"))
    notes = [_only(cells, "a"), _only(cells, "b"), matrix.reduced(cells)]
    if (cells.values == 0).all():
        notes.append("Nothing differs.")
    return framed(body, caption.noting(*notes), legend)


def _only(cells: Cells, side: str) -> str:
    """The words that one sentence alone has."""
    found = [label.text for label in cells.columns if label.side == side]
    return f"Only in {side.upper()}: {words.names(found)}." if found else ""

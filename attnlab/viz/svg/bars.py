"""Pictures of single figures: effects as paired bars, an encoder's shifts, ranked heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attnlab.viz.bars import digits_of
from attnlab.viz.heads import short
from attnlab.viz.ranks import largest
from attnlab.viz.svg.frame import Caption, Key, framed
from attnlab.viz.svg.sheet import Sheet, Theme, theme_of
from attnlab.viz.svg.text import cut, spoken

_NAME, _TRACK, _FIGURES = 130, 320, 110  # units: room for the name, the bar and its figures


def _name(token: Any) -> str:
    return token if isinstance(token, str) else spoken(token)


def bars(
    rows: Sequence[tuple[Any, float, float]],
    *,
    names: tuple[str, str] = ("as trained", "without the head"),
    caption: Caption,
    dark: bool = False,
) -> str:
    """The SVG of probabilities before and after an edit: (token or string, before, after)."""
    theme, pitch = theme_of(dark), 34
    sheet = Sheet(theme, _NAME + _TRACK + _FIGURES, pitch * len(rows))
    digits = digits_of([value for _, *both in rows for value in both])
    for at, (token, *both) in enumerate(rows):
        y = at * pitch
        sheet.text(0, y + 14, cut(_name(token), _NAME - 10, 14), size=14)
        for place, (value, colour) in enumerate(zip(both, (theme.ink, theme.edit), strict=True)):
            top = y + 3 + 12 * place
            sheet.rect(_NAME, top, _TRACK, 9, theme.tile, rx=4.5)
            _bar(sheet, top, min(1, value), colour)
        figures = " → ".join(f"{value:.{digits}f}" for value in both)
        sheet.text(_NAME + _TRACK + 12, y + 14, figures, size=12, colour=theme.mute)
    legend = [Key(theme.ink, names[0]), Key(theme.edit, names[1])]
    return framed(sheet, caption.noting("Bars run from 0 to 1."), legend)


def _bar(sheet: Sheet, top: float, share: float, colour: str) -> None:
    wide = max(1, _TRACK * share)
    sheet.rect(_NAME, top, wide, 9, colour, rx=min(4.5, wide / 2))


def shifts(
    rows: Sequence[tuple[Any, float]], *, caption: Caption, dark: bool = False, most: int = 64
) -> str:
    """The SVG of how far an edit moves each token of an encoder: (token, cosine distance)."""
    theme, pitch, full = theme_of(dark), 21, max((value for _, value in rows), default=0) or 1
    shown = sorted(range(len(rows)), key=lambda at: -rows[at][1])[:most]
    sheet = Sheet(theme, _NAME + _TRACK + _FIGURES, pitch * len(shown))
    for line, at in enumerate(sorted(shown)):
        token, value = rows[at]
        y = line * pitch
        sheet.text(0, y + 10, cut(_name(token), _NAME - 10, 13))
        sheet.rect(_NAME, y + 5, _TRACK, 9, theme.tile, rx=4.5)
        _bar(sheet, y + 5, value / full, theme.edit)
        sheet.text(_NAME + _TRACK + 12, y + 10, f"{value:.4f}", size=12, colour=theme.mute)
    note = f"The longest bar is {full:.4f}; cosine distances, from 0 to 2."
    cutoff = f"The {most} of {len(rows)} tokens that move most." if len(rows) > most else ""
    return framed(sheet, caption.noting(note, cutoff))


def ranks(
    columns: Sequence[tuple[str, str, Sequence[tuple[int, int, float]]]],
    *,
    selected: tuple[int, int] | None = None,
    caption: Caption,
    dark: bool = False,
) -> str:
    """The SVG of ranked heads: columns of (title, "a", "b" or "d", [(layer, head, value)])."""
    theme, wide, gap, pitch = theme_of(dark), 270, 40, 26
    most = max((len(rows) for *_, rows in columns), default=0)
    sheet = Sheet(theme, len(columns) * (wide + gap) - gap, 30 + most * pitch)
    full = largest(columns)
    for at, (title, kind, rows) in enumerate(columns):
        part = _ranked(title, kind, rows, theme, wide, pitch, full, selected)
        sheet.place(at * (wide + gap), 0, part)
    note = f"The longest bar is {_ranked_figure(full, full)}; all columns share one scale."
    return framed(sheet, caption.noting(note))


def _ranked(
    title: str,
    kind: str,
    rows: Sequence[tuple[int, int, float]],
    theme: Theme,
    wide: float,
    pitch: float,
    full: float,
    selected: tuple[int, int] | None,
) -> Sheet:
    sheet = Sheet(theme, wide, 30 + len(rows) * pitch)
    sheet.text(0, 8, cut(title, wide, 13, True), bold=True, colour=_ranked_colour(theme, kind))
    for at, (layer, head, value) in enumerate(rows):
        y, bold = 30 + at * pitch, (layer, head) == selected
        colour = (
            theme.a if kind == "d" and value < 0 else theme.b if kind == "d" else theme.of(kind)
        )
        sheet.text(14, y + 10, f"{at + 1}", size=11, colour=theme.mute, anchor="end")
        sheet.text(22, y + 10, short((layer, head)), bold=bold)
        sheet.rect(96, y + 4, wide - 144, 12, theme.tile, rx=4)
        sheet.rect(96, y + 4, max(1, (wide - 144) * abs(value) / (full or 1)), 12, colour, rx=4)
        figure = _ranked_figure(value, full, kind == "d")
        sheet.text(wide - 40, y + 10, figure, size=12, colour=theme.mute, bold=bold)
    return sheet


def _ranked_figure(value: float, full: float, sign: bool = False) -> str:
    """A value as the page writes it: small ones keep two figures."""
    text = f"{abs(value):.{digits_of([full])}f}"
    if float(text) == 0:
        return "0"
    return ("−" if value < 0 else "+" if sign else "") + text


def _ranked_colour(theme: Theme, kind: str) -> str:
    return theme.ink if kind == "d" else theme.of(kind)

"""Shares of a whole as stacked bars, each with its figures below."""

from __future__ import annotations

from collections.abc import Sequence

from attnlab.viz.blocks import WIDE, ink_on
from attnlab.viz.diagram import Diagram

Share = tuple[str, str, int]
"""What it is, its colour in ``diagram.KINDS``, and how many."""

_BAR, _ROW, _LEAST = 32, 22, 46  # heights, and the narrowest piece that holds its percentage


def shares(bars: Sequence[tuple[str, Sequence[Share]]], label: str = "") -> Diagram:
    """A bar for each (title, shares); every bar is as long as its whole.

    Raises:
        ValueError: a whole is nothing.
    """
    drawn, y = Diagram(WIDE, label=label), 0.0
    for title, parts in bars:
        whole = sum(count for *_, count in parts)
        if whole < 1:
            raise ValueError(f"{title!r} has no parts")
        drawn.words(0, y + 8, title, bold=True)
        drawn.words(WIDE, y + 8, f"{whole:,}", kind="mute", anchor="end")
        _bar(drawn, y + 24, parts, whole)
        y += 24 + _BAR + 8
        for name, kind, count in parts:
            _row(drawn, y, name, kind, count, whole)
            y += _ROW
        y += 20
    drawn.height = y - 12
    return drawn


def percent(count: int, whole: int) -> str:
    """A share in whole percent; a small one is not written as nothing."""
    share = 100 * count / whole
    return f"{share:.0f}%" if share >= 1 or not count else f"{share:.2g}%"


def _bar(drawn: Diagram, y: float, parts: Sequence[Share], whole: int) -> None:
    x = 0.0
    for name, kind, count in parts:
        wide = WIDE * count / whole
        drawn.box(x, y, max(wide - 1.5, 0.75), _BAR, kind, radius=4)
        if wide >= _LEAST:
            written = percent(count, whole)
            ink = ink_on(kind)
            drawn.words(x + wide / 2, y + _BAR / 2, written, kind=ink, bold=True, anchor="middle")
        drawn.spot(x, y, max(wide, 3), _BAR, name, f"{count:,} of {whole:,} parameters")
        x += wide


def _row(drawn: Diagram, y: float, name: str, kind: str, count: int, whole: int) -> None:
    drawn.box(0, y + 3, 11, 11, kind, radius=3)
    drawn.words(18, y + 9, name, size=12.5)
    drawn.words(WIDE - 62, y + 9, f"{count:,}", size=12.5, anchor="end")
    drawn.words(WIDE, y + 9, percent(count, whole), size=12.5, kind="mute", anchor="end")

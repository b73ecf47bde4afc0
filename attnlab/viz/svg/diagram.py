"""A diagram as an SVG file: the same shapes that the browser draws."""

from __future__ import annotations

from math import atan2, degrees

from attnlab.viz.diagram import KINDS, LEVELS, Diagram
from attnlab.viz.svg.frame import Caption, framed
from attnlab.viz.svg.sheet import Sheet, number, theme_of


def diagram(drawn: Diagram, *, caption: Caption, dark: bool = False) -> str:
    """The SVG of a diagram with its caption."""
    sheet = Sheet(theme_of(dark), drawn.width, drawn.height)
    colours = {name: both[dark] for name, both in KINDS.items()} | {"": "none"}
    for kind, *shape in drawn.shapes:
        _DRAW[kind](sheet, colours, *shape)
    return framed(sheet, caption)


def _box(
    sheet: Sheet,
    colours: dict[str, str],
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    edge: str,
    radius: float,
) -> None:
    stroke = {"stroke": colours[edge], "stroke_width": 1.25} if edge else {}
    sheet.rect(x, y, width, height, colours[fill], rx=min(radius, width / 2, height / 2), **stroke)


def _line(
    sheet: Sheet,
    colours: dict[str, str],
    flat: list[float],
    kind: str,
    width: float,
    arrow: bool,
    dashed: bool,
) -> None:
    points = list(zip(flat[::2], flat[1::2], strict=True))
    path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
    dash = "5 4" if dashed else None
    sheet.put(
        "path", d=path, fill="none", stroke=colours[kind], stroke_width=width, stroke_dasharray=dash
    )
    if arrow:
        (x0, y0), (x1, y1) = points[-2:]
        turn = (
            f"translate({number(x1)} {number(y1)}) rotate({degrees(atan2(y1 - y0, x1 - x0)):.1f})"
        )
        sheet.put("path", d="M0 0L-7 -3.5L-7 3.5Z", fill=colours[kind], transform=turn)


def _area(
    sheet: Sheet, colours: dict[str, str], flat: list[float], kind: str, strength: float
) -> None:
    points = zip(flat[::2], flat[1::2], strict=True)
    path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "Z"
    sheet.put("path", d=path, fill=colours[kind], fill_opacity=strength)


def _cells(
    sheet: Sheet,
    colours: dict[str, str],
    x: float,
    y: float,
    width: float,
    height: float,
    rows: int,
    columns: int,
    levels: list[int],
    more: str,
    less: str,
) -> None:
    """One path for each strength, as in the browser."""
    paths: dict[int, list[str]] = {}
    for at, level in enumerate(levels):
        if level:
            left, top = x + width * (at % columns) / columns, y + height * (at // columns) / rows
            piece = f"M{left:.3f} {top:.3f}h{width / columns:.3f}v{height / rows:.3f}"
            paths.setdefault(level, []).append(f"{piece}h{-width / columns:.3f}z")
    for level, pieces in paths.items():
        colour = colours[more if level > 0 else less]
        strength = {"fill_opacity": abs(level) / LEVELS, "shape_rendering": "crispEdges"}
        sheet.put("path", d="".join(pieces), fill=colour, **strength)


def _words(
    sheet: Sheet,
    colours: dict[str, str],
    x: float,
    y: float,
    text: str,
    size: float,
    kind: str,
    bold: bool,
    anchor: str,
) -> None:
    sheet.text(x, y, text, size=size, colour=colours[kind], bold=bold, anchor=anchor)


_DRAW = {"box": _box, "line": _line, "area": _area, "cells": _cells, "words": _words}

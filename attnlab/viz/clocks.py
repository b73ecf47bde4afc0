"""Rotation drawn: a clock for each pair of coordinates, and one vector as it turns from place to
place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram

FROM: Final = "ink"
TO: Final = "a"
_ARC: Final = 40  # pieces of a whole turn


def clocks(
    first: Sequence[float],
    second: Sequence[float],
    names: tuple[str, str],
    *,
    across: int,
    label: str,
    wide: float = WIDE,
) -> Diagram:
    """A dial for each pair: where its hand is at two places, and the angle from one to the other.

    Args:
        first, second: radians of each pair; 0 points right and turning goes against the clock.
        names: what the two hands are.
        across: dials in a row.
    """
    size = min(wide / across, 120.0)
    drawn = Diagram(wide, 0, label)
    _legend(drawn, names)
    for at, (a, b) in enumerate(zip(first, second, strict=True)):
        x, y = (at % across + 0.5) * size, 26 + (at // across + 0.5) * size
        _dial(drawn, x, y, size / 2 - 3, a, b)
        turned = math.degrees(b - a)
        lines = [f"{name}: {_degrees(angle)}" for name, angle in zip(names, (a, b), strict=True)]
        title = f"pair {at}: {turned:,.4g}° apart"
        drawn.spot(x - size / 2, y - size / 2, size, size, title, *lines)
    drawn.height = 26 + math.ceil(len(first) / across) * size + 2
    return drawn


def _degrees(angle: float) -> str:
    return f"{math.degrees(angle) % 360:.1f}°"


def _legend(drawn: Diagram, names: tuple[str, str]) -> None:
    x = 2.0
    for name, kind in zip(names, (FROM, TO), strict=True):
        drawn.line([(x, 9), (x + 18, 9)], kind, width=2.5)
        drawn.words(x + 24, 9, name, size=12, kind="mute")
        x += 44 + 6.6 * len(name)


def _dial(drawn: Diagram, x: float, y: float, radius: float, a: float, b: float) -> None:
    drawn.box(x - radius, y - radius, 2 * radius, 2 * radius, "tile", radius=radius)
    drawn.area([(x, y), *_arc(x, y, radius, a, b)], TO, 0.22)
    thin = 1.2 if radius < 14 else 2.0
    for angle, kind in ((a, FROM), (b, TO)):
        drawn.line([(x, y), _point(x, y, radius, angle)], kind, width=thin)


def _point(x: float, y: float, radius: float, angle: float) -> tuple[float, float]:
    return x + radius * math.cos(angle), y - radius * math.sin(angle)


def _arc(x: float, y: float, radius: float, a: float, b: float) -> list[tuple[float, float]]:
    """Points on the way from angle ``a`` to ``b``, a whole turn at most."""
    by = (b - a) % (2 * math.pi) if b >= a else -((a - b) % (2 * math.pi))
    count = max(2, math.ceil(abs(by) / (2 * math.pi) * _ARC))
    return [_point(x, y, radius, a + by * at / count) for at in range(count + 1)]


def fans(
    speeds: Sequence[tuple[str, float]],
    places: Sequence[int],
    *,
    label: str,
    wide: float = WIDE,
) -> Diagram:
    """One vector of two coordinates at several positions, for pairs of several speeds.

    Args:
        speeds: what each is called, and its radians a position.
        places: positions, numbered at the ends of the arrows.
    """
    each = wide / len(speeds)
    radius = each / 2 - 20
    drawn = Diagram(wide, 2 * radius + 66, label)
    for at, (name, speed) in enumerate(speeds):
        x, y = each * (at + 0.5), radius + 22
        drawn.box(x - radius, y - radius, 2 * radius, 2 * radius, "", edge="line", radius=radius)
        for number, place in enumerate(places):
            end = _point(x, y, radius - 2, speed * place)
            kind = FROM if not number else TO
            drawn.line([(x, y), end], kind, width=2.2 if not number else 1.6, arrow=True)
            if _apart(speed, places, number):
                words = _point(x, y, radius + 10, speed * place)
                drawn.words(*words, str(place), size=11, kind="mute", anchor="middle")
        drawn.words(x, 2 * radius + 46, name, size=12, bold=True, anchor="middle")
        told = f"{math.degrees(speed):,.3g}° a token"
        drawn.words(x, 2 * radius + 62, told, size=11.5, kind="mute", anchor="middle")
        drawn.spot(
            x - radius,
            y - radius,
            2 * radius,
            2 * radius,
            name,
            told,
            f"all the way round in {2 * math.pi / speed:,.0f} tokens",
        )
    return drawn


def _apart(speed: float, places: Sequence[int], number: int) -> bool:
    """Whether a number has room: the first and the last always have, if the arrows differ."""
    if number in (0, len(places) - 1):
        return number == 0 or abs(speed * (places[number] - places[0])) > 0.18
    return abs(speed * (places[number] - places[number - 1])) > 0.3

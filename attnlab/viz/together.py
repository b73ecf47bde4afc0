"""A set of heads beside the sum of its parts, and beside random sets of as many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import plain
from attnlab.viz.svg.text import width

_ROW, _TOP, _NAMES, _BAR, _DOT = 30.0, 8.0, 132.0, 14.0, 7.0
_SIZE: Final = 12.5


def together(
    effect: float,
    singles: Sequence[tuple[str, float]],
    random: Sequence[float],
    *,
    unit: str = "nats",
    write: Callable[[float], str] = plain,
    wide: float = 520,
    others: str = "",
) -> Diagram:
    """Rows on one scale: all at once, each alone one after the other, random sets if any.

    Args:
        singles: of each head, its name and its effect alone.
        others: what the random sets are called; "" for "random heads" or "random sets".
    """
    others = others or ("random heads" if len(singles) == 1 else "random sets")
    several = len(singles) > 1
    rows = 1 + several + bool(random)
    total = sum(value for _, value in singles)
    reach = [0.0, effect, *random]
    if several:
        below = sum(min(value, 0.0) for _, value in singles)
        reach += [sum(max(value, 0.0) for _, value in singles), below]
    figures = 16 + max(width(write(value), _SIZE, True) for value in (effect, total))
    low, high = min(reach), max(reach)
    room = wide - _NAMES - figures

    def place(value: float) -> float:
        return _NAMES + room * (value - low) / ((high - low) or 1)

    drawn = Diagram(
        wide, _TOP + _ROW * rows + 4, _label(effect, singles, random, others, write, unit)
    )
    _bar(drawn, _TOP, "together" if several else singles[0][0], place(0.0), place(effect))
    drawn.words(wide, _TOP + _ROW / 2, write(effect), size=_SIZE, bold=True, anchor="end")
    drawn.spot(0, _TOP, wide, _ROW, "All at once", f"{write(effect)} {unit}")
    if several:
        _parts(drawn, _TOP + _ROW, singles, place, write, unit)
        y = _TOP + 1.5 * _ROW
        drawn.words(wide, y, write(total), size=_SIZE, kind="mute", anchor="end")
    if random:
        named = f"{len(random)} {others}"
        _sets(drawn, _TOP + _ROW * (rows - 0.5), named, random, place, write, unit)
    drawn.line([(place(0.0), _TOP), (place(0.0), _TOP + _ROW * rows)], "mute", width=1)
    return drawn


def _sets(
    drawn: Diagram,
    y: float,
    named: str,
    random: Sequence[float],
    place: Callable[[float], float],
    write: Callable[[float], str],
    unit: str,
) -> None:
    """A ring for each random set."""
    drawn.words(_NAMES - 10, y, named, size=_SIZE, anchor="end")
    for value in random:
        drawn.box(place(value) - _DOT / 2, y - _DOT / 2, _DOT, _DOT, "", edge="mute", radius=4)
    said = f"from {write(min(random))} to {write(max(random))} {unit}"
    drawn.spot(0, y - _ROW / 2, drawn.width, _ROW, f"{named}, for comparison", said)


def _bar(drawn: Diagram, y: float, name: str, start: float, end: float) -> None:
    y += _ROW / 2
    drawn.words(_NAMES - 10, y, name, size=_SIZE, bold=True, anchor="end")
    left, right = sorted((start, end))
    drawn.box(left, y - _BAR / 2, max(right - left, 1.0), _BAR, "edit", radius=3)


def _parts(
    drawn: Diagram,
    y: float,
    singles: Sequence[tuple[str, float]],
    place: Callable[[float], float],
    write: Callable[[float], str],
    unit: str,
) -> None:
    """Each head's effect alone, end to end; those of the other sign run the other way."""
    middle = y + _ROW / 2
    drawn.words(_NAMES - 10, middle, "each alone, added up", size=_SIZE, anchor="end")
    ends = {True: 0.0, False: 0.0}
    for _, value in singles:
        start = ends[value >= 0]
        ends[value >= 0] = start + value
        left, right = sorted((place(start), place(start + value)))
        wide = max(right - left, 1.0)
        drawn.box(left, middle - _BAR / 2, wide, _BAR, "", edge="edit", radius=3)
    told = [f"{name}: {write(value)} {unit}" for name, value in singles[:8]]
    drawn.spot(0, y, drawn.width, _ROW, "Each alone", *told)


def _label(
    effect: float,
    singles: Sequence[tuple[str, float]],
    random: Sequence[float],
    others: str,
    write: Callable[[float], str],
    unit: str,
) -> str:
    total = write(sum(value for _, value in singles))
    said = f"{singles[0][0]}: {write(effect)} {unit}"
    if len(singles) > 1:
        said = f"Together {write(effect)} {unit}; each alone, added up, {total}"
    if random:
        said += f"; {len(random)} {others} from {write(min(random))} to {write(max(random))}"
    return f"{said}."

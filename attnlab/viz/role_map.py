"""Which head has which role, in one picture: layers run right, heads down.

A head is a square in the colour of its clearest role, with that role's sign; a corner of another
colour says that it has a second one. Or one role alone: then the area of a square is the score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from attnlab.viz.cells import some
from attnlab.viz.diagram import Diagram
from attnlab.viz.heads import short
from attnlab.viz.svg.text import width

Head = tuple[int, int]
_LEFT, _FOOT, _GAP, _LEAST, _MOST = 34.0, 22.0, 2.0, 12.0, 34.0
_KEY, _LINE, _SIZE = 15.0, 25.0, 12.5  # the legend: its square, its line, its letters
_BESIDE: Final = 230.0


@dataclass(frozen=True)
class Sign:
    """How a role is drawn: one character on a colour of ``diagram.KINDS``."""

    letter: str
    kind: str


@dataclass(frozen=True)
class RoleMap:
    """What is drawn.

    Attributes:
        rows: by layer, how many heads it has, in the order of the columns.
        named: the roles of every head that has some, the clearest first.
        signs: by role, in the order of the legend.
        told: by head, what it says when it is pointed at.
        only: the role that is shown alone, "" for all; ``scores`` are then those of every head.
        chosen: the head that is looked at.
    """

    rows: Mapping[int, int]
    named: Mapping[Head, Sequence[str]]
    signs: Mapping[str, Sign]
    told: Mapping[Head, Sequence[str]] = field(default_factory=dict)
    only: str = ""
    scores: Mapping[Head, float] = field(default_factory=dict)
    chosen: Head | None = None

    @property
    def heads(self) -> list[Head]:
        """All of them, layer after layer."""
        return [(layer, head) for layer, count in self.rows.items() for head in range(count)]

    @property
    def spots(self) -> list[Head | str]:
        """What each spot of the picture is: the heads, then the roles of the legend."""
        return [*self.heads, *self.signs]

    def count(self, role: str) -> int:
        """How many heads have a role, whether or not it is their clearest."""
        return sum(role in roles for roles in self.named.values())


def role_map(of: RoleMap, *, wide: float, label: str = "") -> Diagram:
    """The picture; its spots are those of ``of.spots``, in their order."""
    columns, high = len(of.rows), max(of.rows.values(), default=0)
    side = min(_MOST, max(_LEAST, (wide - _LEFT) / max(columns, 1)))
    right = _LEFT + side * columns
    wide = max(wide, right)
    drawn = Diagram(wide, label=label)
    _axes(drawn, of, side, high)
    for at, layer in enumerate(of.rows):
        for head in range(of.rows[layer]):
            _tile(drawn, of, (layer, head), (_LEFT + side * at, side * head), side)
    bottom = side * high + _FOOT
    if wide - right > _BESIDE + 40:
        foot = _legend(drawn, of, right + 40, _LINE / 2, wide, beside=True)
    else:
        foot = _legend(drawn, of, _LEFT, bottom + _LINE / 2 + 4, wide, beside=False)
    drawn.height = max(bottom, foot)
    return drawn


def _axes(drawn: Diagram, of: RoleMap, side: float, high: int) -> None:
    for row, name in some(high, side * high, 14):
        y = side * (row + 0.5)
        drawn.words(_LEFT - 7, y, f"H{name}", size=11, kind="mute", anchor="end")
    layers = list(of.rows)
    for at, _ in some(len(layers), side * len(layers), 26):
        x = _LEFT + side * (at + 0.5)
        drawn.words(x, side * high + 10, f"L{layers[at]}", size=11, kind="mute", anchor="middle")


def _tile(drawn: Diagram, of: RoleMap, head: Head, place: tuple[float, float], side: float) -> None:
    room = side - _GAP
    x, y = place[0] + _GAP / 2, place[1] + _GAP / 2
    roles = of.named.get(head, ())
    drawn.box(x, y, room, room, "tile", radius=3)
    if of.only:
        _score(drawn, of, head, x, y, room)
    elif roles:
        drawn.box(x, y, room, room, of.signs[roles[0]].kind, radius=3)
        middle = (x + room / 2, y + room / 2)
        letter = of.signs[roles[0]].letter
        size = min(15.0, room * 0.55)
        drawn.words(*middle, letter, size=size, kind="paper", bold=True, anchor="middle")
        others = [of.signs[role].kind for role in roles[1:]]
        kind = next((kind for kind in others if kind != of.signs[roles[0]].kind), None)
        if kind is not None:
            dot = room * 0.3
            drawn.box(x + room - dot, y + room - dot, dot, dot, kind, edge="paper", radius=dot / 2)
    if head == of.chosen:
        corners = [(x, y), (x + room, y), (x + room, y + room), (x, y + room), (x, y), (x + 1, y)]
        drawn.line(corners, "ink", width=2.2)
    drawn.spot(x, y, room, room, short(head), *of.told.get(head, ()))


def _score(drawn: Diagram, of: RoleMap, head: Head, x: float, y: float, room: float) -> None:
    """A square as large as the score; outlined where the head is not named."""
    side = (room - 2) * math.sqrt(min(max(of.scores.get(head, 0.0), 0.0), 1.0))
    if side < 1:
        return
    kind, named = of.signs[of.only].kind, of.only in of.named.get(head, ())
    place = (x + (room - side) / 2, y + (room - side) / 2, side, side)
    drawn.box(*place, kind if named else "", edge="" if named else kind, radius=2)


def _legend(drawn: Diagram, of: RoleMap, x: float, y: float, wide: float, *, beside: bool) -> float:
    """Every role that was looked for, with how many heads have it; returns where it ends."""
    start = x
    for role, sign in of.signs.items():
        words = f"{role} · {of.count(role)}"
        long = _KEY + 7 + width(words, _SIZE)
        if not beside and x > start and x + long > wide:
            x, y = start, y + _LINE
        on = of.only in ("", role)
        drawn.box(x, y - _KEY / 2, _KEY, _KEY, sign.kind if on else "tile", radius=3)
        middle = x + _KEY / 2
        kind = "paper" if on else "mute"
        drawn.words(middle, y, sign.letter, size=10.5, kind=kind, bold=True, anchor="middle")
        kind = "ink" if on and of.count(role) else "mute"
        drawn.words(x + _KEY + 7, y, words, size=_SIZE, kind=kind, bold=of.only == role)
        hint = "Back to all roles." if of.only == role else "Click to see its scores alone."
        drawn.spot(x - 4, y - _LINE / 2 + 1, long + 8, _LINE - 2, role, hint)
        x, y = (x, y + _LINE) if beside else (x + long + 24, y)
    return y - _LINE / 2 if beside else y + _LINE / 2

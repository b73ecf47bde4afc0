"""The diagram of one block: the residual stream runs down, its parts read it and add to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from attnlab.viz.diagram import Diagram

WIDE: Final = 520
_STEM, _CHIP, _PART = 60, 92, 204  # where the stream, a norm on the way and a part begin, across
_CHIP_WIDE, _PART_WIDE, _LINE = 84, 290, 18
_RAIL = _PART + _PART_WIDE + 10  # where what parallel parts hand on runs down


@dataclass(frozen=True)
class Part:
    """A box of the diagram.

    Attributes:
        name, figure: what it is, and how many parameters it has.
        kind: a colour of ``diagram.KINDS``.
        lines: shapes, one a line.
        about: sentences for who points at it.
    """

    name: str
    kind: str
    figure: str = ""
    lines: tuple[str, ...] = ()
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class BlockView:
    """What is drawn.

    Attributes:
        tokens, stream: how many tokens, and the shape of the stream, in words.
        start: the tables; ``parts``: of the block, in order; ``end``: the head, None without one.
        norm: the box of a norm; its name is short.
        place: "before" a part, "after" its sum, "inside" (what a part hands on), "" for not known.
        parallel: whether all parts read the same stream; None, not known, is drawn as sequential.
        repeats: how many blocks there are, in words.
        normed_end: whether a norm comes before the head.
    """

    tokens: str
    stream: str
    start: Part
    parts: tuple[Part, ...]
    end: Part | None
    norm: Part
    place: str
    parallel: bool | None
    repeats: str
    normed_end: bool


def block(view: BlockView) -> Diagram:
    """The diagram of a block between its tables and its head."""
    drawn = Diagram(WIDE, label=_label(view))
    inside, height = _inside(view)
    top = 84  # of the frame
    bottom = top + 30 + height
    end = bottom + 36 + (38 if view.normed_end else 0)
    last = end + (8 if view.end is None else 44)
    drawn.line([(_STEM, 14), (_STEM, last - 44 if view.end else last)], "ink", width=2)
    drawn.words(_STEM + 12, 8, view.tokens, kind="mute", size=12.5)
    _wide(drawn, 22, view.start)
    drawn.box(4, top, WIDE - 8, bottom - top, edge="line", radius=12)
    drawn.words(WIDE - 18, top + 16, view.repeats, kind="mute", size=12, anchor="end")
    drawn.words(_STEM + 12, top - 11, view.stream, size=12.5)
    drawn.place(0, top + 30, inside)
    drawn.spot(_STEM - 9, top + 4, 18, 24, "Residual stream", *_STREAM)
    drawn.words(_STEM + 12, bottom + 14, view.stream, size=12.5)
    if view.normed_end:
        _chip(drawn, _STEM - _CHIP_WIDE / 2, bottom + 32, view.norm)
    if view.end is not None:
        _wide(drawn, end, view.end)
    drawn.height = last
    return drawn


_STREAM: Final = (
    "One vector for each token. Every part reads it and adds to it;",
    "nothing else passes from block to block.",
)


def _label(view: BlockView) -> str:
    parts = ", ".join(f"{part.name}: {part.figure}" for part in (view.start, *view.parts))
    return f"One block on {view.tokens}, stream {view.stream}. {parts}."


def _wide(drawn: Diagram, y: float, part: Part) -> None:
    """A box across the stream: the tables, the head."""
    drawn.box(8, y, WIDE - 16, 36, part.kind, radius=8)
    ink = ink_on(part.kind)
    drawn.words(22, y + 18, part.name, kind=ink, bold=True)
    drawn.words(WIDE - 22, y + 18, part.figure, kind=ink, size=12.5, anchor="end")
    drawn.spot(8, y, WIDE - 16, 36, part.name, *part.about)


def ink_on(kind: str) -> str:
    """The colour of words on a colour."""
    return "paper" if kind in ("attention", "feed", "head", "ink") else "ink"


def _inside(view: BlockView) -> tuple[Diagram, float]:
    """The parts of the block from height 0, and how high they are."""
    drawn = Diagram(WIDE)
    if view.parallel:
        return drawn, _parallel(drawn, view)
    y = 0.0
    for part in view.parts:
        high = _height(part, view.place)
        out, back = y + 20, y + high - 18
        _way_in(drawn, out, view, y)
        _box(drawn, y, high, part)
        drawn.line([(_PART, back), (_STEM + 11, back)], arrow=True)
        if view.place == "inside":
            _chip(drawn, _CHIP, back - 12, view.norm)
        _plus(drawn, back)
        y += high + 14
        if view.place == "after":
            _chip(drawn, _STEM - _CHIP_WIDE / 2, back + 16, view.norm)
            y += 22
    return drawn, y


def _parallel(drawn: Diagram, view: BlockView) -> float:
    """Parts that all read the stream as it comes; one sum at the end."""
    y = 0.0
    ends = []
    for part in view.parts:
        high = _height(part, view.place)
        _way_in(drawn, y + 20, view, y)
        _box(drawn, y, high, part)
        ends.append(y + high / 2)
        y += high + 14
    total = y + 6
    for middle in ends:
        drawn.line([(_PART + _PART_WIDE, middle), (_RAIL, middle)])
    drawn.line([(_RAIL, ends[0]), (_RAIL, total), (_STEM + 11, total)], arrow=True)
    if view.place == "inside":
        _chip(drawn, _CHIP, total - 12, view.norm)
    _plus(drawn, total)
    if view.place == "after":
        _chip(drawn, _STEM - _CHIP_WIDE / 2, total + 16, view.norm)
        total += 28
    return total + 26


def _height(part: Part, place: str) -> float:
    return max(76 if place == "inside" else 70, 36 + _LINE * len(part.lines))


def _way_in(drawn: Diagram, out: float, view: BlockView, y: float) -> None:
    """From the stream to a part, by a norm where it is read through one."""
    drawn.line([(_STEM, out), (_PART, out)], arrow=True)
    if view.place == "before":
        _chip(drawn, _CHIP, out - 12, view.norm)


def _box(drawn: Diagram, y: float, high: float, part: Part) -> None:
    drawn.box(_PART, y, _PART_WIDE, high, "paper", edge="line", radius=8)
    drawn.box(_PART, y, 7, high, part.kind, radius=3)
    drawn.words(_PART + 18, y + 17, part.name, bold=True)
    drawn.words(_PART + _PART_WIDE - 12, y + 17, part.figure, kind="mute", size=12, anchor="end")
    for at, line in enumerate(part.lines):
        drawn.words(_PART + 18, y + 38 + at * _LINE, line, size=12.5)
    drawn.spot(_PART, y, _PART_WIDE, high, part.name, *part.about)


def _chip(drawn: Diagram, x: float, y: float, norm: Part) -> None:
    drawn.box(x, y, _CHIP_WIDE, 24, "paper", edge="line", radius=12)
    drawn.words(x + _CHIP_WIDE / 2, y + 12, norm.name, size=11.5, anchor="middle")
    drawn.spot(x, y, _CHIP_WIDE, 24, norm.name, *norm.about)


def _plus(drawn: Diagram, y: float) -> None:
    drawn.box(_STEM - 10, y - 10, 20, 20, "paper", edge="ink", radius=10)
    drawn.words(_STEM, y, "+", size=14, anchor="middle")

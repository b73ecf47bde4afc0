"""A text as it is being written, with the arcs of the word that is looked from.

The words run in lines, as they are read. Ink behind a word, and the width of its arc, say how much
the looked-from word takes from it. What was written by the model is underlined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import share
from attnlab.viz.forgotten import forgotten
from attnlab.viz.svg.text import spoken, width
from attnlab.viz.tokens import field as part_of

_SIZE: Final = 14.0
_HIGH: Final = 21.0  # of the ink behind a word
_SPACE, _INSIDE, _JOINED = 4.0, 3.0, 0.5  # CSS pixels: between words, beside one, within a word
_PITCH, _TIGHT, _MANY = 42.0, 33.0, 7  # from line to line; the lesser one of so many lines
_CURVE: Final = 14
_LEAST_ARC, _LEAST_INK = 0.02, 0.004
_THICKEST: Final = 6.0


@dataclass(frozen=True)
class Strand:
    """One text that is being written.

    Attributes:
        tokens: the words; the first ``given`` of them are the prompt's.
        weights: of the looked-from word on each key, 0 to 1; () for no ink.
        at: the looked-from word.
        kind: the colour, one of ``diagram.KINDS``.
        sources: the words looked at where they are others, above the text.
        parted: the first word that another text has not, None for none.
        told: more lines for the tooltip of each word.
        name: what stands before the text, such as "A"; ``left``: where the text begins, so that
            several lie below each other.
        forgets: how many of the last and of the first words can be looked at; the others are pale.
    """

    tokens: Sequence[Any]
    given: int
    weights: Sequence[float]
    at: int
    kind: str = "a"
    sources: Sequence[Any] | None = None
    parted: int | None = None
    told: Sequence[Sequence[str]] = field(default_factory=tuple)
    name: str = ""
    left: float = 0.0
    forgets: tuple[int, int] | None = None


@dataclass(frozen=True)
class _Word:
    """Where a word stands; ``y`` is its middle, ``line`` counts from 0."""

    x: float
    y: float
    wide: float
    line: int
    text: str

    @property
    def middle(self) -> float:
        return self.x + self.wide / 2


def writing(of: Strand, *, wide: float, label: str = "") -> Diagram:
    """The text, with a spot for each of its words, then for each source word.

    Raises:
        ValueError: weights or the looked-from word do not fit.
    """
    keys = of.tokens if of.sources is None else of.sources
    if not 0 <= of.at < len(of.tokens) or (len(of.weights) and len(of.weights) != len(keys)):
        raise ValueError(f"{len(of.weights)} weights from word {of.at}, for {len(keys)} words")
    left = max(of.left, room_of(of.name))
    above = [] if of.sources is None else _flow(of.sources, left, wide, 0.0)
    start = above[-1].y + _HIGH + 12 if above else 0.0
    words = _flow(of.tokens, left, wide, start)
    looked = above or words
    drawn = Diagram(wide, words[-1].y + _HIGH / 2 + 6, label)
    if of.name:
        kind = of.kind if of.kind in ("a", "b", "edit") else "ink"
        drawn.words(0, looked[0].y, of.name, size=_SIZE, kind=kind, bold=True)
    _looks(drawn, of, words[of.at], looked)
    gone = forgotten(of.at + 1, len(words), of.forgets)[of.at]
    for at, word in enumerate(words):
        _word(drawn, of, at, word, bool(gone[at]))
    for word in above:
        drawn.words(word.x + _INSIDE, word.y, word.text, size=_SIZE)
    _spots(drawn, of, words, above)
    return drawn


def _looks(drawn: Diagram, of: Strand, start: _Word, looked: Sequence[_Word]) -> None:
    """The ink behind the words that ``start`` looks at, then the arcs, the strongest on top."""
    for key, weight in enumerate(of.weights):
        _ink(drawn, looked[key], float(weight), of.kind)
    for key in sorted(range(len(of.weights)), key=lambda key: float(of.weights[key])):
        if of.weights[key] >= _LEAST_ARC and looked[key] is not start:
            _arc(drawn, start, looked[key], float(of.weights[key]), of.kind)


def room_of(name: str) -> float:
    """The room of what stands before a text."""
    return width(name, _SIZE, True) + 12 if name else 0.0


def _flow(tokens: Sequence[Any], left: float, wide: float, top: float) -> list[_Word]:
    """Where each word stands: lines are broken where there is no room, and after a line's end."""
    pitch = _TIGHT if _lines(tokens, left, wide) > _MANY else _PITCH
    return [
        _Word(x, top + pitch - _HIGH / 2 + line * pitch, w, line, text)
        for x, w, line, text in _placed(tokens, left, wide)
    ]


def _lines(tokens: Sequence[Any], left: float, wide: float) -> int:
    return _placed(tokens, left, wide)[-1][2] + 1


def _placed(tokens: Sequence[Any], left: float, wide: float) -> list[tuple[float, float, int, str]]:
    found, x, line, ended = [], left, 0, False
    for token in tokens:
        text, raw = spoken(token), str(part_of(token, "text", ""))
        own = width(text, _SIZE) + 2 * _INSIDE
        gap = _SPACE if raw.startswith(" ") or part_of(token, "special") else _JOINED
        x += gap if x > left else 0
        if found and (ended or x + own > wide):
            x, line = left, line + 1
        found.append((x, min(own, wide - left), line, text))
        x, ended = x + own, raw.endswith(("\n", "↵"))
    return found


def _ink(drawn: Diagram, word: _Word, weight: float, kind: str) -> None:
    if weight < _LEAST_INK:
        return
    top, end = word.y - _HIGH / 2, word.x + word.wide
    corners = [(word.x, top), (end, top), (end, top + _HIGH), (word.x, top + _HIGH)]
    drawn.area(corners, kind, round(min(0.75, 0.04 + 0.9 * weight), 3))


def _arc(drawn: Diagram, start: _Word, end: _Word, weight: float, kind: str) -> None:
    """From the top of the looked-from word: over the line, or up to a line before it."""
    (x0, y0), x1 = (start.middle, start.y - _HIGH / 2), end.middle
    if start.y == end.y:
        rise = min(15.0, 5 + 0.06 * abs(x1 - x0))
        bends = [(x0, y0), (x0, y0 - 1.33 * rise), (x1, y0 - 1.33 * rise), (x1, y0)]
    else:
        y1 = end.y + _HIGH / 2
        middle = (y0 + y1) / 2
        bends = [(x0, y0), (x0, middle), (x1, middle), (x1, y1)]
    drawn.line(_curve(bends), kind, width=round(0.7 + _THICKEST * weight, 2))


def _curve(bends: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """A cubic Bézier curve as straight pieces."""
    points = []
    for step in range(_CURVE + 1):
        t = step / _CURVE
        parts = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        points.append(
            tuple(
                sum(p * bend[axis] for p, bend in zip(parts, bends, strict=True)) for axis in (0, 1)
            )
        )
    return points


def _word(drawn: Diagram, of: Strand, at: int, word: _Word, gone: bool) -> None:
    looking = at == of.at
    if looking or at == of.parted:
        x, top, kind = word.x - 1, word.y - _HIGH / 2, "ink" if at == of.parted else of.kind
        drawn.box(x, top, word.wide + 2, _HIGH, "", edge=kind, radius=5)
    special = bool(part_of(of.tokens[at], "special"))
    kind = "line" if gone else "mute" if special else "ink"
    drawn.words(word.x + _INSIDE, word.y, word.text, size=_SIZE, kind=kind, bold=False)
    if at >= of.given:
        y = word.y + _HIGH / 2 - 1.5
        drawn.line([(word.x + _INSIDE, y), (word.x + word.wide - _INSIDE, y)], of.kind, width=1.5)


def _spots(drawn: Diagram, of: Strand, words: Sequence[_Word], above: Sequence[_Word]) -> None:
    looked = above or words

    def weight(key: int, there: Sequence[_Word]) -> str:
        if there is not looked or not len(of.weights):
            return ""
        return f"“{words[of.at].text}” takes {share(float(of.weights[key]))} from here"

    for at, word in enumerate(words):
        told = of.told[at] if at < len(of.told) else ()
        lines = (f"position {at}", *told, weight(at, words))
        drawn.spot(word.x, word.y - _HIGH / 2, word.wide, _HIGH, f"“{word.text}”", *lines)
    for key, word in enumerate(above):
        lines = (f"source, position {key}", weight(key, above))
        drawn.spot(word.x, word.y - _HIGH / 2, word.wide, _HIGH, f"“{word.text}”", *lines)

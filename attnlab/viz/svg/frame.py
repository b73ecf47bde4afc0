"""What stands around every picture: its title, the sentences, what ink means, what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from attnlab.viz.svg.sheet import Sheet, Theme
from attnlab.viz.svg.text import literal, width, wrapped

EDGE = 24  # of paper around everything
LEAST = 560  # narrower drawings get paper of this width, so that sentences have room
_SENTENCE_LINES = 3


@dataclass(frozen=True)
class Caption:
    """What a picture says about itself.

    Attributes:
        title: what is drawn.
        sentences: (name, text) of each; "A" and "B" are written in their colours.
        facts: the model and how it was read, in one line.
        notes: what was left out or reduced, one sentence each.
    """

    title: str
    sentences: Sequence[tuple[str, str]] = ()
    facts: str = ""
    notes: Sequence[str] = field(default_factory=tuple)

    def noting(self, *notes: str) -> Caption:
        """The same with more notes, the empty ones left out."""
        return replace(self, notes=(*self.notes, *(note for note in notes if note)))


@dataclass(frozen=True)
class Scale:
    """A ramp of ink: "a", "b" or "d" (for B − A), and the words at its ends."""

    kind: str
    low: str
    high: str


@dataclass(frozen=True)
class Key:
    """A coloured square and what it means; the colour "hatch" is hatched."""

    colour: str
    name: str


def framed(body: Sheet, caption: Caption, legend: Sequence[Scale | Key] = ()) -> str:
    """The SVG file of a drawing with its caption, in the drawing's own colours."""
    theme = body.theme
    page = Sheet(theme, max(LEAST, body.width) + 2 * EDGE)
    room, y = page.width - 2 * EDGE, EDGE + 8.0
    for line in wrapped(literal(caption.title), room, 17, 2):
        page.text(EDGE, y, line, size=17, bold=True)
        y += 24
    for name, text in caption.sentences:
        y = _sentence(page, y, name, text, room)
    page.place(EDGE, y + 8, body)
    y = _legend(page, y + 8 + body.height + 22, legend)
    for note in caption.notes:
        y = _lines(page, y, note, room, theme.mute)
    y = _lines(page, y + 4, caption.facts, room, theme.mute)
    page.height = y - 8 + EDGE
    spoken = [f"{name}: {literal(text)}" for name, text in caption.sentences]
    return page.document(caption.title, "\n".join([*spoken, *caption.notes, caption.facts]))


def _sentence(page: Sheet, y: float, name: str, text: str, room: float) -> float:
    """One sentence, from height ``y``; returns the height after it."""
    indent = width(name, 13, True) + 10
    page.text(EDGE, y, name, bold=True, colour=_colour(page.theme, name))
    for line in wrapped(literal(text), room - indent, 13, _SENTENCE_LINES):
        page.text(EDGE + indent, y, line)
        y += 19
    return y


def _colour(theme: Theme, name: str) -> str:
    first = name[:1].lower()
    return theme.of(first) if first in "ab" and name[1:2] in ("", " ") else theme.mute


def _lines(page: Sheet, y: float, text: str, room: float, colour: str) -> float:
    if not text:
        return y
    for line in wrapped(literal(text), room, 11.5, 6):
        page.text(EDGE, y, line, size=11.5, colour=colour)
        y += 16
    return y


def _legend(page: Sheet, y: float, legend: Sequence[Scale | Key]) -> float:
    """The legend in rows from height ``y``; returns the height after it."""
    x, end = float(EDGE), page.width - EDGE
    for entry in legend:
        needed = _entry_width(entry)
        if x > EDGE and x + needed > end:
            x, y = float(EDGE), y + 18
        _entry(page, x, y, entry)
        x += needed + 22
    return y + 20 if legend else y


def _entry_width(entry: Scale | Key) -> float:
    if isinstance(entry, Key):
        return 16 + width(entry.name, 11.5)
    return width(entry.low, 11.5) + width(entry.high, 11.5) + 96 + 14


def _entry(page: Sheet, x: float, y: float, entry: Scale | Key) -> None:
    mute = page.theme.mute
    if isinstance(entry, Key):
        if entry.colour == "hatch":
            page.rect(x, y - 5, 10, 10, page.theme.tile)
            page.hatch(x, y - 5, 10, 10)
        else:
            page.rect(x, y - 5, 10, 10, entry.colour, rx=3)
        page.text(x + 16, y, entry.name, size=11.5, colour=mute)
        return
    page.text(x, y, entry.low, size=11.5, colour=mute)
    x += width(entry.low, 11.5) + 7
    page.rect(x, y - 4, 96, 8, f"url(#ramp-{entry.kind})", rx=3)
    page.text(x + 103, y, entry.high, size=11.5, colour=mute)

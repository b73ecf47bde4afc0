"""Query heads over the key/value heads that they share, and what each way keeps in its cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram

_HIGH = 124  # of one way, with its title
_MOST, _LARGEST = 48, 22  # between two heads, across, and the side of a head


@dataclass(frozen=True)
class Way:
    """One way to share: H query heads over K key/value heads.

    Attributes:
        name: as the field calls it; ``here``: whether it is the loaded model's.
        figure: what it keeps, in words, and ``bytes`` as a number for its bar.
    """

    name: str
    heads: int
    kv_heads: int
    here: bool
    figure: str
    bytes: int


def sharing(ways: Sequence[Way], label: str = "") -> Diagram:
    """Each way as a row of query heads over a row of key/value heads, lines between them."""
    drawn = Diagram(WIDE, _HIGH * len(ways), label)
    for at, way in enumerate(ways):
        _way(drawn, at * _HIGH, way)
    return drawn


def _way(drawn: Diagram, y: float, way: Way) -> None:
    ink, fill = ("ink", "attention") if way.here else ("mute", "feed")
    title = f"{way.name} · this model" if way.here else way.name
    drawn.words(0, y + 9, title, bold=way.here, kind=ink)
    shared = f"{way.heads} query heads, {way.kv_heads} key/value head{'s' * (way.kv_heads > 1)}"
    drawn.words(WIDE, y + 9, shared, size=12, kind="mute", anchor="end")
    pitch = min(_MOST, WIDE / way.heads)
    size, group = min(_LARGEST, pitch * 0.7), way.heads // way.kv_heads
    for head in range(way.heads):
        x, below = pitch * head, pitch * (head // group * group + (group - 1) / 2)
        drawn.line([(x + size / 2, y + 28 + size), (below + size / 2, y + 72)], ink, width=1)
        drawn.box(x, y + 28, size, size, "paper", edge=fill, radius=4)
    for head in range(way.kv_heads):
        x = pitch * (head * group + (group - 1) / 2)
        drawn.box(x, y + 72, size, size, fill, radius=4)
        first, last = head * group, (head + 1) * group - 1
        readers = f"query head {first}" if group == 1 else f"query heads {first} to {last}"
        drawn.spot(
            x - 2, y + 68, size + 4, size + 8, f"Key/value head {head}", f"read by {readers}"
        )


def bars(ways: Sequence[Way], weights: tuple[str, int], label: str = "") -> Diagram:
    """What each way keeps, and the model's weights, as bars on one scale."""
    rows = [(way.name, way.figure, way.bytes, way.here, "attention") for way in ways]
    rows.append(("the model's weights", weights[0], weights[1], False, "table"))
    most, pitch, name, end = max(row[2] for row in rows) or 1, 34, 150, 76
    drawn = Diagram(WIDE, pitch * len(rows), label)
    for at, (title, figure, count, here, kind) in enumerate(rows):
        y, room = at * pitch, WIDE - name - end
        drawn.words(0, y + 13, title, size=12.5, bold=here)
        drawn.box(name, y + 3, room, 20, "tile", radius=4)
        fill = kind if here or kind == "table" else "feed"
        drawn.box(name, y + 3, max(1, room * count / most), 20, fill, radius=4)
        drawn.words(WIDE, y + 13, figure, size=12.5, bold=here, anchor="end")
        drawn.spot(0, y, WIDE, 27, title, f"{count:,} bytes")
    return drawn

"""A drawing of boxes, lines and words, laid out once for the browser and for files.

Whoever lays out a diagram puts shapes on it in units of a CSS pixel, from the top left corner. The
browser draws them as SVG (``components/drawing.js``), ``svg/diagram.py`` as a file. Colours are
named, see ``KINDS``; spots are what can be pointed at, or reached with the arrow keys, in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from attnlab.viz.payload import pack

KINDS: Final = {  # on light and on dark paper; twin of components/diagram.css
    "ink": ("#1c2330", "#e7e9ee"),
    "mute": ("#62676f", "#979a9f"),
    "line": ("#c9ccd1", "#434851"),
    "tile": ("#f3f1ec", "#1b2027"),
    "paper": ("#ffffff", "#0f1216"),
    "attention": ("#12827f", "#45c4bd"),
    "cross": ("#79bdb9", "#2b7c79"),
    "feed": ("#737b8a", "#808998"),
    "table": ("#d3bf74", "#7d6f3a"),
    "norm": ("#b9a6a0", "#7c6d68"),
    "head": ("#5b6270", "#b9c0cc"),
    "edit": ("#7a55c7", "#b093f5"),
    "a": ("#2f6db3", "#6aa9ee"),
    "b": ("#d9741a", "#f0a04b"),
    "gold": ("#a8841c", "#d9b74a"),
    "pink": ("#b3447a", "#e58cb8"),
    "brown": ("#7b4f2a", "#c79a6d"),
}
LEVELS: Final = 24
"""How many strengths of a colour a heat map has; the browser and files draw the same ones."""
ANCHORS: Final = ("start", "middle", "end")


@dataclass(frozen=True)
class Spot:
    """A place that says more when it is pointed at: a title and lines of words."""

    x: float
    y: float
    width: float
    height: float
    title: str
    lines: tuple[str, ...] = ()


@dataclass
class Diagram:
    """Shapes in the order in which they are drawn.

    Attributes:
        width, height: in CSS pixels.
        label: what the picture says, in a sentence, for those who do not see it.
    """

    width: float
    height: float = 0
    label: str = ""
    shapes: list[list[object]] = field(default_factory=list)
    spots: list[Spot] = field(default_factory=list)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str = "",
        *,
        edge: str = "",
        radius: float = 6,
    ) -> None:
        """A rectangle, filled and edged in colours of ``KINDS`` ("" for none)."""
        if width > 0 and height > 0:
            self.shapes.append(["box", x, y, width, height, _kind(fill), _kind(edge), radius])

    def line(
        self,
        points: Sequence[tuple[float, float]],
        kind: str = "ink",
        *,
        width: float = 1.5,
        arrow: bool = False,
        dashed: bool = False,
    ) -> None:
        """Straight pieces from point to point, with an arrow at the end where asked."""
        flat = [round(value, 2) for point in points for value in point]
        self.shapes.append(["line", flat, _kind(kind), width, arrow, dashed])

    def area(
        self, points: Sequence[tuple[float, float]], kind: str, strength: float = 0.18
    ) -> None:
        """A filled shape between points, faint: ``strength`` is its share of the colour."""
        flat = [round(value, 2) for point in points for value in point]
        self.shapes.append(["area", flat, _kind(kind), strength])

    def cells(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        values: Sequence[Sequence[float]],
        kinds: tuple[str, str] = ("b", "a"),
    ) -> None:
        """A heat map: values from −1 to 1, rows from the top; the colours above and below 0.

        Raises:
            ValueError: a value is not from −1 to 1.
        """
        flat = [float(value) for row in values for value in row]
        if not all(-1.001 <= value <= 1.001 for value in flat):
            raise ValueError("a heat map takes values from -1 to 1")
        levels = [round(value * LEVELS) for value in flat]
        counts = [len(values), len(values[0]) if len(values) else 0]
        self.shapes.append(["cells", x, y, width, height, *counts, levels, *map(_kind, kinds)])

    def words(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 13,
        kind: str = "ink",
        bold: bool = False,
        anchor: str = "start",
    ) -> None:
        """One line of text with its middle at height ``y``.

        Raises:
            ValueError: the anchor is none of ``ANCHORS``.
        """
        if anchor not in ANCHORS:
            raise ValueError(f"anchor {anchor!r} is none of {ANCHORS}")
        self.shapes.append(["words", x, y, text, size, _kind(kind), bold, anchor])

    def spot(
        self, x: float, y: float, width: float, height: float, title: str, *lines: str
    ) -> None:
        """Something to point at; empty lines are left out."""
        self.spots.append(Spot(x, y, width, height, title, tuple(filter(None, lines))))

    def place(self, x: float, y: float, other: Diagram) -> None:
        """Another diagram's shapes and spots, moved to (x, y)."""
        self.shapes += [_moved(shape, x, y) for shape in other.shapes]
        self.spots += [
            Spot(s.x + x, s.y + y, s.width, s.height, s.title, s.lines) for s in other.spots
        ]


def _kind(name: str) -> str:
    if name and name not in KINDS:
        raise ValueError(f"colour {name!r} is none of {', '.join(KINDS)}")
    return name


def _moved(shape: list[object], x: float, y: float) -> list[object]:
    if shape[0] in ("line", "area"):
        flat = [value + (y if at % 2 else x) for at, value in enumerate(shape[1])]
        return [shape[0], flat, *shape[2:]]
    return [shape[0], shape[1] + x, shape[2] + y, *shape[3:]]


def diagram_payload(drawn: Diagram, *, clickable: bool = False, scrolls: bool = False) -> bytes:
    """What the browser draws it from.

    Args:
        clickable: whether a spot can be chosen.
        scrolls: on a narrow page it scrolls rather than shrink until it cannot be read; what is
            clickable does so, too.
    """
    header = {
        "width": drawn.width,
        "height": drawn.height,
        "label": drawn.label,
        "shapes": drawn.shapes,
        "spots": [[s.x, s.y, s.width, s.height, s.title, list(s.lines)] for s in drawn.spots],
    }
    if clickable:
        header["clickable"] = True
    if clickable or scrolls:
        header["scrolls"] = True
    return pack(header, {})

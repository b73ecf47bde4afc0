"""What every drawing is made with: colours, and a sheet on which shapes are put as text."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from attnlab.viz.svg.text import xml

FONT = "Helvetica, Arial, 'Liberation Sans', 'Noto Sans', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True)
class Theme:
    """The colours of one paper, as #rrggbb.

    ``shade`` is how strong the bars behind words are, ``faint`` the arcs of the words that are not
    looked from.
    """

    a: str
    b: str
    edit: str
    ink: str
    mute: str
    line: str
    tile: str
    paper: str
    shade: float
    faint: float

    def of(self, side: str) -> str:
        """The colour of sentence "a" or "b", of an "edit", or of neither: "ink"."""
        return {"a": self.a, "b": self.b, "ink": self.mute}.get(side.lower(), self.edit)


# The colours of ``viz/components/common.css`` on the paper that each theme has.
LIGHT = Theme(
    a="#2f6db3",
    b="#d9741a",
    edit="#7a55c7",
    ink="#1c2330",
    mute="#62676f",
    line="#dbdcde",
    tile="#f3f1ec",
    paper="#ffffff",
    shade=0.24,
    faint=0.07,
)
DARK = Theme(
    a="#6aa9ee",
    b="#f0a04b",
    edit="#b093f5",
    ink="#e7e9ee",
    mute="#979a9f",
    line="#32353a",
    tile="#1b2027",
    paper="#0f1216",
    shade=0.30,
    faint=0.09,
)


def theme_of(dark: bool) -> Theme:
    """The colours of dark or of light paper."""
    return DARK if dark else LIGHT


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of #rrggbb."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def number(value: float) -> str:
    """A coordinate: two decimals at most, and none where there is nothing to say."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


class Sheet:
    """Shapes as SVG text, from the top left corner; who draws sets ``width`` and ``height``."""

    def __init__(self, theme: Theme, width: float = 0, height: float = 0) -> None:
        self.theme, self.width, self.height = theme, width, height
        self.parts: list[str] = []

    def put(self, tag: str, body: str | None = None, **attributes: object) -> None:
        """One element; ``body`` is XML already. Names are written with _ for -."""
        written = "".join(
            f' {name.rstrip("_").replace("_", "-")}="'
            f'{number(value) if isinstance(value, (int, float)) else xml(str(value))}"'
            for name, value in attributes.items()
            if value is not None
        )
        self.parts.append(
            f"<{tag}{written}/>" if body is None else f"<{tag}{written}>{body}</{tag}>"
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 13,
        colour: str | None = None,
        bold: bool = False,
        anchor: str | None = None,
        opacity: float | None = None,
        turn: float | None = None,
        spans: Sequence[tuple[str, str]] = (),
    ) -> None:
        """One line of text with its middle at height ``y``, turned by degrees about (x, y).

        ``spans``, where given, are the same text in parts, each with its colour.
        """
        drop = 0.35 * size  # from the middle of the small letters to the line they stand on
        place = {"x": x, "y": y + drop}
        if turn is not None:
            turned = f"translate({number(x)} {number(y)}) rotate({number(turn)})"
            place = {"transform": turned, "y": drop}
        parts = (f'<tspan fill="{tint}">{xml(part)}</tspan>' for part, tint in spans)
        self.put(
            "text",
            "".join(parts) or xml(text),
            **place,
            font_size=size,
            font_weight=700 if bold else None,
            fill=colour or self.theme.ink,
            text_anchor=anchor,
            opacity=opacity,
        )

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, **more: object
    ) -> None:
        """A rectangle; none where a side is 0."""
        if width > 0 and height > 0:
            self.put("rect", x=x, y=y, width=width, height=height, fill=fill, **more)

    def hatch(self, x: float, y: float, width: float, height: float) -> None:
        """What is not there: a row that sees nothing, a word without a counterpart."""
        self.rect(x, y, width, height, "url(#hatch)")

    def image(
        self, x: float, y: float, width: float, height: float, png: bytes, label: str
    ) -> None:
        """A PNG whose pixels stay squares at any size."""
        self.put(
            "image",
            f"<title>{xml(label)}</title>",
            x=x,
            y=y,
            width=width,
            height=height,
            preserveAspectRatio="none",
            image_rendering="optimizeSpeed",
            style="image-rendering:pixelated",
            href="data:image/png;base64," + base64.b64encode(png).decode("ascii"),
        )

    def place(self, x: float, y: float, other: Sheet) -> None:
        """Another sheet's shapes, moved to (x, y)."""
        move = f' transform="translate({number(x)} {number(y)})"' if x or y else ""
        self.parts.append(f"<g{move}>{''.join(other.parts)}</g>")

    def document(self, title: str, description: str) -> str:
        """The whole as a file: an XML document on its paper."""
        theme, size = self.theme, f"{number(self.width)} {number(self.height)}"
        defs = (
            '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><path d="M0 0V6" stroke="{theme.line}" '
            'stroke-width="2"/></pattern>'
            + _gradient("ramp-a", (theme.tile, theme.a))
            + _gradient("ramp-b", (theme.tile, theme.b))
            + _gradient("ramp-d", (theme.a, theme.tile, theme.b))
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
            f'width="{number(self.width)}" height="{number(self.height)}" role="img" '
            f'font-family="{FONT}" xml:space="preserve">'
            f"<title>{xml(title)}</title><desc>{xml(description)}</desc><defs>{defs}</defs>"
            f'<rect width="100%" height="100%" fill="{theme.paper}"/>'
            f"{''.join(self.parts)}</svg>\n"
        )


def _gradient(name: str, colours: Sequence[str]) -> str:
    last = len(colours) - 1
    stops = "".join(
        f'<stop offset="{number(i / last)}" stop-color="{colour}"/>'
        for i, colour in enumerate(colours)
    )
    return f'<linearGradient id="{name}">{stops}</linearGradient>'

"""A picture as PNG, which says when this computer has no font for some of its characters.

An SVG is drawn with the fonts of whoever opens it. A PNG is drawn here: a character that no font
here has becomes an empty box, and a picture must not pass that over.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import unescape

from attnlab.viz import png
from attnlab.viz.svg.sheet import DARK, FONT, LIGHT
from attnlab.viz.svg.text import xml

_NOWHERE = "\U0010fffe"  # assigned to nothing, so no font draws it
_BOX = "□"
_MOST = 200  # characters that are tried in one picture
_ROOM = 18  # units, for the line that is added


def drawn(picture: str, scale: float = 2) -> bytes:
    """The PNG of one of this package's pictures, with a note where characters are missing."""
    missing = undrawn("".join(re.findall(r"<t(?:ext|span)[^>]*>([^<]*)", picture)))
    if missing:
        # One such character in a line keeps the renderer from looking for the others' fonts.
        boxed = picture.translate(dict.fromkeys(map(ord, missing), _BOX))
        picture = _noted(boxed, missing)
    return png.of(picture, scale)


def undrawn(text: str) -> str:
    """The characters of ``text`` that no font of this computer has."""
    rare = sorted({char for char in unescape(text) if ord(char) > 0x17F})[:_MOST]
    return "".join(char for char in rare if not _has_font(char))


@lru_cache(maxsize=4096)
def _has_font(char: str) -> bool:
    # A modifier shows in what it modifies, and nothing shows of a joiner.
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf", "Zs"):
        return True
    return _glyph(char) != _nothing()


@lru_cache(maxsize=1)
def _nothing() -> bytes:
    return _glyph(_NOWHERE)


def _glyph(char: str) -> bytes:
    return png.of(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" '
        f'font-family="{FONT}"><text x="4" y="30" font-size="24">{xml(char)}</text></svg>',
        1,
    )


def _noted(picture: str, missing: str) -> str:
    """The picture with one more line at its foot."""
    shown = ", ".join(f"U+{ord(char):04X}" for char in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    said = f"Empty boxes: no font here has {shown}{more}. The SVG has them."
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+"', picture)
    width, height = size[1], float(size[2]) + _ROOM
    theme = DARK if f'fill="{DARK.paper}"/>' in picture else LIGHT
    taller = f'viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}"'
    line = (
        f'<text x="24" y="{height - 20:g}" font-size="11.5" fill="{theme.mute}">{said}</text></svg>'
    )
    return picture.replace(size[0], taller, 1).removesuffix("</svg>\n") + line

"""A picture as PNG, which says when this computer has no font for some of its characters.

An SVG is drawn with the fonts of whoever opens it. A PNG is drawn here: a character that no font
here has becomes an empty box, and a picture must not pass that over.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from html import unescape

from attnlab.viz import png
from attnlab.viz.svg.sheet import FONT
from attnlab.viz.svg.text import xml

_NOWHERE = "\U0010fffe"  # assigned to nothing, so no font draws it
_BOX = "□"
_MOST = 200  # characters that are tried in one picture


def drawn(draw: Callable[..., str], scale: float = 2) -> bytes:
    """The PNG of a picture; ``draw`` takes notes to be written under it, and gives its SVG.

    Where characters are missing it is drawn once more, with a note that says so.
    """
    picture = draw()
    missing = undrawn("".join(re.findall(r"<t(?:ext|span)[^>]*>([^<]*)", picture)))
    if missing:
        # One such character in a line keeps the renderer from looking for the others' fonts.
        picture = draw(_said(missing)).translate(dict.fromkeys(map(ord, missing), _BOX))
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


def _said(missing: str) -> str:
    """Which characters are missing, as a sentence."""
    shown = ", ".join(f"U+{ord(char):04X}" for char in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return f"Empty boxes: no font here has {shown}{more}. The SVG has them."

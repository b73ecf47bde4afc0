"""How one token is written on screen.

A token is anything with ``text``, ``raw``, ``id``, ``special`` and ``piece``, as attributes or as
keys: ``attnlab.Token`` and its plain dict both do. Token text is whatever somebody typed, so the
label makes everything that could hide or reorder other text visible; that it is never read as
HTML is the component's part (``textContent`` and ``fillText`` only).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

SPACE, EMPTY = "␣", "∅"
DRAWN = {"\n": "↵", "\r": "↵", "\t": "⇥", "\x7f": "␡"}
JOINER = "\u200d"  # holds emoji sequences together, so it is shown only where it joins nothing
# What shows as nothing by itself: joiners, and the selectors of a character's variants.
_BLANK = re.compile("[\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]+")


def field(token: Any, name: str, default: Any = None) -> Any:
    """``token.name`` or ``token["name"]``, whichever the token has, else ``default``."""
    if isinstance(token, Mapping):
        return token.get(name, default)
    return getattr(token, name, default)


def _visible(char: str) -> str:
    """``char``, or a visible stand-in where it would show as nothing or steer other text."""
    if char in DRAWN:
        return DRAWN[char]
    if ord(char) < 0x20:
        return chr(0x2400 + ord(char))  # the Unicode pictures of the control characters
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    if category in ("Cc", "Cf", "Zl", "Zp") and char != JOINER:
        return f"⟨U+{ord(char):04X}⟩"
    return char


def label(token: Any) -> str:
    """What to write for ``token``: no leading space; everything invisible drawn.

    One leading space is the ordinary start of a word and is left out. Further leading spaces,
    trailing spaces and tokens of nothing but spaces are drawn as ␣.
    """
    text = str(field(token, "text", ""))
    if not text:
        return EMPTY
    core = text.strip(" ")
    if not core:
        return SPACE if len(text) == 1 else f"{SPACE}×{len(text)}"
    lead = len(text) - len(text.lstrip(" "))
    trail = len(text) - len(text.rstrip(" "))
    shown = "".join(_visible(char) for char in core)
    if _BLANK.fullmatch(core):
        shown = "".join(f"⟨U+{ord(char):04X}⟩" for char in core)
    elif unicodedata.combining(core[0]):
        shown = "◌" + shown  # a lone accent needs something to sit on
    return SPACE * max(0, lead - 1) + shown + SPACE * trail


def row(token: Any) -> list[Any]:
    """``[label, text, raw, id, i, k, special]`` for a payload; i of k is 1 of 1 when unsplit."""
    i, k = field(token, "piece") or (1, 1)
    text = str(field(token, "text", ""))
    raw = str(field(token, "raw", text))
    return [label(token), text, raw, field(token, "id"), i, k, bool(field(token, "special", False))]


def rows(tokens: Sequence[Any]) -> list[list[Any]]:
    """:func:`row` of every token."""
    return [row(token) for token in tokens]


def identity(token: Any) -> Any:
    """What makes two tokens the same: the id, or the raw string where no id is given."""
    number = field(token, "id")
    return field(token, "raw", field(token, "text")) if number is None else number

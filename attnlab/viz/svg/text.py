"""How wide text is, and how it is cut, broken and escaped; an SVG has no layout of its own.

Widths are those of Helvetica, which Arial and Liberation Sans share. They decide where a label is
cut; nothing depends on them to the pixel.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

from attnlab.viz.tokens import SPACE, field, identity, label

# Of the characters 32 to 126, in thousandths of the font size.
_WIDTHS = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_BOLD = 1.07  # how much wider bold text is
_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0


def xml(text: str) -> str:
    """``text`` as XML: its markup escaped, and what XML cannot hold drawn as its code point."""
    legal = _ILLEGAL.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
    return escape(legal, {'"': "&quot;"})


def literal(text: str) -> str:
    """``text`` on one line, with everything invisible drawn, as in the label of a token."""
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "".join(
        label({"text": char}) if unicodedata.category(char) in hidden else char for char in text
    )


def spoken(token: Any) -> str:
    """The label of a token, with "1/3" where a character is split over several."""
    i, k = field(token, "piece") or (1, 1)
    return label(token) if k == 1 else f"{label(token)} {i}/{k}"


def told_apart(tokens: Sequence[Any]) -> list[str]:
    """:func:`spoken` of every token; different ones that would read alike differ in their spelling.

    "the" and " the" are two tokens: the second is written ␣the where both occur, and where no space
    tells them apart (BERT's "##the") as the tokenizer spells it. Parts of a character keep their
    numbers.
    """
    words = [spoken(token) for token in tokens]
    words = [
        SPACE + word if two and _starts_a_word(token) else word
        for word, two, token in zip(words, _ambiguous(words, tokens), tokens, strict=True)
    ]
    return [
        literal(str(field(token, "raw", word))) if two and not field(token, "piece") else word
        for word, two, token in zip(words, _ambiguous(words, tokens), tokens, strict=True)
    ]


def _ambiguous(words: Sequence[str], tokens: Sequence[Any]) -> list[bool]:
    """Whether each word stands for different tokens."""
    kinds: dict[str, set[Any]] = {}
    for word, token in zip(words, tokens, strict=True):
        kinds.setdefault(word, set()).add(identity(token))
    return [len(kinds[word]) > 1 for word in words]


def _starts_a_word(token: Any) -> bool:
    text = str(field(token, "text", ""))
    return text.startswith(" ") and bool(text.strip(" "))


def _advance(char: str) -> int:
    code = ord(char)
    if 32 <= code < 127:
        return _WIDTHS[code - 32]
    if unicodedata.combining(char) or char == "\u200d":
        return 0
    return 1000 if unicodedata.east_asian_width(char) in "WF" or code > 0x2100 else 610


def width(text: str, size: float, bold: bool = False) -> float:
    """About how wide ``text`` is at a font size."""
    return sum(map(_advance, text)) * size / 1000 * (_BOLD if bold else 1)


def cut(text: str, room: float, size: float, bold: bool = False) -> str:
    """``text``, ended by … where it is wider than ``room``."""
    if width(text, size, bold) <= room:
        return text
    rest = room - width("…", size, bold)
    for end, char in enumerate(text):
        rest -= width(char, size, bold)
        if rest < 0:
            return text[:end] + "…"
    return text


def wrapped(text: str, room: float, size: float, most: int = 4) -> list[str]:
    """``text`` broken at spaces into at most ``most`` lines; a cut last one ends in …."""
    lines, line = [], ""
    for word in _breakable(text, room, size):
        if line and width(line + word.rstrip(" "), size) > room:
            lines.append(line.rstrip(" "))
            line = ""
            if len(lines) > most:
                break
        line += word
    lines.append(line.rstrip(" "))
    if len(lines) > most:
        lines = [*lines[: most - 1], cut(lines[most - 1] + " …", room, size)]
    return lines


def _breakable(text: str, room: float, size: float) -> Sequence[str]:
    """Words with the spaces after them; what is wider than a line is taken apart."""
    parts = []
    for word in re.findall(r"[^ ]+ *| +", text[:20_000]):
        if width(word, size) <= room:
            parts.append(word)
        else:
            parts.extend(word)
    return parts

"""Tokens as a person can read them, whatever the tokenizer.

A tokenizer's own strings are for machines: "Ã©" for é, "ĠðŁ" for the first half of an emoji,
"▁the", "##ing", "<0x0A>". What each of them spells is found by asking the tokenizer's own
decoder, never from the model's name: a token is decoded between two letters, and whether the
decoder speaks in bytes is tried on strings whose answer is known. So one rule serves byte-level
BPE, SentencePiece and WordPiece, and the same id is always shown the same way.

A character may be split over several tokens. The tokens are therefore laid end to end as bytes;
each shows every character of which it holds a byte, and `piece` says which part of how many.

Shown and raw, for "I 💩" in a byte-level tokenizer:

    raw    I     ĠðŁ      Ĵ       ©
    text   "I"   " 💩"    "💩"    "💩"
    piece  None  (1, 3)   (2, 3)  (3, 3)
"""

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from attnlab.trace.token import Token

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Spell = Callable[[str], bytes]
"""From a tokenizer's string for one token to the UTF-8 bytes that it stands for."""


def readable(tokenizer: "PreTrainedTokenizerBase", ids: Sequence[int]) -> list[Token]:
    """One Token for each id, in order: exactly the ids given, special ones included.

    Args:
        tokenizer: any transformers tokenizer.
        ids: token ids, as they are fed to the model.

    Returns:
        Tokens whose `text` keeps a leading space as a space, and shows line ends, tabs, control
        characters and other invisible ones as a visible sign each (`visible`).
    """
    ids = [int(i) for i in ids]
    raws = [
        f"<{i}>" if raw is None else raw  # an id beyond the vocabulary, where embeddings are padded
        for i, raw in zip(ids, tokenizer.convert_ids_to_tokens(ids), strict=True)
    ]
    added = tokenizer.added_tokens_decoder
    special = {i for i, token in added.items() if token.special} | set(tokenizer.all_special_ids)
    literal = [i in added or i in special for i in ids]
    spell = _speller(tokenizer)
    shown: list[tuple[str, tuple[int, int] | None]] = []
    # A literal token is whole by itself, and no character continues across it.
    for is_literal, run in itertools.groupby(zip(raws, literal, strict=True), lambda p: p[1]):
        strings = [raw for raw, _ in run]
        shown += [(s, None) for s in strings] if is_literal else _lay_out(map(spell, strings))
    return [
        Token(i, _drawn(text), raw, piece, i in special)
        for i, raw, (text, piece) in zip(ids, raws, shown, strict=True)
    ]


def joined(tokens: Sequence[Token]) -> str:
    """The text that the tokens spell, with every split character once.

    A piece after the first begins with the character that the piece before it ends with.
    """
    return "".join(t.text[1:] if t.piece and t.piece[0] > 1 else t.text for t in tokens)


# --- what a token spells -------------------------------------------------------------------------

_BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>")


def _speller(tokenizer: "PreTrainedTokenizerBase") -> Spell:
    """How this tokenizer's strings become bytes, found by trying its decoder."""
    decode = tokenizer.convert_tokens_to_string
    table = _byte_table(decode)
    byte_tokens = decode(["<0x41>"]) == "A"
    # A letter on each side keeps a decoder from treating the token as the first or the last one.
    after = decode(["a", "a"])[1:]

    def spell(raw: str) -> bytes:
        found = _BYTE_TOKEN.fullmatch(raw) if byte_tokens else None
        if found:
            return bytes.fromhex(found[1])
        if table and all(char in table for char in raw):
            data = bytes(table[char] for char in raw)
            if not _is_text(data):
                return data
        return decode(["a", raw, "a"]).removeprefix("a").removesuffix(after).encode()

    return functools.cache(spell)  # a long text repeats its tokens


def _byte_table(decode: Callable[[list[str]], str]) -> dict[str, int] | None:
    """The byte for each letter of a tokenizer that spells in bytes; None for any other.

    Two alphabets are in use: every byte as the character of the same number, and GPT-2's, where
    the 68 bytes that would not print are moved to the characters from 256 on, in order.
    """
    if decode(["Ã", "©"]) != "é":
        return None
    if decode(["a", "Ġ", "a"]) != "a a":
        return {chr(byte): byte for byte in range(256)}
    prints = {*range(0x21, 0x7F), *range(0xA1, 0x100)} - {0xAD}
    moved = itertools.count(256)
    return {chr(byte if byte in prints else next(moved)): byte for byte in range(256)}


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


# --- characters over tokens ----------------------------------------------------------------------


def _lay_out(spelled: Iterator[bytes]) -> list[tuple[str, tuple[int, int] | None]]:
    """Text and piece of each token, from the bytes of neighbouring tokens."""
    chunks = list(spelled)
    owner = [i for i, chunk in enumerate(chunks) for _ in chunk]  # the token of each byte
    texts = [""] * len(chunks)
    joins = set()  # i where token i and i + 1 share a character
    start = 0
    for char, size in _characters(b"".join(chunks)):
        first, last = owner[start], owner[start + size - 1]
        for i in range(first, last + 1):
            texts[i] += char
        joins.update(range(first, last))
        start += size
    pieces: list[tuple[int, int] | None] = []
    while len(pieces) < len(chunks):
        first = len(pieces)
        count = next(k for k in itertools.count(1) if first + k - 1 not in joins)
        pieces += [(k, count) for k in range(1, count + 1)] if count > 1 else [None]
    return list(zip(texts, pieces, strict=True))


def _characters(data: bytes) -> Iterator[tuple[str, int]]:
    """The characters of UTF-8 `data` with their sizes in bytes; "�" for what is none."""
    while data:
        try:
            good, bad = data.decode(), 0
        except UnicodeDecodeError as error:
            good, bad = data[: error.start].decode(), error.end - error.start
        for char in good:
            yield char, len(char.encode())
        if bad:
            yield "�", bad
        data = data[len(good.encode()) + bad :]


# --- what cannot be seen -------------------------------------------------------------------------


def visible(text: str) -> str:
    """`text` with a visible sign for each character that has none; as many characters as before.

    A plain space stays: it is for the page to draw. Line end ↵, tab ⇥, other control characters
    their pictures (NUL ␀), other spaces ␣, and □ for what is invisible or turns text around.
    Joiners stay: Persian and emoji are written with them.
    """
    return text.translate(_SIGNS)


_JOINERS = {0x200C, 0x200D}
# Format characters that are drawn: number and verse signs of Arabic, Syriac and Kaithi.
_DRAWN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}


class _Signs(dict[int, str]):
    """The sign for each character, worked out when first met."""

    def __missing__(self, code: int) -> str:
        self[code] = sign = self._sign(code)
        return sign

    @staticmethod
    def _sign(code: int) -> str:
        category = unicodedata.category(chr(code))
        if code < 0x20:
            return chr(0x2400 + code)
        if category == "Zs" and code != 0x20:
            return "␣"
        hidden = category in ("Cc", "Cs", "Zl", "Zp") or (
            category == "Cf" and code not in _JOINERS | _DRAWN
        )
        return "□" if hidden else chr(code)


_SIGNS = _Signs({0x0A: "↵", 0x09: "⇥", 0x7F: "␡"})
_ATTACHED = re.compile("[\u200c\u200d\ufe00-\ufe0f]")  # joiners and variation selectors


def _drawn(text: str) -> str:
    """`text` made visible, even where it is only joiners or variation selectors."""
    if text.strip(" ") and not _ATTACHED.sub("", text).strip(" "):
        text = _ATTACHED.sub("□", text)
    return visible(text)

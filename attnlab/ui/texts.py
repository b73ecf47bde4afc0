"""What may be typed: limits, checked before any model work, each refusal one sentence."""

from collections.abc import Sequence
from typing import Any, Final

from attnlab.errors import EmptyText, InputError, TextTooLong
from attnlab.ui import hosting
from attnlab.ui.selection import MAX_CHARACTERS

MAX_TOKENS: Final = hosting.max_tokens()


def check_text(text: str, name: str) -> None:
    """Refuses a text that is empty or too long, before it meets a tokenizer.

    Args:
        text: as typed.
        name: how the page calls it ("Sentence A").

    Raises:
        EmptyText: nothing but spaces.
        TextTooLong: more than MAX_CHARACTERS characters.
    """
    if not text:
        raise EmptyText(f"{name} is empty: type a few words.")
    if not text.strip():
        raise EmptyText(f"{name} holds only spaces: type at least one word.")
    if len(text) > MAX_CHARACTERS:
        raise TextTooLong(
            f"{name} has {len(text):,} characters; up to {MAX_CHARACTERS:,} can be shown here, "
            "so shorten it."
        )


def check_tokens(tokens: Sequence[Any], name: str) -> None:
    """Refuses a text whose maps would be too large to show.

    Raises:
        EmptyText: the tokenizer found nothing in it.
        TextTooLong: more than MAX_TOKENS tokens.
    """
    if not tokens:
        raise EmptyText(f"The tokenizer finds no token in {name.lower()}: type a few words.")
    if len(tokens) > MAX_TOKENS:
        raise TextTooLong(
            f"{name} has {len(tokens):,} tokens; up to {MAX_TOKENS:,} can be shown here, "
            "so shorten it."
        )


def read_file(content: bytes, name: str) -> str:
    """The text of a file.

    Raises:
        InputError: it is no UTF-8 text.
        TextTooLong: more than MAX_CHARACTERS characters.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"“{name}” holds no UTF-8 text, so it was not opened.") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if len(text) > MAX_CHARACTERS:
        raise TextTooLong(
            f"“{name}” has {len(text):,} characters; up to {MAX_CHARACTERS:,} can be shown here."
        )
    return text

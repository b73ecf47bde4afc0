"""Limits on what may be typed: one sentence each, and nothing refused that could be shown."""

import pytest

from attnlab.errors import EmptyText, InputError, TextTooLong
from attnlab.ui.selection import MAX_CHARACTERS
from attnlab.ui.texts import MAX_TOKENS, check_text, check_tokens, read_file


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_to_read_is_refused(text: str):
    with pytest.raises(EmptyText, match=r"^Sentence A .*\.$"):
        check_text(text, "Sentence A")


def test_a_long_text_is_refused_with_both_numbers():
    with pytest.raises(TextTooLong, match="100,000 characters; up to 20,000"):
        check_text("x" * 100_000, "Sentence B")
    check_text("x" * MAX_CHARACTERS, "Sentence B")


@pytest.mark.parametrize("text", ["a", "💩", "\x00", "\x07\x1b", "<script>"])
def test_odd_texts_may_be_read(text: str):
    check_text(text, "Sentence A")


def test_tokens_are_counted():
    check_tokens([0] * MAX_TOKENS, "Sentence A")
    with pytest.raises(TextTooLong, match=f"{MAX_TOKENS + 1:,} tokens; up to {MAX_TOKENS:,}"):
        check_tokens([0] * (MAX_TOKENS + 1), "Sentence A")
    with pytest.raises(EmptyText):
        check_tokens([], "Sentence A")


def test_a_file_is_read_as_text():
    assert read_file("\ufeffÉté\r\nzwei\n".encode(), "a.txt") == "Été\nzwei"


def test_a_file_that_is_no_text_is_refused_by_name():
    with pytest.raises(InputError, match="holds no UTF-8 text"):
        read_file(b"\xff\xfe\x00", "a.txt")
    with pytest.raises(TextTooLong, match="20,001 characters; up to 20,000"):
        read_file(b"x" * 20_001, "a.txt")

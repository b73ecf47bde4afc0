"""Other texts, whose values an edit puts in place of a text's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attnlab.errors import EditError
from attnlab.trace.given import whole

Words = str | tuple[int, ...]
"""A text, or its token ids."""


@dataclass(frozen=True)
class Donor:
    """A text that is run plain, once for all edits that name it; ``target``: what the decoder of an
    encoder-decoder is fed meanwhile."""

    text: Words
    target: Words | None = None


@dataclass(frozen=True)
class Corpus:
    """Texts that stand for all of them together: what is kept of its run is the mean over all their
    positions, as one position. A text that comes twice counts twice."""

    texts: tuple[Donor, ...]


def as_words(name: str, value: Any) -> Words:
    """A text, or token ids of any sequence as a tuple.

    Raises:
        EditError: neither, or nothing in it.
    """
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, Sequence) or isinstance(value, bytes) or not len(value):
        raise EditError(f"{name}= is a text or a list of its token ids, not {str(value)[:60]!r}.")
    return tuple(whole(name, item, EditError) for item in value)

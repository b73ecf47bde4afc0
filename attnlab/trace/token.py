"""One token, as fed to the model and as shown to a person."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Token:
    """A token of a text.

    ``text`` is readable in every script; ``raw`` is the tokenizer's own string. Where a character
    is split over several tokens, each of them carries the whole character and ``piece`` = (i, k)
    says that it is the i-th of k, counted from 1. ``special`` marks BOS, CLS, SEP and the like.
    """

    id: int
    text: str
    raw: str
    piece: tuple[int, int] | None = None
    special: bool = False

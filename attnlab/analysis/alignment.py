"""Which words cross-attention looks at while each part of the answer is written.

The row of attention that writes a token is that of the token before it: row i of the decoder's
queries predicts token i + 1. Here rows are counted by what they write, so row i writes written[i].
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_WORD = re.compile(r"\w+")
# A date in digits alone: its parts touch.
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")


@dataclass(frozen=True)
class Span:
    """Some tokens and the text that they spell together; `name` says what it is."""

    name: str
    text: str
    places: tuple[int, ...]


@dataclass(frozen=True)
class Look:
    """Where a head looks while a part is written.

    Attributes:
        part: what is written.
        span: the word that it looks at most.
        weight: how much of its attention lies there, 0 to 1: the sum over the word's tokens, and
            the mean over the part's.
    """

    part: Span
    head: tuple[int, int]
    span: Span
    weight: float


def words(texts: Sequence[str | None]) -> list[Span]:
    """The words that tokens spell; of a date in eight digits year, month and day.

    Args:
        texts: of each token, as it stands in the text; None for one that is no text (</s>).
    """
    return [_span("", found) for found in _found(texts)]


def parts(texts: Sequence[str | None]) -> list[Span]:
    """What is written, in parts: year, month and day of an ISO date, else word by word."""
    spelled, owners = _spelled(texts)
    iso = _ISO.fullmatch(spelled.strip("\0 "))
    if iso is None:
        return [Span(f"“{one.text}”", one.text, one.places) for one in words(texts)]
    start = spelled.index(iso[0])
    return [
        _span(
            f"the {name}", (iso[group], owners[start + iso.start(group) : start + iso.end(group)])
        )
        for group, name in ((1, "year"), (2, "month"), (3, "day"))
    ]


def shares(weights: Tensor, part: Span, spans: Sequence[Span]) -> Tensor:
    """[L, H, n]: how much of its attention each head gives to each word while a part is written.

    Args:
        weights: [L, H, Q, S] of cross-attention.
    """
    rows = weights[..., list(part.places), :].mean(-2)
    return torch.stack([rows[..., list(span.places)].sum(-1) for span in spans], -1)


def looks(
    weights: Tensor, written: Sequence[Span], spans: Sequence[Span], layers: Sequence[int]
) -> dict[tuple[int, int], list[Look]]:
    """For every head and every part: the word it looks at most, and how much."""
    found: dict[tuple[int, int], list[Look]] = {}
    for part in written if spans else ():
        values, places = shares(weights, part, spans).max(-1)
        for at, layer in enumerate(layers):
            for head in range(weights.shape[1]):
                span = spans[int(places[at, head])]
                look = Look(part, (layer, head), span, float(values[at, head]))
                found.setdefault((layer, head), []).append(look)
    return found


def best(found: dict[tuple[int, int], list[Look]]) -> tuple[int, int] | None:
    """The head that tells the parts apart best: a word that several parts look at counts once."""
    return max(found, key=lambda head: _told_apart(found[head]), default=None)


def _told_apart(looked: Sequence[Look]) -> float:
    most: dict[tuple[int, ...], float] = {}
    for look in looked:
        most[look.span.places] = max(look.weight, most.get(look.span.places, 0.0))
    return sum(most.values())


def _found(texts: Sequence[str | None]) -> list[tuple[str, tuple[int, ...]]]:
    """The words as (text, tokens); eight digits fall into three."""
    spelled, owners = _spelled(texts)
    found = []
    for word in _WORD.finditer(spelled):
        compact = _COMPACT.fullmatch(word[0])
        groups = (1, 2, 3) if compact else (0,)
        match = compact or word
        offset = word.start() if compact else 0
        for group in groups:
            start, end = offset + match.start(group), offset + match.end(group)
            found.append((spelled[start:end], owners[start:end]))
    return found


def _spelled(texts: Sequence[str | None]) -> tuple[str, tuple[int, ...]]:
    """What the tokens spell, and for each character the token that it is of.

    A token that is no text parts what stands around it.
    """
    filled = ["\0" if text is None else text for text in texts]
    owners = [place for place, text in enumerate(filled) for _ in text]
    return "".join(filled), tuple(owners)


def _span(name: str, found: tuple[str, tuple[int, ...]]) -> Span:
    text, owners = found
    return Span(name, text, tuple(dict.fromkeys(owners)))

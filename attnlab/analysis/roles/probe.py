"""Probes: generated texts in which it is known where a head of some role would look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attnlab.trace.token import Token


@dataclass(frozen=True)
class Mark:
    """Characters of a text, by where they stand: ``query`` is looked from, at those of ``target``
    rather than at the ``others``."""

    query: int
    target: tuple[int, ...]
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Probe:
    """One text of a family.

    Attributes:
        given: the text, or the ids of its tokens.
        group: probes that count as one where the spread is taken (the sentences of a pair).
        marks: where to look from and to, in a text.
        core: of ids, which are words rather than what frames every text: from, and up to.
    """

    family: str
    given: str | tuple[int, ...]
    group: int
    marks: tuple[Mark, ...] = ()
    core: tuple[int, int] = (0, 0)

    def words(self, count: int) -> range:
        """Where the words of given ids stand among ``count`` tokens that were fed: a decoder may
        have been given a start token before them."""
        added = count - len(self.given)
        return range(added + self.core[0], added + self.core[1])


@dataclass(frozen=True)
class Looks:
    """Where the queries of one probe would look under one role: bool [Q, S] each.

    ``on``: the keys that count; a query without any does not count. ``among``: the keys that
    chance draws from instead, none of them in ``on``; where the role is a difference, those whose
    weight is taken off.
    """

    on: Tensor
    among: Tensor


def looks_at(
    count: int, on: Sequence[tuple[int, Sequence[int]]], among: Sequence[Sequence[int]]
) -> Looks:
    """Looks of a text of ``count`` tokens from (query, keys) and, for each, the other keys."""
    wanted, others = torch.zeros(2, count, count, dtype=torch.bool)
    for (query, keys), rest in zip(on, among, strict=True):
        wanted[query, list(keys)] = True
        others[query, list(rest)] = True
    return Looks(wanted, others & ~wanted)


def seen_in(tokens: Sequence[Token], causal: bool) -> Tensor:
    """The keys that each query sees: bool [n, n]."""
    seen = torch.ones(len(tokens), len(tokens), dtype=torch.bool)
    return seen.tril() if causal else seen


def owners(text: str, tokens: Sequence[Token]) -> list[int | None] | None:
    """Which token each character of a text is in; None for spaces.

    None altogether where the tokens do not spell the text: an unknown word, or letters that the
    tokenizer changes. Capitals may go, and spaces and line ends are not compared.
    """
    spelled = [
        (char, place)
        for place, token in enumerate(tokens)
        if not token.special
        for char in token.text.lower()
        if not _blank(char)
    ]
    kept = [(place, char) for place, char in enumerate(text.lower()) if not _blank(char)]
    if [char for char, _ in spelled] != [char for _, char in kept]:
        return None
    found: list[int | None] = [None] * len(text)
    for (_, owner), (place, _) in zip(spelled, kept, strict=True):
        found[place] = owner
    return found


def _blank(char: str) -> bool:
    return char.isspace() or char in "↵␣⇥"

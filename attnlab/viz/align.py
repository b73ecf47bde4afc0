"""Which positions of two token lists correspond.

Used wherever two sentences are compared: the difference of two maps, and looking from the same
word in both. The common start and end are matched first. What lies between is matched with
``difflib``, and a replaced stretch is paired position by position from its start. A long stretch
is first cut at tokens that occur once in both (the idea of Bram Cohen's patience diff), because
``difflib`` takes quadratic time and more on repetitive text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from attnlab.viz.tokens import identity

MAX_MATCHED = 600  # tokens of a stretch that difflib matches; beyond, position by position

Pairs = tuple[tuple[int, int], ...]


def _common_prefix(a: Sequence[Any], b: Sequence[Any]) -> int:
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))


def first_difference(tokens_a: Sequence[Any], tokens_b: Sequence[Any]) -> int | None:
    """First position at which the lists differ (the shorter one's length if it is a prefix).

    None when they are equal. In a causal model no earlier row can differ.
    """
    a, b = [identity(t) for t in tokens_a], [identity(t) for t in tokens_b]
    return None if a == b else _common_prefix(a, b)


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of ``pairs`` (rising in the first) that also rises in the second."""
    ends: list[int] = []  # the least last j of a run of each length
    tails: list[int] = []  # the pair at which that run ends
    before: list[int | None] = []  # for each pair: the one before it in its run
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        ends[length : length + 1] = [j]
        tails[length : length + 1] = [at]
        before.append(tails[length - 1] if length else None)
    run, at = [], tails[-1] if tails else None
    while at is not None:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _anchors(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[int, int]]:
    """Pairs of tokens that occur once in ``a`` and once in ``b``, in the same order in both."""
    in_a, in_b = Counter(a), Counter(b)
    where = {token: j for j, token in enumerate(b) if in_b[token] == 1}
    return _longest_rising(
        [(i, where[token]) for i, token in enumerate(a) if in_a[token] == 1 and token in where]
    )


def _stretch(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[int, int]]:
    """Pairs within a stretch without anchors."""
    if max(len(a), len(b)) > MAX_MATCHED:
        return [(i, i) for i in range(min(len(a), len(b)))]
    found = []
    for tag, a0, a1, b0, b1 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag in ("equal", "replace"):
            found += [(a0 + i, b0 + i) for i in range(min(a1 - a0, b1 - b0))]
    return found


def _middle(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[int, int]]:
    """Pairs of positions between the common ends."""
    if max(len(a), len(b)) <= MAX_MATCHED:
        return _stretch(a, b)
    found, i, j = [], 0, 0
    for end_i, end_j in [*_anchors(a, b), (len(a), len(b))]:
        found += [(i + x, j + y) for x, y in _stretch(a[i:end_i], b[j:end_j])]
        if end_i < len(a):
            found.append((end_i, end_j))
        i, j = end_i + 1, end_j + 1
    return found


@lru_cache(maxsize=32)  # one page asks several times about the same two texts
def _pairs(a: tuple[Any, ...], b: tuple[Any, ...]) -> Pairs:
    head = _common_prefix(a, b)
    tail = _common_prefix(a[head:][::-1], b[head:][::-1])
    end_a, end_b = len(a) - tail, len(b) - tail
    middle = [(head + i, head + j) for i, j in _middle(a[head:end_a], b[head:end_b])]
    ends = [(end_a + i, end_b + i) for i in range(tail)]
    return (*((i, i) for i in range(head)), *middle, *ends)


def pairs(tokens_a: Sequence[Any], tokens_b: Sequence[Any]) -> list[tuple[int, int]]:
    """Corresponding positions ``(i of A, j of B)``, rising in both; the unmatched are absent."""
    return list(_pairs(tuple(map(identity, tokens_a)), tuple(map(identity, tokens_b))))


def merged(tokens_a: Sequence[Any], tokens_b: Sequence[Any]) -> list[tuple[int | None, int | None]]:
    """Every position of both lists in reading order, the corresponding ones together.

    ``(i, None)`` is only in A and ``(None, j)`` only in B; between two matches A's come first.
    """
    found: list[tuple[int | None, int | None]] = []
    i = j = 0
    for next_i, next_j in [*pairs(tokens_a, tokens_b), (len(tokens_a), len(tokens_b))]:
        found += [(at, None) for at in range(i, next_i)]
        found += [(None, at) for at in range(j, next_j)]
        if next_i < len(tokens_a):
            found.append((next_i, next_j))
        i, j = next_i + 1, next_j + 1
    return found

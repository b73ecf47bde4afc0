"""Which positions of two token lists correspond.

Used wherever two sentences are compared: the difference of two maps, and looking from the same
word in both. The common start and end are matched first; what lies between is matched with
``difflib``, and a replaced stretch is paired position by position from its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from attnlab.viz.tokens import identity

MAX_MATCHED = 600  # tokens between the common ends; difflib is quadratic on repetitive text


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


def _middle(a: list[Any], b: list[Any]) -> list[tuple[int, int]]:
    """Pairs of positions within the stretch between the common ends."""
    if max(len(a), len(b)) > MAX_MATCHED:
        return [(i, i) for i in range(min(len(a), len(b)))]
    found = []
    for tag, a0, a1, b0, b1 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag in ("equal", "replace"):
            found += [(a0 + i, b0 + i) for i in range(min(a1 - a0, b1 - b0))]
    return found


def pairs(tokens_a: Sequence[Any], tokens_b: Sequence[Any]) -> list[tuple[int, int]]:
    """Corresponding positions ``(i of A, j of B)``, rising in both; the unmatched are absent."""
    a, b = [identity(t) for t in tokens_a], [identity(t) for t in tokens_b]
    head = _common_prefix(a, b)
    tail = _common_prefix(a[head:][::-1], b[head:][::-1])
    end_a, end_b = len(a) - tail, len(b) - tail
    middle = [(head + i, head + j) for i, j in _middle(a[head:end_a], b[head:end_b])]
    return [(i, i) for i in range(head)] + middle + [(end_a + i, end_b + i) for i in range(tail)]

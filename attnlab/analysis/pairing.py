"""Which positions of two texts stand for one another, when a value of one is put into the other."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

Pairs = tuple[tuple[int, int], ...]


def pairs_of(here: Sequence[int], there: Sequence[int]) -> Pairs:
    """Pairs (position here, position there) of two texts' ids, rising in both.

    Texts of one length are paired position by position. Else equal stretches are, and within a
    replaced stretch the last tokens, counted from its end: it is at its last token that a name of
    several has been read (Meng et al. 2022, "Locating and Editing Factual Associations in GPT",
    section 2). The rest has no partner.
    """
    if len(here) == len(there):
        return tuple((i, i) for i in range(len(here)))
    found: list[tuple[int, int]] = []
    matched = SequenceMatcher(None, list(here), list(there), autojunk=False)
    for tag, start, end, first, last in matched.get_opcodes():
        if tag in ("equal", "replace"):
            some = range(min(end - start, last - first), 0, -1)
            found += [(end - back, last - back) for back in some]
    return tuple(found)

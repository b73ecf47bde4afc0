"""Probes of random tokens: what a head does where there is no meaning to go by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attnlab.analysis.roles.probe import Probe
from attnlab.errors import InputError

PERIOD = 40
"""Random tokens before they are repeated, as in Olsson et al. (2022); the first probe has these."""
PLAIN = 40
"""Tokens of a text of the family "plain"."""
_FEWEST = 8


@dataclass(frozen=True)
class Ids:
    """The ids that random probes are drawn from, and what stands before and after every text.

    ``low`` and ``high``: from, and up to but without. ``special``: those in between that are no
    words. ``longest``: tokens that a text may have, or None.
    """

    low: int
    high: int
    special: frozenset[int] = frozenset()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    longest: int | None = None

    def fits(self, count: int) -> int:
        """``count`` tokens, or as many as a text may have beside what frames it.

        Raises:
            InputError: hardly any.
        """
        frame = len(self.before) + len(self.after) + 1  # 1: a decoder's start token
        most = min(count, self.longest - frame if self.longest is not None else count)
        if most < 2 * _FEWEST:
            raise InputError(
                f"Probes need texts of {2 * _FEWEST + frame} tokens; "
                f"this model takes {self.longest}."
            )
        return most

    def draw(self, count: int, seed: int) -> list[int]:
        """Ids drawn evenly, all different as long as there are enough.

        Where none falls twice, they are those of one ``torch.randint``.
        """
        draw = torch.Generator().manual_seed(seed)
        found = dict.fromkeys(self._some(count, draw))
        words = self.high - self.low - len(self.special)
        while len(found) < min(count, words):
            found |= dict.fromkeys(self._some(count, draw))
        ids = list(found)
        return [ids[i % len(ids)] for i in range(count)]

    def _some(self, count: int, draw: torch.Generator) -> list[int]:
        ids = torch.randint(self.low, self.high, (count,), generator=draw).tolist()
        return [i for i in ids if i not in self.special]

    def probe(self, family: str, ids: Sequence[int], number: int) -> Probe:
        """The probe of some ids, framed."""
        start = len(self.before)
        given = (*self.before, *ids, *self.after)
        return Probe(family, given, number, core=(start, start + len(ids)))


def repeated(ids: Ids, count: int, seed: int) -> list[Probe]:
    """Random tokens, then the same again. The first has ``PERIOD``; the others other periods, or a
    head that always looks as far back would pass for one that finds the copy."""
    longest = ids.fits(2 * PERIOD) // 2
    probes = []
    for number in range(count):
        period = longest if number == 0 else max(_FEWEST, longest - 3 * (number % 7) - 1)
        once = ids.draw(period, seed + number)
        probes.append(ids.probe("repeated", once * 2, number))
    return probes


def plain(ids: Ids, count: int, seed: int) -> list[Probe]:
    """Random tokens, all of one length."""
    size = ids.fits(PLAIN)
    drawn = (ids.draw(size, seed + 1000 + number) for number in range(count))
    return [ids.probe("plain", one, number) for number, one in enumerate(drawn)]


def twofold(ids: Ids, count: int, seed: int) -> list[Probe]:
    """Triples X B C and Y B D, shuffled, then all of them again in another order: after B, only
    the token before it tells C from D."""
    middles = max(2, min(8, ids.fits(96) // 12))
    probes = []
    for number in range(count):
        one = ids.draw(5 * middles, seed + 2000 + number)
        triples = []
        for x, y, middle, c, d in zip(*(one[i::5] for i in range(5)), strict=True):
            triples += [(x, middle, c), (y, middle, d)]
        draw = torch.Generator().manual_seed(seed + 3000 + number)
        orders = (torch.randperm(len(triples), generator=draw).tolist() for _ in range(2))
        text = [token for order in orders for i in order for token in triples[i]]
        probes.append(ids.probe("twofold", text, number))
    return probes

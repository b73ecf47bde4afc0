"""Worked examples whose numbers can be followed in the head; the page Step by step opens with them.

Each is the name of one: ``CAT`` passes its numbers on as they are; in ``TIRED`` and ``WIDE`` the
last word asks for a living thing or for a place; the last query of ``COLOURS`` has scores 8, 2, 4;
the verb of ``DOG`` and ``MAN`` asks two questions at once, who comes before it and who after.
"""

from __future__ import annotations

from typing import Final

from attnlab.attention.steps import Matrix, Worked


def _identity(size: int) -> Matrix:
    return tuple(tuple(float(i == j) for j in range(size)) for i in range(size))


def _cat() -> Worked:
    one = _identity(4)
    x = (
        (0.2, -0.4, 0.1, 0.9),
        (1.0, 0.3, -0.6, 0.2),
        (-0.3, 0.8, 0.5, -0.1),
        (0.4, 0.6, 0.9, -0.5),
    )
    return Worked(("The", "cat", "sat", "down"), x, one, one, one, one)


def _decides(word: str, asks: tuple[float, float]) -> Worked:
    """X says whether a word is a living thing, a place, asks for the one, asks for the other."""
    x = ((1.5, 0.0, 0.0, 0.0), (0.0, 1.5, 0.0, 0.0), (0.0, 0.0, *asks))
    offers = ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0))
    wants = ((0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    tokens = ("animal", "street", word)
    return Worked(tokens, x, wants, offers, offers, _identity(2), scaled=False)


def _colours() -> Worked:
    """X picks a row of each W, so that queries, keys and values can be read off them."""
    keys = ((1.0, 1.0, 1.0, 1.0), (1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0))
    queries = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (2.0, 2.0, 2.0, 2.0))
    one = _identity(3)
    return Worked(("red", "green", "blue"), one, queries, keys, one, one)


def _bite(first: str, last: str) -> Worked:
    """X says: dog, man, verb, stands before the verb, stands after it.

    V holds dog and man twice, once for each head: who bites, and who is bitten.
    """
    dog, man = float(first == "dog"), float(first == "man")
    x = ((dog, man, 0.0, 1.0, 0.0), (0.0, 0.0, 1.0, 0.0, 0.0), (man, dog, 0.0, 0.0, 1.0))
    wants = ((0.0, 0.0), (0.0, 0.0), (4.0, 4.0), (0.0, 0.0), (0.0, 0.0))
    offers = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    who = ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    twice = tuple((*row, *row) for row in who)
    tokens = (first, "bites", last)
    return Worked(tokens, x, wants, offers, twice, _identity(4), 2, causal=False, scaled=False)


CAT: Final = _cat()
TIRED: Final = _decides("tired", (2.0, 0.0))
WIDE: Final = _decides("wide", (0.0, 2.0))
COLOURS: Final = _colours()
DOG: Final = _bite("dog", "man")
MAN: Final = _bite("man", "dog")
ALL: Final = (CAT, TIRED, WIDE, COLOURS, DOG, MAN)

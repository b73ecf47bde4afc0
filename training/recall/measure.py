"""The share of right answers by number of pairs, out to twice the longest lists of training."""

from attnlab.recall import LONGEST, Recaller, accuracy

PAIRS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
QUESTIONS = 2_048
"""At least so many for each length."""
SEED = 1_000_003
"""Of the lists, which no training has drawn."""


def lists_of(pairs: int) -> int:
    """How many lists of a length are read."""
    return -(-QUESTIONS // pairs)


def curve(model: Recaller) -> list[float]:
    """The share of right answers at each of ``PAIRS``."""
    return [round(accuracy(model, pairs, lists_of(pairs), SEED), 4) for pairs in PAIRS]


def difference(one: Recaller, other: Recaller) -> float:
    """How far the shares of two models are apart on the longest lists of training."""
    shares = [accuracy(model, LONGEST, lists_of(LONGEST), SEED) for model in (one, other)]
    return abs(shares[0] - shares[1])

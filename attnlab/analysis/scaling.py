"""Why scores are divided by √d: what happens to a softmax as vectors get longer.

The dot product of two vectors of d independent standard normal numbers has mean 0 and variance d:
d products, each of variance 1 (Vaswani et al. 2017, section 3.2.1, footnote 4). So its standard
deviation is √d, and a softmax over such scores goes to one key alone, where its gradient vanishes.
Nothing of that is asserted here: vectors are drawn, and every figure is computed from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

SIZES: Final = tuple(
    sorted({2**power for power in range(13)} | {3 * 2**power for power in range(11)})
)
"""Lengths of vectors: 1 to 4,096 in steps of about √2."""
KEYS: Final = 16
DRAWS: Final = 1024
SEED: Final = 43
"""Its first draw, the one that is shown first, lies near the median of all at every length."""

SIX: Final = tuple(8 * float(np.log(share)) for share in (0.495, 0.016, 0.066, 0.163, 0.102, 0.157))
"""Six raw scores at d = 64: divided by 8 they give a soft blend, as they are all but one key."""
SIX_SIZE: Final = 64


def expected_deviation(d: int) -> float:
    """The standard deviation of a score before scaling, in closed form: √d."""
    return float(np.sqrt(d))


def softmax(scores: np.ndarray) -> np.ndarray:
    """Along the last axis, in float64; the largest score is taken off first: no power overflows."""
    scores = np.asarray(scores, np.float64)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def entropy(weights: np.ndarray) -> np.ndarray:
    """−Σ p log p along the last axis, in nats: log n where n keys share evenly, 0 for one alone."""
    logs = np.log(np.where(weights > 0, weights, 1.0))
    return np.maximum(-(weights * logs).sum(-1), 0.0)


def gradient_size(weights: np.ndarray) -> np.ndarray:
    """‖diag(p) − p pᵀ‖, the Frobenius norm of the softmax's derivative, along the last axis.

    On its diagonal stands p_i (1 − p_i). There 1 − p_i is summed from the other weights, since
    1 − 0.999… would lose all its figures just where the gradient vanishes.
    """
    weights = np.asarray(weights, np.float64)
    count = weights.shape[-1]
    others = weights @ (1.0 - np.eye(count))
    diagonal = (weights * others) ** 2
    beside = weights**2 * ((weights**2) @ (1.0 - np.eye(count)))
    return np.sqrt((diagonal + beside).sum(-1))


@dataclass(frozen=True)
class Compared:
    """One row of scores [n], and what softmax makes of it: (divided by √d, as they are) of each.

    ``even`` is the entropy of an even blend, log n.
    """

    scores: tuple[np.ndarray, np.ndarray]
    weights: tuple[np.ndarray, np.ndarray]
    entropy: tuple[float, float]
    gradient: tuple[float, float]
    even: float


def compared(scores: np.ndarray, d: int) -> Compared:
    """Raw scores of vectors of length d, with and without the division."""
    both = (np.asarray(scores, np.float64) / np.sqrt(d), np.asarray(scores, np.float64))
    weights = tuple(map(softmax, both))
    return Compared(
        both,
        weights,
        tuple(float(entropy(p)) for p in weights),
        tuple(float(gradient_size(p)) for p in weights),
        float(np.log(len(both[0]))),
    )


def nearest(d: int) -> int:
    """The length of ``SIZES`` that is nearest to d, by their ratio."""
    return min(SIZES, key=lambda size: abs(np.log(size / d)))


@dataclass(frozen=True)
class Sample:
    """Scores of one query and n keys, drawn many times, at each length of the vectors.

    ``scores`` [d, draw, n], float64, at the lengths ``sizes``. A draw's vectors are the same at
    every length, cut after d numbers, so that moving along the lengths changes nothing else.
    """

    sizes: tuple[int, ...]
    scores: np.ndarray

    def of(self, d: int, draw: int) -> np.ndarray:
        """[n] the scores of one draw at a length."""
        return self.scores[self.sizes.index(d), draw % self.scores.shape[1]]


def sample(
    seed: int = SEED, draws: int = DRAWS, keys: int = KEYS, sizes: tuple[int, ...] = SIZES
) -> Sample:
    """Draw queries and keys from the standard normal distribution, and their dot products.

    ``sizes`` are lengths in rising order.
    """
    random, longest = np.random.default_rng(seed), max(sizes)
    edges = [0, *sizes[:-1]]
    scores = np.empty((len(sizes), draws, keys))
    for draw in range(draws):
        query = random.standard_normal(longest, np.float32)
        products = query * random.standard_normal((keys, longest), np.float32)
        between = np.add.reduceat(products, edges, axis=1, dtype=np.float64)
        scores[:, draw] = between.cumsum(1).T
    scores.setflags(write=False)
    return Sample(sizes, scores)


@dataclass(frozen=True)
class Curves:
    """Figures against d, each [d]; pairs are (divided by √d, as they are).

    ``deviation``: the standard deviation of all scores. ``entropy``: of the weights, the mean over
    draws, in nats. ``gradient``: the size of the softmax's derivative, mean over draws; ``typical``
    its median, which half of the draws stay below. ``even``: the entropy of an even blend.
    """

    sizes: tuple[int, ...]
    deviation: tuple[np.ndarray, np.ndarray]
    entropy: tuple[np.ndarray, np.ndarray]
    gradient: tuple[np.ndarray, np.ndarray]
    typical: tuple[np.ndarray, np.ndarray]
    even: np.ndarray


def curves(drawn: Sample) -> Curves:
    """What the scores of a sample become, with and without the division."""
    roots = np.sqrt(np.array(drawn.sizes, np.float64))[:, None, None]
    both = [drawn.scores / roots, drawn.scores]
    weights = [softmax(scores) for scores in both]
    sizes = [gradient_size(p) for p in weights]
    pairs = (
        tuple(scores.std((1, 2)) for scores in both),
        tuple(entropy(p).mean(1) for p in weights),
        tuple(size.mean(1) for size in sizes),
        tuple(np.median(size, 1) for size in sizes),
    )
    even = np.full(len(drawn.sizes), np.log(drawn.scores.shape[-1]))
    for line in (even, *(line for pair in pairs for line in pair)):
        line.setflags(write=False)  # sessions share them
    return Curves(drawn.sizes, *pairs, even)

"""How many multiplications each way of ``ways`` needs for n tokens, in closed form.

A score takes D of them, weighing a value E: H · (D + E) for every pair that is computed, those
included that a mask hides within a tile. Softmax, projections and norms are left out: they grow
with the scores, or with n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attnlab.analysis.measured.ways import SHAPE, STATE, WINDOW
from attnlab.attention.linear import CHUNK
from attnlab.attention.tiled import TILE

_PAIR: Final = SHAPE.heads * 2 * SHAPE.size


def naive(n: int) -> int:
    """Every pair, those that the mask hides too."""
    return _PAIR * n**2


def tiled(n: int) -> int:
    """Tiles that reach the diagonal or lie below it."""
    return _PAIR * _pairs(n, n)


def window(n: int) -> int:
    """Tiles in which somebody sees something."""
    return _PAIR * _pairs(n, WINDOW)


def _pairs(n: int, sees: int) -> int:
    """Pairs in the tiles of a causal mask under which a token sees the last ``sees``: each block of
    queries from the first key that its first query sees to its own last."""
    blocks = ((first, min(first + TILE[0], n)) for first in range(0, n, TILE[0]))
    return sum((end - first) * (end - max(0, first - sees + 1)) for first, end in blocks)


def linear(n: int) -> int:
    """The state is read and added to by every token; within a chunk all pairs are computed."""
    full, rest = divmod(n, CHUNK)
    pairs = full * CHUNK**2 + rest**2
    return _PAIR * pairs + n * 2 * SHAPE.heads * SHAPE.size**2


def state(n: int) -> int:
    """Every number of the state fades, is added to, and is read; its fading and the input are
    scaled by the length of the step."""
    return n * SHAPE.width * (4 * STATE + 1)


def cached(n: int) -> int:
    """The newest token with each."""
    return _PAIR * n


COUNTS: Final[dict[str, Callable[[int], int]]] = {
    "naive": naive,
    "tiled": tiled,
    "window": window,
    "linear": linear,
    "state": state,
    "cached": cached,
}

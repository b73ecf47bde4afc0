"""How a head is written: three lengths of one name, layers and heads counted from 0.

The feed-forward of a layer stands among heads as (layer, FEED).
"""

from collections.abc import Sequence
from typing import Final

FEED: Final = -1
"""In the place of a head: the feed-forward of its layer."""


def spelled(head: Sequence[int]) -> str:
    """In a link or a file: L4H2, L4MLP."""
    return f"L{head[0]}MLP" if head[1] == FEED else f"L{head[0]}H{head[1]}"


def short(head: Sequence[int]) -> str:
    """In a sentence or on a button: L4 H2, L4 feed-forward."""
    return f"L{head[0]} feed-forward" if head[1] == FEED else f"L{head[0]} H{head[1]}"


def full(head: Sequence[int]) -> str:
    """As a heading: Layer 4 · Head 2."""
    return f"Layer {head[0]} · Head {head[1]}"

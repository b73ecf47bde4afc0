"""How a head is written: three lengths of one name, layers and heads counted from 0."""

from collections.abc import Sequence


def spelled(head: Sequence[int]) -> str:
    """In a link or a file name: L4H2."""
    return f"L{head[0]}H{head[1]}"


def short(head: Sequence[int]) -> str:
    """In a sentence or on a button: L4 H2."""
    return f"L{head[0]} H{head[1]}"


def full(head: Sequence[int]) -> str:
    """As a heading: Layer 4 · Head 2."""
    return f"Layer {head[0]} · Head {head[1]}"

"""Masks as questions about two positions, that join with & | ~. See ``predicate`` for what one
is and ``patterns`` for the kinds, each drawn in its docstring."""

from attnlab.attention.masks.painted import Changed, Painted
from attnlab.attention.masks.patterns import (
    Bidirectional,
    Causal,
    Document,
    GlobalWindow,
    Padding,
    Prefix,
    SinksWindow,
    Strided,
    Window,
)
from attnlab.attention.masks.predicate import Predicate

__all__ = [
    "Bidirectional",
    "Causal",
    "Changed",
    "Document",
    "GlobalWindow",
    "Padding",
    "Painted",
    "Predicate",
    "Prefix",
    "SinksWindow",
    "Strided",
    "Window",
]

"""Heads of a few plain kinds to set side by side."""

from typing import Final

from attnlab.ui import engine
from attnlab.ui.scene import Scene
from attnlab.ui.selection import DEFAULT, Head

# What a search over SmolLM2's heads on the opening pair found.
_ON_THE_PAIR: Final[dict[str, Head]] = {
    "previous word": (16, 0),
    "finds the subject": (13, 8),
    "finds the street": (4, 2),
    "rests": (18, 6),
}
_NAMES: Final = {"resting": "rests", "focused": "looks hardest"}


def kinds(of: Scene) -> dict[str, Head]:
    """A head of each kind on A, by what it does there; {} where the text is too long for it."""
    if _is_the_pair(of):
        return _ON_THE_PAIR
    found = engine.kinds(of.reader, of.a)
    return {_NAMES.get(kind, kind): head for kind, head in found.items()}


def _is_the_pair(of: Scene) -> bool:
    chosen = of.selection
    ours = (DEFAULT.model, DEFAULT.a, DEFAULT.b)
    return (of.reader.key.model, chosen.a, chosen.b) == ours

"""Which positions of a text an edit changes."""

from __future__ import annotations

from collections.abc import Sequence

from attnlab.attention.stages import HEAD_STAGES
from attnlab.errors import EditError, EditRefused
from attnlab.trace.capture import KEY_VALUE_STAGES
from attnlab.trace.edits.edit import Edit, Fed
from attnlab.trace.given import chosen

KEYED = (*KEY_VALUE_STAGES, *HEAD_STAGES)
"""Stages whose axis of positions is that of the keys."""


def as_positions(value: object) -> tuple[int, ...] | None:
    """``positions=`` as a tuple without repeats; None: all. Raises EditError for anything else."""
    some = chosen("positions", value, int, EditError)
    return None if some is None else tuple(dict.fromkeys(some))


def length_at(fed: Fed, role: str, stage: str) -> int | None:
    """How many positions of a role a text has for a stage; None: not known."""
    size = fed.sizes.get(role)
    return None if size is None else size[stage in KEYED]


def more_at(fed: Fed, role: str, stage: str) -> int:
    """How many of them a generation adds."""
    grows = role == "decoder" or (role == "cross" and stage not in KEYED)
    return fed.more if grows else 0


def placed(
    edit: Edit, positions: tuple[int, ...] | None, fed: Fed, role: str, stage: str
) -> tuple[int, ...] | None:
    """``positions`` counted from the start of a text; None: all.

    Raises:
        EditError: the text does not have one of them.
        EditRefused: they count from the end of a model's own inputs, whose length is not known.
    """
    length = length_at(fed, role, stage)
    if positions is None:
        return None
    if length is None:
        if min(positions) < 0:
            raise EditRefused(
                f"{edit} counts positions from the end, which is not known of a model's own "
                "inputs: count from the start."
            )
        return positions
    last = length + more_at(fed, role, stage)
    wrong = next((p for p in positions if not -length <= p < last), None)
    if wrong is not None:
        raise EditError(f"{edit}: there is no position {wrong}; the {role} has {last} here.")
    return tuple(p + length if p < 0 else p for p in positions)


def spots(here: Sequence[int] | None, places: range) -> list[tuple[int, int]]:
    """Those of some positions that lie among ``places``: which of them, and where among these."""
    if here is None:
        return []
    return [(row, place - places.start) for row, place in enumerate(here) if place in places]

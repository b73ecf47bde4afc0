"""The payload of ranked lists of heads, one beside the other: by weight or by its change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attnlab.viz.bars import digits_of
from attnlab.viz.payload import pack
from attnlab.viz.tokens import row

# Of A, of B, of their difference, of an edit and what it takes back; of none of these.
COLOURS = ("a", "b", "d", "edit", "gold", "ink", "attention")
Ranked = Sequence[tuple[int, int, float]]


def largest(columns: Sequence[tuple[str, str, Ranked]]) -> float:
    """The length of the longest bar: the largest value of all lists, whichever its sign."""
    return max((abs(float(value)) for *_, ranked in columns for *_, value in ranked), default=0.0)


def ranks_payload(
    columns: Sequence[tuple[str, str, Ranked]],
    *,
    selected: tuple[int, int] | None = None,
    label: str = "",
    serial: int = 0,
) -> bytes:
    """Pack lists ``(title, colour, [(layer, head, value), ...])``, best head first.

    The bars of all lists have one scale, the largest value shown. Values of a list of colour "d",
    "edit" or "gold" may be negative: they are drawn to the left of zero, in A's colour, in gold, or
    in the colour of edits.

    Raises:
        ValueError: a colour is not one of :data:`COLOURS`, or a value is not finite.
    """
    lists: list[dict[str, Any]] = []
    for title, colour, ranked in columns:
        if colour not in COLOURS:
            raise ValueError(f"colour {colour!r} is not one of {COLOURS}")
        rows = [[int(layer), int(head), float(value)] for layer, head, value in ranked]
        for layer, head, value in rows:
            if not math.isfinite(value):
                raise ValueError(f"the value of L{layer}H{head} is {value}")
        name = row({"text": title, "raw": title, "id": None})
        lists.append({"title": name, "colour": colour, "rows": rows})
    full = largest(columns)
    header = {
        "columns": lists,
        "full": full,
        "digits": digits_of([full]),
        "selected": None if selected is None else [int(selected[0]), int(selected[1])],
        "label": label,
        "serial": serial,
    }
    return pack(header, {})

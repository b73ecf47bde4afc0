"""The payload of how far each token's vector moved: horizontal bars of cosine distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attnlab.viz.bars import digits_of
from attnlab.viz.payload import pack
from attnlab.viz.tokens import row


def shifts_payload(shifts: Sequence[tuple[Any, float]], *, label: str = "") -> bytes:
    """Pack ``(token, cosine distance)`` in the order of the text; distances in [0, 2].

    Rounding may leave a distance a hair below 0, which is drawn as 0.

    Raises:
        ValueError: a value is no cosine distance.
    """
    distances = [float(distance) for _, distance in shifts]
    for distance in distances:
        if not -1e-4 <= distance <= 2 + 1e-4:
            raise ValueError(f"{distance} is no cosine distance")
    distances = [max(0.0, distance) for distance in distances]
    header = {
        "rows": [
            [row(token), distance] for (token, _), distance in zip(shifts, distances, strict=True)
        ],
        "full": max(distances, default=0.0),
        "digits": digits_of(distances),
        "label": label,
    }
    return pack(header, {})

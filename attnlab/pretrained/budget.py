"""What a run would keep, in bytes, before it keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import psutil

from attnlab.errors import CaptureError
from attnlab.trace.capture import SQUARE_STAGES, Capture

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab

_SHARE = 0.6
"""Of the memory that is free now: a run needs room of its own."""


def require_room(lab: Lab, captures: Sequence[Capture], rows: int, source: int, main: int) -> None:
    """Refuse maps that do not fit into memory, and say what would.

    Args:
        rows: texts in the batch; ``source`` and ``main`` the longest, in tokens.

    Raises:
        CaptureError: the maps asked for would not fit.
    """
    wanted = rows * sum(_bytes(lab, capture, source, main) for capture in captures)
    free = psutil.virtual_memory().available
    if wanted > _SHARE * free:
        stages = ", ".join(sorted({c.stage for c in captures if c.stage in SQUARE_STAGES}))
        raise CaptureError(
            f"Keeping {stages} of {max(source, main):,} tokens takes {wanted / 2**30:,.0f} GiB; "
            f"{free / 2**30:,.0f} are free. Narrow it, al.Capture({stages!r}, layers=, heads=), "
            "or keep weights reduced with thumbnails=64."
        )


def _bytes(lab: Lab, capture: Capture, source: int, main: int) -> int:
    """Of the [Q, S] maps that a capture keeps whole, float32."""
    if capture.stage not in SQUARE_STAGES or capture.thumbnails:
        return 0
    total = 0
    for site in lab.sites:
        if capture.covers(site.role, site.layer):
            queries = source if site.role == "encoder" else main
            queries = queries if capture.queries is None else len(capture.queries)
            keys = main if site.role == "decoder" else source
            heads = site.heads if capture.heads is None else len(capture.heads)
            total += 4 * heads * queries * keys
    return total

"""The payload of "who sees what": the masks of several kinds of transformer on the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.viz.payload import pack
from attnlab.viz.tokens import rows


@dataclass(frozen=True, eq=False)
class Sight:
    """Who may see whom in one kind of transformer.

    Attributes:
        title: the kind, or the model.
        about: one line on it.
        seen: bool [n, n] over what is read, or [n + m, n + m] where m more words are written.
    """

    title: str
    about: str
    seen: np.ndarray

    def joins(self, read: int) -> bool:
        """Whether it has words that are written, beside the `read` ones."""
        return len(self.seen) > read


def check(sights: Sequence[Sight], read: int, written: int) -> None:
    """Refuses tables that do not fit the words.

    Raises:
        ValueError: a table is neither of what is read nor of all words.
    """
    for sight in sights:
        if sight.seen.shape not in ((read, read), (read + written, read + written)):
            raise ValueError(
                f"{sight.title}: {sight.seen.shape} does not fit {read} words and {written} written"
            )


def sees_payload(
    sights: Sequence[Sight],
    tokens: Sequence[Any],
    written: Sequence[Any] = (),
    *,
    row: int = 0,
    label: str = "",
    serial: int = 0,
) -> bytes:
    """Pack the tables with the words that are read and those that are written.

    ``row`` is the position, among the words read, that is first looked from.

    Raises:
        ValueError: a table or the row does not fit the words.
    """
    check(sights, len(tokens), len(written))
    if not 0 <= row < len(tokens):
        raise ValueError(f"position {row} is outside {len(tokens)} tokens")
    header = {
        "sights": [{"title": sight.title, "about": sight.about} for sight in sights],
        "read": rows(tokens),
        "written": rows(written),
        "row": row,
        "label": label,
        "serial": serial,
    }
    return pack(header, {str(at): one.seen.astype(np.uint8) for at, one in enumerate(sights)})

"""The payload of paired bars: probabilities before and after an edit.

Bars always run from 0 to 1, so that the bars of one head can be compared with those of another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attnlab.viz.payload import pack
from attnlab.viz.tokens import row


def digits_of(values: Sequence[float]) -> int:
    """Decimals that leave the largest value about two figures: 2 to 4."""
    top = max(values, default=1.0)
    return 2 if top >= 0.1 else 3 if top >= 0.01 else 4


def _named(name: Any) -> list[Any]:
    """A row's name as a token row: plain strings are drawn as if they were one token."""
    return row({"text": name, "raw": name, "id": None} if isinstance(name, str) else name)


def bars_payload(
    pairs: Sequence[tuple[Any, float, float]],
    *,
    names: tuple[str, str] = ("as trained", "without the head"),
    label: str = "",
) -> bytes:
    """Pack ``(token or string, before, after)`` rows; probabilities in [0, 1].

    Raises:
        ValueError: a value is no probability.
    """
    values = [float(value) for _, before, after in pairs for value in (before, after)]
    for value in values:
        if not 0 <= value <= 1 + 1e-6:
            raise ValueError(f"{value} is no probability")
    header: Mapping[str, Any] = {
        "rows": [[_named(name), float(before), float(after)] for name, before, after in pairs],
        "names": list(names),
        "label": label,
        "digits": digits_of(values),
    }
    return pack(header, {})

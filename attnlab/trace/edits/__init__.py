"""Edits: frozen values that change attention for one run. One file a kind."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from attnlab.errors import EditError
from attnlab.trace.edits.donor import Corpus, Donor
from attnlab.trace.edits.edit import Bound, Edit, Fed
from attnlab.trace.edits.feed_forward import MeanFeedForward, ZeroFeedForward
from attnlab.trace.edits.heads import MeanHead, ZeroHead
from attnlab.trace.edits.mask import Mask
from attnlab.trace.edits.patch import Patch, ResampleHead
from attnlab.trace.edits.pattern import Pattern
from attnlab.trace.edits.positions import Positions
from attnlab.trace.edits.temperature import Temperature
from attnlab.trace.given import brief

__all__ = [
    "Bound",
    "Corpus",
    "Donor",
    "Edit",
    "Fed",
    "Mask",
    "MeanFeedForward",
    "MeanHead",
    "Patch",
    "Pattern",
    "Positions",
    "ResampleHead",
    "Temperature",
    "ZeroFeedForward",
    "ZeroHead",
    "edit_from_json",
]

_KINDS: dict[str, type[Edit]] = {
    cls.__dataclass_fields__["kind"].default: cls
    for cls in (
        *(ZeroHead, MeanHead, ResampleHead, Patch),
        *(ZeroFeedForward, MeanFeedForward),
        *(Pattern, Temperature, Mask, Positions),
    )
}


def edit_from_json(data: dict[str, Any]) -> Edit:
    """The edit that ``to_json`` wrote.

    Raises:
        EditError: an unknown kind, or a field that this kind does not have.
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    cls = _KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise EditError(f"There is no edit of kind {brief(kind)}; there are {', '.join(_KINDS)}.")
    known = {f.name: f for f in fields(cls) if f.init}
    for name in data:
        if name not in known and name != "kind":
            raise EditError(f"An edit of kind {kind!r} has no field {brief(name)}.")
    lacking = [name for name, f in known.items() if f.default is MISSING and name not in data]
    if lacking:
        raise EditError(f"An edit of kind {kind!r} is incomplete: it needs {', '.join(lacking)}.")
    return cls(**{name: value for name, value in data.items() if name in known})

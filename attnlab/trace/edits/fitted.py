"""A mask edit fitted to a text: refused where sizes differ, longer where tokens will follow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from attnlab.errors import EditError

if TYPE_CHECKING:
    from attnlab.trace.edits.mask import Mask


def fitted(mask: Mask, role: str, size: tuple[int, int], more: int) -> Mask:
    """The mask for a text of a role's queries and keys, and the tokens generated after it.

    Raises:
        EditError: it was painted for another size, has ids for other tokens, or changes a cell
            that is not there. The sentence names both sizes.
    """
    queries, keys = size
    if mask.rows and (len(mask.rows), len(mask.rows[0])) != size:
        raise EditError(
            f"This mask is painted for {len(mask.rows)} queries and {len(mask.rows[0])} keys; "
            f"the {role} has {queries} and {keys} here."
        )
    if mask.documents and len(mask.documents) != keys:
        raise EditError(
            f"These are the documents of {len(mask.documents)} tokens; the {role} has {keys} here."
        )
    grows = (0 if role == "encoder" else more, more if role == "decoder" else 0)
    for query, key in (*mask.shown, *mask.hidden):
        if query >= queries + grows[0] or key >= keys + grows[1]:
            raise EditError(
                f"There is no cell ({query}, {key}); the {role} has {queries + grows[0]} queries "
                f"and {keys + grows[1]} keys here."
            )
    if max(mask.globals, default=-1) >= keys + grows[1]:
        raise EditError(
            f"There is no token {max(mask.globals)} to be global; the {role} has "
            f"{keys + grows[1]} here."
        )
    if not more or role == "encoder":
        return mask
    if mask.rows:
        return replace(mask, rows=_longer(mask.rows, role, more))
    if mask.documents:
        return replace(mask, documents=mask.documents + mask.documents[-1:] * more)
    return mask


def _longer(rows: tuple[str, ...], role: str, more: int) -> tuple[str, ...]:
    """New tokens see all that came before them, and nobody before sees them."""
    keys = len(rows[0])
    if role == "cross":
        return rows + ("1" * keys,) * more
    old = tuple(row + "0" * more for row in rows)
    return old + tuple(("1" * (keys + i + 1)).ljust(keys + more, "0") for i in range(more))

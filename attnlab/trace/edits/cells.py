"""Tables and cells of masks as callers give them, as the strings and pairs that a Mask holds."""

from __future__ import annotations

from typing import Any

import torch

from attnlab.errors import EditError
from attnlab.trace.given import brief, several, whole


def painted_rows(matrix: Any) -> tuple[str, ...]:
    """A matrix [Q, S] of any kind as a string of 0 and 1 for each query.

    Raises:
        EditError: it is no matrix of numbers, has no cell, or holds a number that is none.
    """
    try:
        table = torch.as_tensor(matrix)
        table = (table.to_dense() if table.is_sparse else table).detach().cpu()
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise EditError(
            "A painted mask is a matrix [Q, S] of 0 and 1, with rows of one length, not "
            f"{brief(matrix)}."
        ) from error
    if table.dim() != 2:
        raise EditError(f"A painted mask is a matrix [Q, S]; this has {table.dim()} axes.")
    if not table.numel():
        raise EditError(
            f"A painted mask has at least one row and one column; this is "
            f"{table.shape[0]} × {table.shape[1]}."
        )
    if table.is_complex() or bool(table.isnan().any()):
        raise EditError("A painted mask holds 0 and 1, true and false; this has other numbers.")
    return tuple("".join(map(str, row)) for row in table.bool().int().tolist())


def rows_of(given: Any) -> tuple[str, ...]:
    """Strings of 0 and 1, one for each query.

    Raises:
        EditError: they are something else.
    """
    rows = () if given is None or isinstance(given, str) else several("rows", given, EditError)
    if isinstance(given, str) or not all(isinstance(row, str) for row in rows):
        raise EditError(
            'rows= takes strings of 0 and 1, one for each query: ("10", "11"); '
            f"Mask.painted takes a matrix. This is {brief(given)}."
        )
    return tuple(map(str, rows))


def cells_of(name: str, given: Any) -> tuple[tuple[int, int], ...]:
    """Cells as pairs of ints, in order, each once.

    Raises:
        EditError: they are no pairs of whole numbers.
    """
    if getattr(given, "ndim", 0) and hasattr(given, "tolist"):
        given = given.tolist()
    cells = set()
    for cell in several(name, given, EditError):
        pair = () if isinstance(cell, str | bytes) else several(name, cell, EditError, ordered=True)
        if len(pair) != 2:
            raise EditError(f"{name} takes cells (query, key), not {brief(cell)}.")
        cells.add(tuple(whole(name, place, EditError) for place in pair))
    return tuple(sorted(cells))

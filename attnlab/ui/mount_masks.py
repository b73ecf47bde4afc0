"""A mask or a pattern that is painted by hand, and how far a mask reaches, mounted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from attnlab.ui import masks_cells
from attnlab.ui.choice import Choice, clicked, index, settle, settled
from attnlab.ui.masks_cells import Painted
from attnlab.ui.register import register
from attnlab.viz.cone import cone_payload
from attnlab.viz.paint import Looks, Weighed, paint_payload
from attnlab.viz.tokens import identity

_PAINT = register("paint")
_CONE = register("cone")


def _read_painted(click: Mapping[str, Any], scope: tuple[Any, ...]) -> Choice | None:
    """(row, cells) of what a browser sent; ``scope`` begins with the words, and their keys."""
    count, across = map(len, scope[:2])
    row = index(click.get("row"), count)
    cells = masks_cells.clicked(click.get("cells"), max(count, across))
    if row is None or cells is None or cells != cells.within(count, across):
        return None
    return (row, cells)


def paint_value(key: str) -> tuple[int, Painted] | None:
    """The word looked from and the cells painted by hand in ``key``; None before."""
    return clicked(key, _read_painted)


def paint(
    key: str,
    *,
    words: Sequence[Any],
    base: np.ndarray,
    cells: Painted,
    row: int,
    keys: Sequence[Any] | None = None,
    looks: Looks | None = None,
    predicts: bool = True,
    weighed: Weighed | None = None,
    label: str = "",
    on_change: Callable[[], None] | None = None,
) -> None:
    """Who may look at whom, to be painted; or who looks at whom.

    Args:
        key: the Streamlit key.
        words, base: n words, and bool [n, m], what the pattern shows.
        cells: what the page believes is painted over it.
        row: the word that the page believes is looked from.
        keys, looks, predicts, weighed, label: as in :func:`attnlab.viz.paint.paint_payload`.
        on_change: called, before the script runs, when a stroke is done.

    Raises:
        ValueError: a table or a cell does not fit the words.
    """
    seen = words if keys is None else keys
    scope = (tuple(map(identity, words)), tuple(map(identity, seen)), base.tobytes())
    wanted = (row, cells)
    serial, _ = settle(key, scope, wanted, wanted, _read_painted)
    # Also what was painted by hand: a browser that builds the picture anew starts from it.
    first, start = settled(key)
    painted = [(*cell, 1) for cell in start.shown] + [(*cell, 0) for cell in start.hidden]
    data = paint_payload(
        words,
        base,
        cells=painted,
        row=first,
        keys=keys,
        looks=looks,
        predicts=predicts,
        weighed=weighed,
        label=label,
        serial=serial,
    )
    _PAINT(key=key, data=data, on_chosen_change=on_change)


def _read_cone(click: Mapping[str, Any], scope: tuple[int, int]) -> Choice | None:
    """(row, layers) of what a browser sent; ``scope``: how many words and layers there are."""
    row, layers = index(click.get("row"), scope[0]), index(click.get("layers"), scope[1] + 1)
    return (row, layers) if row is not None and layers else None


def cone_value(key: str) -> tuple[int, int] | None:
    """The word at the top and the layers last chosen by hand in ``key``; None before."""
    return clicked(key, _read_cone)


def cone(
    key: str,
    *,
    words: Sequence[Any],
    visible: np.ndarray,
    held: np.ndarray,
    row: int,
    layers: int,
    formulas: Sequence[str] = (),
    label: str = "",
    on_change: Callable[[], None] | None = None,
) -> None:
    """How far back a word hears, layer by layer.

    Args:
        key: the Streamlit key.
        words, visible, held, formulas, label: as in :func:`attnlab.viz.cone.cone_payload`.
        row, layers: what the page believes stands at the top, and how many layers are shown.
        on_change: called, before the script runs, when one of these is chosen by hand.

    Raises:
        ValueError: something does not fit.
    """
    scope = (len(words), len(held) - 1)
    wanted = (row, layers)
    serial, (first, start) = settle(key, scope, wanted, wanted, _read_cone)
    data = cone_payload(
        words,
        visible,
        held,
        row=first,
        layers=start,
        formulas=formulas,
        label=label,
        serial=serial,
    )
    _CONE(key=key, data=data, on_chosen_change=on_change)

"""The drawn components of the pages, mounted: here the grid of heads, one head and paired bars.

The others come from ``mount_heads.py`` and ``mount_words.py``; pages find all of them here.

Each is registered once, when this module is imported. What is chosen in a picture (the head, the
looked-from word) lives in the browser, see ``choice.py``: it is kept out of what is sent, so that a
click does not send every map again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from attnlab.ui.choice import Choice, clicked, index, settle, settled
from attnlab.ui.mount_heads import ranks, ranks_value
from attnlab.ui.mount_words import pick, pick_value
from attnlab.ui.register import nothing, register
from attnlab.viz.bars import bars_payload
from attnlab.viz.grid import grid_payload
from attnlab.viz.head import follow, head_payload, settle_row
from attnlab.viz.tokens import identity

__all__ = [
    "bars",
    "grid",
    "grid_value",
    "head",
    "head_value",
    "pick",
    "pick_value",
    "ranks",
    "ranks_value",
]

Head = tuple[int, int]

_GRID = register("grid")
_HEAD = register("head")
_BARS = register("bars")


def _read_head(click: Mapping[str, Any], scope: tuple[int, int]) -> Choice | None:
    """(layer, head) of a click on a grid of ``scope`` = (layers, heads)."""
    head = (index(click.get("layer"), scope[0]), index(click.get("head"), scope[1]))
    return None if None in head else head


def grid_value(key: str) -> Head | None:
    """The head last chosen by hand in the grid ``key``; for use in its ``on_change``."""
    return clicked(key, _read_head)


def grid(
    key: str,
    *,
    a: np.ndarray,
    tokens_a: Sequence[Any],
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    selected: Head | None = None,
    on_change: Callable[[], None] | None = None,
    **options: Any,
) -> Head:
    """Every head of a model on one canvas; returns the chosen (layer, head).

    Args:
        key: the Streamlit key.
        a, b: [L, H, q, s], uint8 or float in [0, 1], at most 64 a side.
        tokens_a, tokens_b: tokens, or plain dicts of them.
        selected: the head that the page believes is chosen; None for no opinion.
        on_change: called, before the script runs, when a head is chosen by hand.
        options: view, drop_first, causal, marks, layers, label, sources_a, sources_b, as in
            :func:`attnlab.viz.grid.grid_payload`.

    Raises:
        ValueError: shapes, view or selection do not fit.
    """
    wanted = None if selected is None else (int(selected[0]), int(selected[1]))
    serial, start = settle(key, tuple(a.shape[:2]), wanted, (0, 0), _read_head)
    data = grid_payload(
        a, tokens_a, b=b, tokens_b=tokens_b, selected=start, serial=serial, **options
    )
    _GRID(key=key, data=data, on_chosen_change=on_change or nothing)
    return settled(key)


def _read_pin(click: Mapping[str, Any], scope: tuple[Choice, Choice]) -> Choice | None:
    """(row_a, row_b, side, position) of a click on words of ``scope``; row_b None without B."""
    rows = [index(click.get(f"row_{side}"), len(scope[i])) for i, side in enumerate("ab")]
    side, position = click.get("side"), click.get("position")
    if side not in ("A", "B") or rows[0] is None or (scope[1] and rows[1] is None):
        return None
    place = index(position, len(scope["AB".index(side)]))
    return None if place is None else (*rows, side, place)


def _read_rows(click: Mapping[str, Any], scope: tuple[Choice, Choice]) -> Choice | None:
    pin = _read_pin(click, scope)
    return None if pin is None else pin[:2]


def head_value(key: str) -> dict[str, Any] | None:
    """The word last clicked in the head ``key``: side, position, row_a, row_b; None before."""
    pin = clicked(key, _read_pin)
    if pin is None:
        return None
    row_a, row_b, side, position = pin
    return {"side": side, "position": position, "row_a": row_a, "row_b": row_b}


def head(
    key: str,
    *,
    a: np.ndarray,
    tokens_a: Sequence[Any],
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    row_a: int | None = None,
    row_b: int | None = None,
    on_change: Callable[[], None] | None = None,
    **options: Any,
) -> dict[str, Any] | None:
    """One head's weights as words with arcs, or as a matrix; returns the clicked word.

    Args:
        key: the Streamlit key.
        a, b: [Q, S] float weights of the same head on each sentence.
        tokens_a, tokens_b: tokens, or plain dicts of them.
        row_a, row_b: the positions looked from; None for no opinion (at first: the last word,
            and B follows A by alignment).
        on_change: called, before the script runs, when a word is clicked.
        options: mode, causal, sink, label, sources_a, sources_b, as in
            :func:`attnlab.viz.head.head_payload`.

    Returns:
        None until a word of these sentences was clicked, then a dict with side ("A" or "B"),
        position, row_a and row_b (None without B).

    Raises:
        ValueError: shapes, mode or rows do not fit.
    """
    scope = tuple(tuple(identity(t) for t in side or ()) for side in (tokens_a, tokens_b))
    default = _rows(tokens_a, tokens_b, None, None)
    wanted = None
    if row_a is not None or row_b is not None:
        wanted = _rows(tokens_a, tokens_b, row_a, row_b)
    serial, start = settle(key, scope, wanted, default, _read_rows)
    data = head_payload(
        a,
        tokens_a,
        b=b,
        tokens_b=tokens_b,
        row_a=start[0],
        row_b=start[1],
        serial=serial,
        **options,
    )
    _HEAD(key=key, data=data, on_chosen_change=on_change or nothing)
    return head_value(key)


def _rows(
    tokens_a: Sequence[Any], tokens_b: Sequence[Any] | None, row_a: int | None, row_b: int | None
) -> Choice:
    """Both looked-from positions, the missing ones filled in."""
    first = settle_row(row_a, len(tokens_a))
    if tokens_b is None:
        return (first, None)
    if row_b is None and row_a is not None:
        row_b = follow(row_a, tokens_a, tokens_b)
    return (first, settle_row(row_b, len(tokens_b)))


def bars(
    key: str,
    *,
    rows: Sequence[tuple[Any, float, float]],
    names: tuple[str, str] = ("as trained", "without the head"),
    side: str | None = None,
    label: str = "",
) -> None:
    """Paired bars with both figures: probabilities before and after an edit.

    Raises:
        ValueError: a value is no probability.
    """
    _BARS(key=key, data=bars_payload(rows, names=names, side=side, label=label))

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
from attnlab.ui.mount_heads import circuits, compare, compare_value, ranks, ranks_value
from attnlab.ui.mount_words import pick, pick_value, shifts
from attnlab.ui.register import register
from attnlab.ui.selection import Head
from attnlab.viz.bars import bars_payload
from attnlab.viz.grid import grid_payload
from attnlab.viz.head import follow, head_payload, settle_row
from attnlab.viz.tokens import identity

__all__ = [
    "bars",
    "circuits",
    "compare",
    "compare_value",
    "grid",
    "grid_value",
    "head",
    "head_value",
    "pick",
    "pick_value",
    "ranks",
    "ranks_value",
    "shifts",
]

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
        options: view, drop_first, causal, ranks, layers, label, sources_a, sources_b, start,
            left_out, edited, as in :func:`attnlab.viz.grid.grid_payload`.

    Raises:
        ValueError: shapes, view or selection do not fit.
    """
    wanted = None if selected is None else (int(selected[0]), int(selected[1]))
    serial, start = settle(key, tuple(a.shape[:2]), wanted, (0, 0), _read_head)
    data = grid_payload(
        a, tokens_a, b=b, tokens_b=tokens_b, selected=start, serial=serial, **options
    )
    _GRID(key=key, data=data, on_chosen_change=on_change)
    return settled(key)


def _read_pin(click: Mapping[str, Any], scope: tuple[Choice, ...]) -> Choice | None:
    """(row_a, row_b, side, position, key) of a click on the words of ``scope``.

    ``row_b`` is None without B, ``key`` where no word that is looked at was clicked. ``scope``
    holds the words of A and of B, then those that A and B can look at.
    """
    rows = [index(click.get(f"row_{side}"), len(scope[i])) for i, side in enumerate("ab")]
    side = click.get("side")
    if side not in ("A", "B") or rows[0] is None or (scope[1] and rows[1] is None):
        return None
    place = index(click.get("position"), len(scope["AB".index(side)]))
    looked_at = click.get("key")
    key = index(looked_at, len(scope[2 + "AB".index(side)]))
    if place is None or (key is None and looked_at is not None):
        return None
    return (*rows, side, place, key)


def _read_kept(click: Mapping[str, Any], scope: tuple[Choice, ...]) -> Choice | None:
    """What a click changes: (row_a, row_b, side, key), the last two None without a key word."""
    pin = _read_pin(click, scope)
    if pin is None:
        return None
    row_a, row_b, side, _, key = pin
    return (row_a, row_b, None if key is None else side, key)


def head_value(key: str) -> dict[str, Any] | None:
    """What was last clicked in the head ``key``; None before.

    A dict with side ("A" or "B"), position (the word that looks), row_a and row_b (None without
    B), and key: the position in ``side`` of the word looked at, None where none was clicked.
    """
    pin = clicked(key, _read_pin)
    if pin is None:
        return None
    return dict(zip(("row_a", "row_b", "side", "position", "key"), pin, strict=True))


def head(
    key: str,
    *,
    a: np.ndarray,
    tokens_a: Sequence[Any],
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    row_a: int | None = None,
    row_b: int | None = None,
    key_position: int | None = None,
    side: str | None = None,
    on_change: Callable[[], None] | None = None,
    **options: Any,
) -> dict[str, Any] | None:
    """One head's weights as words with arcs, as a matrix, or as B − A; returns what was clicked.

    Args:
        key: the Streamlit key.
        a, b: [Q, S] float weights of the same head on each sentence.
        tokens_a, tokens_b: tokens, or plain dicts of them.
        sources_a, sources_b: the words that can be looked at, where they are others.
        row_a, row_b: the positions looked from; None for no opinion (at first: the last word,
            and B follows A by alignment).
        key_position: the word marked as looked at; None for none (or, without rows, no opinion).
        side: "A" or "B", the sentence of ``key_position``; None for the last there is.
        on_change: called, before the script runs, when a word or a cell is clicked.
        options: mode, causal, sink, lead, edited, forgets, label, as in
            :func:`attnlab.viz.head.head_payload`.

    Returns:
        None until a word of these sentences was clicked, then as :func:`head_value` says.

    Raises:
        ValueError: shapes, mode or positions do not fit.
    """
    words = (tokens_a, tokens_b, sources_a or tokens_a, sources_b or tokens_b)
    scope = tuple(tuple(map(identity, axis or ())) for axis in words)
    wanted = None
    if (row_a, row_b, key_position) != (None, None, None):
        last = "A" if tokens_b is None else "B"
        kept = (None, None) if key_position is None else (side or last, key_position)
        wanted = (*_rows(tokens_a, tokens_b, row_a, row_b), *kept)
    default = (*_rows(tokens_a, tokens_b, None, None), None, None)
    serial, start = settle(key, scope, wanted, default, _read_kept)
    names = ("row_a", "row_b", "side", "key_position")
    options |= dict(zip(names, start, strict=True))
    sources = {"sources_a": sources_a, "sources_b": sources_b}
    data = head_payload(a, tokens_a, b=b, tokens_b=tokens_b, **sources, serial=serial, **options)
    _HEAD(key=key, data=data, on_chosen_change=on_change)
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
    label: str = "",
) -> None:
    """Paired bars with both figures: probabilities before and after an edit.

    Raises:
        ValueError: a value is no probability.
    """
    _BARS(key=key, data=bars_payload(rows, names=names, label=label))

"""The masks of several kinds of transformer, mounted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnlab.ui.choice import Choice, clicked, index, settle
from attnlab.ui.register import register
from attnlab.viz.sees import Sight, sees_payload
from attnlab.viz.tokens import identity

_SEES = register("sees")


def _read_position(click: Mapping[str, Any], scope: Choice) -> Choice | None:
    """(position,) of a click on one of the words of ``scope``."""
    position = index(click.get("position"), len(scope))
    return None if position is None else (position,)


def sees_value(key: str) -> int | None:
    """The position of the word that was last chosen by hand in ``key``; None before."""
    chosen = clicked(key, _read_position)
    return None if chosen is None else chosen[0]


def sees(
    key: str,
    *,
    sights: Sequence[Sight],
    tokens: Sequence[Any],
    written: Sequence[Any] = (),
    row: int | None = None,
    label: str = "",
    on_change: Callable[[], None] | None = None,
) -> None:
    """Who may see whom, a table for each kind of transformer over the same words.

    Args:
        key: the Streamlit key.
        tokens, written: the words that are read, and those that are written.
        row: the position, among the words read, that the page believes is looked from; None for no
            opinion (at first: the one in the middle).
        label: what the picture is, for screen readers.
        on_change: called, before the script runs, when a word that is read is chosen by hand.

    Raises:
        ValueError: a table or the row does not fit the words.
    """
    scope = tuple(map(identity, tokens))
    wanted = None if row is None else (row,)
    serial, (start,) = settle(key, scope, wanted, (len(tokens) // 2,), _read_position)
    data = sees_payload(sights, tokens, written, row=start, label=label, serial=serial)
    _SEES(key=key, data=data, on_chosen_change=on_change)

"""Components that set several heads side by side, mounted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnlab.ui.choice import Choice, clicked, settle
from attnlab.ui.register import nothing, register
from attnlab.viz.ranks import Ranked, ranks_payload

_RANKS = register("ranks")

Head = tuple[int, int]  # layer and head, as the model counts them


def _read_listed(click: Mapping[str, Any], scope: frozenset[Head]) -> Choice | None:
    """(layer, head) of a click, if it is one of the heads of ``scope``."""
    named = (click.get("layer"), click.get("head"))
    return next((head for head in scope if head == named), None)


def ranks_value(key: str) -> dict[str, int] | None:
    """The head last chosen by hand in the lists ``key``: layer, head; None before."""
    head = clicked(key, _read_listed)
    return None if head is None else {"layer": head[0], "head": head[1]}


def ranks(
    key: str,
    *,
    columns: Sequence[tuple[str, str, Ranked]],
    selected: Head | None = None,
    label: str = "",
    on_change: Callable[[], None] | None = None,
) -> dict[str, int] | None:
    """Ranked lists of heads with bars on one scale; returns the head chosen in them.

    Args:
        key: the Streamlit key.
        columns: lists (title, "a" | "b" | "d", [(layer, head, value), ...]), best first; layers
            as the model counts them.
        selected: the head that the page believes is chosen.
        label: what the lists are, for screen readers.
        on_change: called, before the script runs, when a head is chosen by hand.

    Returns:
        None until a head of these lists was clicked, then a dict with layer and head.

    Raises:
        ValueError: a colour or a value does not fit.
    """
    scope = frozenset((int(row[0]), int(row[1])) for _, _, ranked in columns for row in ranked)
    wanted = () if selected is None else (int(selected[0]), int(selected[1]))
    serial, start = settle(key, scope, wanted, wanted, _read_listed)
    data = ranks_payload(columns, selected=start or None, label=label, serial=serial)
    _RANKS(key=key, data=data, on_chosen_change=on_change or nothing)
    return ranks_value(key)

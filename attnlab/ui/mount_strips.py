"""The component of long vectors, mounted: a key chosen in its row comes back to the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnlab.ui.choice import Choice, clicked, index, settle
from attnlab.ui.register import register
from attnlab.viz.strips import Section, strips_payload
from attnlab.viz.tokens import identity

_STRIPS = register("strips")


def _read_key(click: Mapping[str, Any], scope: tuple[Any, ...]) -> Choice | None:
    """(key,) of a click on a word of ``scope``."""
    key = index(click.get("key"), len(scope))
    return None if key is None else (key,)


def strips_value(key: str) -> int | None:
    """The position of the word last chosen by hand in the rows of ``key``; None before."""
    chosen = clicked(key, _read_key)
    return None if chosen is None else chosen[0]


def strips(
    key: str,
    *,
    sections: Sequence[Section],
    words: Sequence[Any] = (),
    chosen: int | None = None,
    side: str = "A",
    label: str = "",
    on_change: Callable[[], None] | None = None,
) -> None:
    """Long vectors and what is made of them, section by section.

    Args:
        key: the Streamlit key.
        words: the tokens among which a row chooses; ``chosen`` is the position of the chosen one.
        side: "A" or "B", the text whose colour is used.
        label: what it is, for screen readers.
        on_change: called, before the script runs, when a word is chosen by hand.

    Raises:
        ValueError: something does not fit.
    """
    scope = tuple(map(identity, words))
    serial, start = settle(key, scope, (chosen,), (chosen,), _read_key)
    data = strips_payload(sections, side=side, label=label, chosen=start[0], serial=serial)
    _STRIPS(key=key, data=data, on_chosen_change=on_change)

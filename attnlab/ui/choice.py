"""Who decides what is chosen in a picture: the browser, or the page.

The choice lives in the browser, so that a click sends nothing back but itself. The page passes
what it believes is chosen; only when that is news does a new serial number travel with it, and
the browser adopts it. A click carries the serial under which it was made, so that one made before
the page decided otherwise counts no more. Nor does one that comes between an experiment that was
opened and the picture of it, which is not mounted yet: see `outdate`.

What a click says comes from outside, so it is read by a reader that checks it against the scope
(what there is to choose from) and gives None for anything that does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

Choice = tuple[Any, ...]
Reader = Callable[[Mapping[str, Any], Any], Choice | None]
_AGE = "_age_of_pictures"


def _held(key: str) -> dict[str, Any] | None:
    """What is remembered of ``key``: serial, scope, where the browser starts, what is chosen,
    and of what age it is."""
    return st.session_state.get(f"_{key}_held")


def outdate() -> None:
    """Whatever was chosen in the pictures of before counts no more; for use in a callback."""
    st.session_state[_AGE] = _age() + 1


def _age() -> int:
    return st.session_state.get(_AGE, 0)


def clicked(key: str, read: Reader) -> Choice | None:
    """The last choice made by hand in the component ``key``, if it still counts."""
    held, state = _held(key), st.session_state.get(key)
    value = state.get("chosen") if isinstance(state, Mapping) else None
    if held is None or held["age"] != _age() or not isinstance(value, Mapping):
        return None
    if value.get("serial") != held["serial"]:
        return None
    return read(value, held["scope"])


def settle(
    key: str, scope: Any, wanted: Choice | None, default: Choice, read: Reader
) -> tuple[int, Choice]:
    """Settle the choice before the component is mounted; returns (serial, where it starts).

    When ``scope`` changes, or after :func:`outdate`, earlier choices no longer count. A new click
    wins over the ``wanted`` that the page still holds from before it; a ``wanted`` that is neither
    the click nor what the page knew wins over all; else what was chosen stays. None wants nothing.
    """
    held = _held(key)
    if held is None or held["scope"] != scope:
        start = default if wanted is None else wanted
        serial = 1 if held is None else held["serial"] + 1
        held = {"serial": serial, "scope": scope, "start": start, "known": start}
    elif held["age"] != _age():
        start = held["known"] if wanted is None else wanted
        held = {**held, "serial": held["serial"] + 1, "start": start, "known": start}
    else:
        by_hand = clicked(key, read)
        current = held["start"] if by_hand is None else by_hand
        stale = current != held["known"] and wanted == held["known"]
        if wanted is None or wanted == current or (by_hand is not None and stale):
            held = {**held, "known": current}
        else:
            held = {**held, "serial": held["serial"] + 1, "start": wanted, "known": wanted}
    st.session_state[f"_{key}_held"] = {**held, "age": _age()}
    return held["serial"], held["start"]


def settled(key: str) -> Choice:
    """What is chosen now, after :func:`settle`."""
    return st.session_state[f"_{key}_held"]["known"]


def index(value: Any, count: int) -> int | None:
    """``value`` as an index below ``count``, or None where it is none."""
    # Numbers come back from the browser as int or as whole floats.
    whole = type(value) in (int, float) and value % 1 == 0
    return int(value) if whole and 0 <= value < count else None

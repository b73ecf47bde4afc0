"""Links to experiments: one that names an experiment and nothing else asks for all of it."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Protocol

import streamlit as st

from attnlab.ui import address, own, state
from attnlab.ui.own import Page, Value

_IN_SIDEBAR = ("model", "device", "dtype", "ours")
"""Their widgets are drawn before a page runs, so that what they say holds from the next run on."""


class Stage(Protocol):
    """What one click on an experiment shows: a page's own values, and some of all pages'."""

    value: Any
    shared: Mapping[str, Any]


def whole(page: Page[Value], value: Value, found: Stage | None) -> Value:
    """The values that a link asks for.

    Args:
        value: what the address says, with a field `lesson`.
        found: the experiment of that name, or None where there is none; then a sentence is said.
            Its model is opened where the link names none, in another run of the script.
    """
    if not value.lesson:
        return value
    if found is None:
        doubt = f"There is no experiment “{value.lesson}” here, so it was left out."
        return own.correct(page, doubt, lesson="")
    if not own.opened(page) or value != replace(page.default, lesson=value.lesson):
        return value
    now, named = state.current(), address.read(_IN_SIDEBAR)
    shared = {
        name: wish
        for name, wish in found.shared.items()
        if name not in named and getattr(now, name) != wish
    }
    if shared:
        state.correct(**shared)
    value = own.correct(page, **{one.name: getattr(found.value, one.name) for one in fields(value)})
    if shared.keys() & set(_IN_SIDEBAR):
        state.publish(state.current())
        own.publish(page, value)
        st.rerun()
    return value


def kept(page: Page[Value], value: Value, open_now: object | None) -> Value:
    """The values without the name of an experiment that set up something else than is chosen.

    Args:
        open_now: the experiment that is open, None where none is. A link that names one all the
            same is answered with a sentence.
    """
    if not value.lesson or open_now is not None:
        return value
    doubt = (
        f"The experiment “{value.lesson}” sets up something else than is chosen here, so its name "
        "was left out."
    )
    return own.correct(page, doubt if own.opened(page) else "", lesson="")

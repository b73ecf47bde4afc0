"""The values that one page has for itself, beside the selection that all pages share.

They live as the selection does (``state.py``): read from the address once, then from the widgets,
then published. They are kept while other pages are open. A page makes one ``Page`` at module level,
calls ``restore`` first, draws widgets with ``seeded`` as their key, and calls ``publish`` once it
knows what it shows:

    @dataclass(frozen=True)
    class Steps:
        panel: str = "hand"
        size: int = 4

    STEPS = own.Page(
        "step-by-step",
        Steps(),
        {"show": own.one_of("panel", PANELS), "size": own.whole("size", 1, 4096)},
    )
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

import streamlit as st

from attnlab.ui import address, state, widget
from attnlab.ui.address import Known, Url
from attnlab.ui.own_link import (
    Page,
    Reader,
    Value,
    format_own,
    one_of,
    parse,
    switch,
    typed,
    whole,
)

__all__ = [
    "Page",
    "Reader",
    "choose",
    "chosen_now",
    "correct",
    "current",
    "keep_first",
    "link_to",
    "one_of",
    "opened",
    "problems",
    "publish",
    "restore",
    "seeded",
    "switch",
    "typed",
    "whole",
]

_ALL: Final = "_own_values"


@dataclass(frozen=True)
class _Held:
    """What a session remembers of a page that it has opened."""

    page: Page
    value: Any
    known: Known = field(default_factory=Known)
    problems: tuple[str, ...] = ()
    opened: bool = False


def restore(page: Page[Value]) -> Value:
    """The values now: what the widgets say, or the address where it was changed from outside."""
    url, held = address.read(page.readers), _held(page)
    if held is not None and state.arrived():
        held = replace(held, known=held.known.arrived(url))
    if held is not None:
        held = replace(held, opened=False)
    if held is None or _changed_outside(held, url):
        value, doubts = parse(page, url)
        known = Known() if held is None else held.known
        # The address says so already: a run that is cut short here has nothing left to publish.
        known = known.wrote(format_own(page, value))
        held = _Held(page, value, known, doubts, opened=True)
        _keep(held)
        _renew_widgets(page, (one.name for one in fields(page.default)))
    moved = _with_widgets(page, held.value)
    doubts = held.problems if moved == held.value else ()
    known = replace(held.known, seen=url)
    _keep(replace(held, value=moved, known=known, problems=doubts))
    return moved


def opened(page: Page) -> bool:
    """Whether `restore` read the address in this run, rather than the widgets."""
    held = _held(page)
    return held is not None and held.opened


def current(page: Page[Value]) -> Value:
    """What `restore` found, or what was published since."""
    held = _held(page)
    return page.default if held is None else held.value


def chosen_now(page: Page[Value]) -> Value:
    """The values inside a callback: the widgets have moved, `restore` has not run yet."""
    return _with_widgets(page, current(page))


def choose(page: Page[Value], **changes: Any) -> None:
    """Changes values from a callback, and the widgets with them."""
    held = _held(page) or _Held(page, page.default)
    _keep(replace(held, value=replace(chosen_now(page), **changes), problems=()))
    _renew_widgets(page, changes)


def correct(page: Page[Value], problem: str = "", **changes: Any) -> Value:
    """Changes values within a script, before the widgets of these fields are drawn.

    `problem` is said until a choice is made, as for a link that was not understood.
    """
    held = _held(page) or _Held(page, page.default)
    doubts = (*held.problems, problem) if problem else held.problems
    _keep(replace(held, value=replace(held.value, **changes), problems=doubts))
    _renew_widgets(page, changes)
    return current(page)


def keep_first(page: Page, name: str, most: int) -> None:
    """The callback of a text box: of a text that is too long its beginning stays, and that is said.

    A box with a limit of its own, `max_chars`, drops a long paste without a word.
    """
    text = getattr(chosen_now(page), name)
    if len(text) > most:
        choose(page, **{name: text[:most]})
        correct(page, f"That text has {len(text):,} characters; the first {most:,} are kept.")


def seeded(page: Page, name: str) -> str:
    """The key of the widget that edits a field, holding the field's value where it is new."""
    return widget.seeded(_name(page, name), getattr(current(page), name))


def publish(page: Page[Value], value: Value) -> None:
    """Keeps `value` and writes it to the address, so that a reload shows the same."""
    url, held = format_own(page, value), _held(page) or _Held(page, value)
    _keep(replace(held, value=value, known=held.known.wrote(url)))
    address.write(tuple(page.readers), url)


def problems(page: Page) -> tuple[str, ...]:
    """A sentence for each part of the opened link not understood, until a choice is made."""
    held = _held(page)
    return () if held is None else held.problems


def link_to(name: str) -> Url:
    """The query of a link to the page `name`, which opens it as this session last saw it."""
    shared, held = state.carried(), st.session_state.get(_ALL, {}).get(name)
    if held is None:
        return shared
    # Also when its page is just being left: what its widgets say is not asked for again.
    value = _with_widgets(held.page, held.value)
    url = format_own(held.page, value)
    doubts = held.problems if value == held.value else ()
    known = replace(held.known, linked=url)
    _keep(replace(held, value=value, known=known, problems=doubts))
    return shared | url


def _changed_outside(held: _Held, url: Url) -> bool:
    moved = _with_widgets(held.page, held.value) != held.value
    moved = moved or format_own(held.page, held.value) != held.known.published
    moved = moved or address.event_came()
    return held.known.changed_outside(url, moved=moved)


def _with_widgets(page: Page[Value], value: Value) -> Value:
    """`value` with what the widgets hold now; a cleared widget (None) changes nothing."""
    held = {one.name: widget.held(_name(page, one.name)) for one in fields(value)}
    return replace(value, **{name: v for name, v in held.items() if v is not None})


def _renew_widgets(page: Page, names: Iterable[str]) -> None:
    """Lets the widgets of these fields start from the values again."""
    for name in names:
        widget.renew(_name(page, name), getattr(current(page), name))


def _name(page: Page, name: str) -> str:
    return f"own_{page.name}_{name}"


def _held(page: Page) -> _Held | None:
    return st.session_state.get(_ALL, {}).get(page.name)


def _keep(held: _Held) -> None:
    st.session_state[_ALL] = {**st.session_state.get(_ALL, {}), held.page.name: held}

"""The selection of this session: read from the URL once, then from the widgets, then published.

`restore` runs first in a script, `publish` once the page knows what it shows; in between, widgets
are drawn with `seeded(name)` as their key. A choice survives even while its widget is not drawn.

Two kinds of widget may edit one field, as a box of one line and one of many do for a text; each
kind has a key of its own, and only one of them is drawn in a run.
"""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from attnlab.ui import address, choice, experiments, widget
from attnlab.ui.address import Known, Url
from attnlab.ui.link import format_url, parse, unspell, url_names
from attnlab.ui.selection import Head, Selection

_SELECTION = "_selection"
_PROBLEMS = "_link_problems"
_KNOWN = "_known_url"
_PAGE = "_page"
_ARRIVED = "_arrived"
_WIDGET = "sel_"
_KINDS = ("", "~long")
_DRAWN_KIND = "_kind_of_"

# An experiment is a model and its texts; with others, its sentence would no longer be true.
_SET_UP = ("model", "a", "b", "target_a", "target_b")


def restore(page: str = "") -> Selection:
    """The selection now: what the widgets say, or the URL where it was changed from outside.

    Args:
        page: the name of the page that is open; the selection is the same on every page.
    """
    address.begin()
    url = address.read(url_names())
    stored = st.session_state.get(_SELECTION)
    st.session_state[_ARRIVED] = st.session_state.get(_PAGE, page) != page
    st.session_state[_PAGE] = page
    if arrived():
        _know(_known().arrived(url))
    if stored is None or _changed_outside(url, stored):
        stored, st.session_state[_PROBLEMS] = _read(url)
        st.session_state[_SELECTION] = stored
        _renew_widgets(field.name for field in fields(Selection))
        # The address says so already: a run that is cut short here has nothing left to publish.
        _know(_known().wrote(format_url(stored)))
    moved = _with_widgets(stored)
    if moved != stored:
        st.session_state[_PROBLEMS] = ()
    if arrived():
        # A box of this page is another widget than the other page's of the same key, whose value
        # Streamlit would not hand over: it starts from the selection.
        _forget_widgets(field.name for field in fields(Selection))
    _know(replace(_known(), seen=url))
    st.session_state[_SELECTION] = moved
    return moved


def arrived() -> bool:
    """Whether this run is the first one of a page, after another page was left."""
    return st.session_state.get(_ARRIVED, False)


def current() -> Selection:
    """What `restore` found in this run."""
    return st.session_state[_SELECTION]


def publish(selection: Selection) -> None:
    """Keeps `selection` and writes it to the URL, so that a reload shows the same."""
    st.session_state[_SELECTION] = selection
    url = format_url(selection)
    _know(_known().wrote(url))
    address.write(url_names(), url)


def carried() -> Url:
    """What a link to another page says of the selection; it comes back as this session's own."""
    url = format_url(current())
    _know(replace(_known(), linked=url))
    return url


def chosen_now() -> Selection:
    """The selection inside a callback: the widgets have moved, `restore` has not run yet."""
    return _with_widgets(st.session_state[_SELECTION])


def choose(**changes: Any) -> None:
    """Changes the selection from a callback, and the widgets with it."""
    before = chosen_now()
    # What is changed on purpose stands, whatever else would follow from it.
    st.session_state[_SELECTION] = replace(_followed(before, replace(before, **changes)), **changes)
    st.session_state[_PROBLEMS] = ()
    _renew_widgets(changes)


def open_whole(selection: Selection, problems: tuple[str, ...] = ()) -> None:
    """Shows another selection altogether, from a callback: a saved view, an experiment."""
    choice.outdate()
    selection, doubts = _believed(selection)
    choose(**{field.name: getattr(selection, field.name) for field in fields(Selection)})
    st.session_state[_PROBLEMS] = (*problems, *doubts)


def correct(problem: str = "", **changes: Any) -> Selection:
    """Changes the selection within a script, before the widgets of these fields are drawn.

    `problem` is said until a choice is made, as for a link that was not understood.
    """
    corrected = replace(current(), **changes)
    st.session_state[_SELECTION] = corrected
    if problem:
        st.session_state[_PROBLEMS] = (*link_problems(), problem)
    _renew_widgets(changes)
    return corrected


def seeded(name: str, kind: str = "") -> str:
    """The key of the widget that edits field `name`, holding the field's value where it is new.

    Args:
        kind: "~long" for a second kind of widget of the same field.
    """
    drawn = _DRAWN_KIND + name
    if st.session_state.get(drawn, "") != kind:
        # What the other kind of widget held is in the selection; what this one held is of old.
        _forget_widgets([name])
    st.session_state[drawn] = kind
    return widget.seeded(_WIDGET + name + kind, getattr(st.session_state[_SELECTION], name))


def link_problems() -> tuple[str, ...]:
    """A sentence for each part of the opened link not understood, until a choice is made."""
    return st.session_state.get(_PROBLEMS, ())


def _read(url: dict[str, str]) -> tuple[Selection, tuple[str, ...]]:
    """What a link asks for. One that names an experiment and nothing else asks for all of it."""
    selection, problems = parse(url)
    whole = experiments.set_up(selection.experiment)
    if url.keys() == {"try"} and whole is not None:
        return whole, problems
    selection, doubts = _believed(selection)
    return selection, (*problems, *doubts)


def _believed(selection: Selection) -> tuple[Selection, tuple[str, ...]]:
    """`selection` as an experiment only where it is one: its sentence speaks of its own texts."""
    name = selection.experiment
    if not name:
        return selection, ()
    whole = experiments.set_up(name)
    if whole is None:
        doubt = f"There is no experiment “{name}” here, so it was left out."
        return replace(selection, experiment=""), (doubt,)
    return (selection if _same_set_up(whole, selection) else replace(selection, experiment="")), ()


def _with_widgets(selection: Selection) -> Selection:
    """`selection` with what the widgets hold now; a cleared widget (None) changes nothing."""
    held = {field.name: _held(field.name) for field in fields(Selection)}
    moved = replace(selection, **{name: v for name, v in held.items() if v is not None})
    return _followed(selection, moved)


def _held(name: str) -> Any:
    """What the widget of a field holds, or None."""
    value = widget.held(_drawn(name))
    return _heads(value) if isinstance(value, tuple) else value


def _drawn(name: str) -> str:
    """What the widget of a field is called, of the kind that is drawn."""
    return _WIDGET + name + st.session_state.get(_DRAWN_KIND + name, "")


def _heads(listed: tuple[Any, ...]) -> tuple[Head, ...]:
    """The heads of a list; one that the widget no longer offers comes as its label."""
    heads = (unspell(head) if isinstance(head, str) else tuple(head) for head in listed)
    return tuple(dict.fromkeys(head for head in heads if head is not None))


def _followed(before: Selection, after: Selection) -> Selection:
    """`after`, with what follows from the change.

    With another model or text it is no experiment any more; another model counts other tokens, so
    what was clicked is let go.
    """
    if not _same_set_up(before, after):
        after = replace(after, experiment="")
    return after if before.model == after.model else replace(after, position=None, key=None)


def _same_set_up(one: Selection, other: Selection) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in _SET_UP)


def _forget_widgets(names: Iterable[str]) -> None:
    """Lets the widgets of these fields start from the selection again."""
    for name in names:
        for kind in _KINDS:
            widget.forget(_WIDGET + name + kind)


def _renew_widgets(names: Iterable[str]) -> None:
    """The same, of those that hold something else than the selection."""
    for name in names:
        if _held(name) != getattr(st.session_state[_SELECTION], name):
            _forget_widgets([name])


def _changed_outside(url: Url, stored: Selection) -> bool:
    """Whether someone edited the address or went back, rather than this session."""
    known = _known()
    moved = _with_widgets(stored) != stored or format_url(stored) != known.published
    moved = moved or address.event_came()
    return known.changed_outside(url, moved=moved)


def _known() -> Known:
    return st.session_state.get(_KNOWN, Known())


def _know(known: Known) -> None:
    st.session_state[_KNOWN] = known

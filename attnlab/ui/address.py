"""The query parameters of the page's address, and who changed them last: this session or a reader.

The shared selection (``state.py``) and the values of one page (``own.py``) each own some names and
leave all others alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import streamlit as st

Url = dict[str, str]
_EVENT = "_picture_event"
_EVENT_NOW = "_picture_event_now"
_EARLIER = 8  # a slider moved by held keys gets this far ahead of the browser


@dataclass(frozen=True)
class Known:
    """What this session knows of its part of the address.

    Attributes:
        published: what it last wrote there; None before the first time.
        linked: what its links to other pages last carried.
        seen: what the browser last sent.
        earlier: what it wrote there just before.
    """

    published: Url | None = None
    linked: Url | None = None
    seen: Url | None = None
    earlier: tuple[Url, ...] = ()

    def wrote(self, url: Url) -> Known:
        """After `url` was published."""
        if self.published is None or url == self.published:
            return replace(self, published=url)
        return replace(self, published=url, earlier=(*self.earlier, self.published)[-_EARLIER:])

    def changed_outside(self, url: Url, *, moved: bool) -> bool:
        """Whether someone edited the address or went back, rather than this session.

        Args:
            url: what the browser sends now.
            moved: whether a widget was moved, a picture told something, or a callback chose, since
                the last time. A browser that has not yet heard of the published address still
                sends the one that it sent last, or one published just before; that is no wish to go
                back when something else happened at the same time.
        """
        if url in (self.published, self.linked):
            return False
        return not (moved and (url == self.seen or url in self.earlier))

    def arrived(self, url: Url) -> Known:
        """After another page was opened: an address that says nothing asks for nothing else."""
        return self if url else replace(self, published=url)


def note_event() -> None:
    """A picture told something, be it of what is no longer shown: its run is no wish to go back."""
    st.session_state[_EVENT] = True


def begin() -> None:
    """The first word of a run, before anything asks `event_came`."""
    st.session_state[_EVENT_NOW] = st.session_state.pop(_EVENT, False)


def event_came() -> bool:
    """Whether a picture told something since the last run."""
    return st.session_state.get(_EVENT_NOW, False)


def read(names: Iterable[str]) -> Url:
    """The parameters of these names that the address has."""
    return {name: st.query_params[name] for name in names if name in st.query_params}


def write(names: Collection[str], url: Url) -> None:
    """Makes `url` all that the address says under `names`, in one step of the browser's history.

    Of a name that the address says twice the last one counts, and is written once.
    """
    said_twice = any(len(st.query_params.get_all(name)) > 1 for name in names)
    if said_twice or read(names) != url:
        others = [name for name in st.query_params if name not in names]
        st.query_params.from_dict({name: st.query_params.get_all(name) for name in others} | url)

"""The popover "Save" of a card."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from attnlab.viz import numbers, svg
from attnlab.viz.numbers import Numbers

_ABOUT = {
    "png": "A picture for a slide or a document.",
    "svg": "The same picture, sharp at any size; its text stays text.",
    "csv": "One row for each figure. The first lines say which model and texts it is from.",
    "json": "Every figure, with the model, its version, the edits and the tokens.",
    "html": "One page that needs no network and no server: hovering still works.",
}


_BUILDING = threading.Lock()
_ROOM = 88  # CSS pixels of the buttons, so that the popover finds its place before they are there


@dataclass(frozen=True)
class Savable:
    """What a card can be saved as; nothing is built before it is asked for.

    Attributes:
        name: of the file, without its ending.
        picture: given whether the paper is dark, and notes to be written under it, the SVG.
        numbers: the figures behind the picture.
        page: an offline HTML page.
    """

    name: str
    picture: Callable[..., str] | None = None
    numbers: Callable[[], Numbers] | None = None
    page: Callable[[], str] | None = None


@st.fragment
def menu(key: str, what: Savable, label: str = "Save") -> None:
    """A popover with a button for each kind of file, which are made when it is opened.

    Args:
        key: the Streamlit key, and the start of those of the buttons.
    """
    with st.popover(label, key=key, type="tertiary", on_change="rerun") as popover:
        if popover.open:
            _buttons(key, what)
        else:
            st.space(_ROOM)


def _buttons(key: str, what: Savable) -> None:
    dark = False
    if what.picture is not None:
        dark = st.toggle("Dark paper", key=f"{key}-dark")
    with st.container(horizontal=True, gap="small", key=f"{key}-kinds"):
        for kind, (build, mime, about) in files(what, dark).items():
            st.download_button(
                kind.upper(),
                data=build,
                file_name=f"{what.name}.{kind}",
                mime=mime,
                key=f"{key}-{kind}",
                on_click="ignore",
                help=about,
            )


def files(what: Savable, dark: bool = False) -> dict[str, tuple[Callable[[], bytes], str, str]]:
    """For each kind of file: what builds it, its MIME type, and one sentence about it."""
    found = {}
    if what.picture is not None:
        draw = what.picture
        found["png"] = (lambda: svg.drawn(partial(draw, dark)), "image/png")
        found["svg"] = (lambda: draw(dark).encode(), "image/svg+xml")
    if what.numbers is not None:
        count = what.numbers
        found["csv"] = (lambda: numbers.table(count()).encode(), "text/csv")
        found["json"] = (lambda: numbers.document(count()).encode(), "application/json")
    if what.page is not None:
        page = what.page
        found["html"] = (lambda: page().encode(), "text/html")
    return {kind: (_alone(build), mime, _ABOUT[kind]) for kind, (build, mime) in found.items()}


def _alone(build: Callable[[], bytes]) -> Callable[[], bytes]:
    """One file at a time: of a long text it takes a second and a hundred megabytes."""

    def built() -> bytes:
        with _BUILDING:
            return build()

    return built

"""A diagram in many pictures, mounted; the picture at which it was left comes back to the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attnlab.ui.choice import Choice, clicked, index, settle
from attnlab.ui.register import register
from attnlab.viz.film import Film, film_payload

_FILM = register("film")


def _read(click: Mapping[str, Any], scope: tuple[Any, int]) -> Choice | None:
    """(picture,) of what a browser sent; the scope ends with how many there are."""
    frame = index(click.get("frame"), scope[1])
    return None if frame is None else (frame,)


def film_value(key: str) -> int | None:
    """The picture at which the film ``key`` was last left by hand; None before."""
    found = clicked(key, _read)
    return None if found is None else found[0]


def film(
    key: str, shown: Film, *, what: Any, frame: int, on_change: Callable[[], None] | None = None
) -> int:
    """Plays a film; returns the picture that it stands at.

    Args:
        key: the Streamlit key.
        what: names the film; with another one the browser starts anew.
        frame: the picture that the page believes is shown.
        on_change: called, before the script runs, when it was left at another one by hand.
    """
    count = len(shown.frames)
    at = min(max(frame, 0), count - 1)
    serial, (start,) = settle(key, (what, count), (at,), (at,), _read)
    data = film_payload(shown, frame=start, serial=serial)
    _FILM(key=key, data=data, on_chosen_change=on_change)
    return start

"""How a trace shows itself in a notebook.

Pictures lie in a layer that this one may not import, so the function that draws is registered here
by the package that knows both, when a trace is first within reach of a notebook.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_registered: dict[str, Callable[[Any], str]] = {}


def register(drawer: Callable[[Any], str]) -> None:
    """Let ``drawer`` make the HTML of a trace; the last one registered does."""
    _registered["html"] = drawer


def html(trace: Any) -> str | None:
    """The HTML of a trace, or None where nothing draws: a notebook then shows its repr."""
    drawer = _registered.get("html")
    return None if drawer is None else drawer(trace)

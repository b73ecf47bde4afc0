"""Widgets of an AppTest whose key has a number once their value was chosen for them."""

from contextlib import suppress
from typing import Any

from streamlit.testing.v1 import AppTest


def widget(app: AppTest, name: str) -> Any:
    """The widget that is called `name` (see attnlab/ui/widget.py).

    Raises:
        KeyError: none is drawn.
    """
    for key in (name, *(f"{name}~{turn}" for turn in range(1, 20))):
        with suppress(KeyError):
            return app.get_by_key(key)
    raise KeyError(name)

"""Mounted components without a browser: what they are sent, and what a click brings back."""

from types import ModuleType
from typing import Any

import pytest
import streamlit

from attnlab.viz.payload import unpack

WORDS = [{"text": word, "raw": word, "id": i} for i, word in enumerate(("a", "b", "c"))]


class Browser:
    """Session state as Streamlit keeps it, with the sent payloads and a click, but no browser.

    Args:
        mounted: the modules and the names in them that hold the mounted components.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *mounted: tuple[ModuleType, str]) -> None:
        self.state: dict[str, Any] = {}
        self.sent: list[bytes] = []
        monkeypatch.setattr(streamlit, "session_state", self.state)
        for module, name in mounted:
            monkeypatch.setattr(module, name, self.receive)

    def receive(self, *, key: str, data: bytes, **callbacks: Any) -> None:
        self.sent.append(data)

    def click(self, key: str, /, **value: Any) -> None:
        """What the component of this key would return now."""
        self.state[key] = {"chosen": {"serial": self.header.get("serial"), **value}}

    @property
    def header(self) -> dict[str, Any]:
        """What was sent last, its arrays left out."""
        return unpack(self.sent[-1])[0]

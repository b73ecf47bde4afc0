"""How a caller stops a run from outside."""

from __future__ import annotations

import threading


class Cancel:
    """Ask a run to stop; it does so at the next site or block."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

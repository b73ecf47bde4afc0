"""A bounded cache of results.

Streamlit's own cache hashes a dataclass by its fields alone, so two different edits can share a
key, and a function inside it can neither report progress nor be cancelled. Keys here are compared
with `==`: use frozen dataclasses that name every argument. Nothing here imports Streamlit.
"""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from attnlab.ui.sizes import held_bytes


@dataclass(frozen=True)
class _Held:
    """A result, when it was put in (the clock's seconds), and its bytes."""

    born: float
    value: Any
    size: int


class Store:
    """The most recently used results: bounded in number, in bytes and in age.

    At most `max_entries`, of at most `max_bytes` together as `size` counts them, none older than
    `ttl` seconds. The newest is kept even where it alone is larger: it will be asked for again.
    """

    def __init__(
        self,
        max_entries: int,
        ttl: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        max_bytes: float = math.inf,
        size: Callable[[Any], int] = held_bytes,
    ) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._ttl = ttl
        self._clock = clock
        self._size = size
        self._held: OrderedDict[Hashable, _Held] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any | None:
        """The result of `key`, or None where there is none that is young enough."""
        with self._lock:
            self._forget_old()
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key].value

    def put(self, key: Hashable, value: Any) -> None:
        """Keeps `value`, and forgets the least recently used results where it is too much."""
        held = _Held(self._clock(), value, self._size(value))
        with self._lock:
            if key in self._held:
                self._forget(key)
            self._held[key] = held
            self._bytes += held.size
            while len(self._held) > 1 and (
                len(self._held) > self._max_entries or self._bytes > self._max_bytes
            ):
                self._forget(next(iter(self._held)))

    def __len__(self) -> int:
        with self._lock:
            self._forget_old()
            return len(self._held)

    @property
    def bytes(self) -> int:
        """What is held, in bytes."""
        with self._lock:
            self._forget_old()
            return self._bytes

    def _forget(self, key: Hashable) -> None:
        self._bytes -= self._held.pop(key).size

    def _forget_old(self) -> None:
        end = self._clock() - self._ttl
        for key in [key for key, held in self._held.items() if held.born < end]:
            self._forget(key)

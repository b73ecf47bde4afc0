"""The one gate on model work: first come, first served, and everyone may see the queue.

A forward pass wants every core, so two at once take longer than one after the other, and a long
one would stall every session without a word. Work on a model therefore waits its turn here. A
waiting page asks `Ticket.ahead` and says so. Nothing here imports Streamlit.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from attnlab.errors import Busy, Cancelled

_TICK = 0.05  # seconds between two looks at `cancelled` while waiting


class Ticket:
    """A place in the queue of a `Gate`."""

    def __init__(self, gate: "Gate") -> None:
        self._gate = gate

    @property
    def ahead(self) -> int:
        """How many pieces of work come first, those under way included; 0 once it is its turn."""
        return self._gate._ahead(self)


class Gate:
    """Lets `width` pieces of work in at a time, in the order in which they asked."""

    def __init__(self, width: int = 1) -> None:
        if width < 1:
            raise ValueError(f"A gate of width {width} would never open; it takes at least 1.")
        self._width = width
        self._queue: list[Ticket] = []  # the first `width` are inside
        self._moved = threading.Condition()

    def ticket(self) -> Ticket:
        """Joins the queue. The place is given up by leaving `turn`, and only there."""
        ticket = Ticket(self)
        with self._moved:
            self._queue.append(ticket)
        return ticket

    @contextmanager
    def turn(
        self,
        ticket: Ticket | None = None,
        *,
        timeout: float = 120.0,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[Ticket]:
        """Waits until it is `ticket`'s turn, holds the gate open for the body, and leaves.

        Args:
            ticket: a place taken before; a new one at the end where none is given.
            timeout: seconds to wait.
            cancelled: looked at while waiting.

        Raises:
            Busy: `timeout` passed.
            Cancelled: `cancelled()` became true while waiting.
        """
        ticket = ticket or self.ticket()
        try:
            self._wait(ticket, time.monotonic() + timeout, timeout, cancelled)
            yield ticket
        finally:
            with self._moved:
                self._queue.remove(ticket)
                self._moved.notify_all()

    def _wait(
        self, ticket: Ticket, end: float, timeout: float, cancelled: Callable[[], bool]
    ) -> None:
        with self._moved:
            while self._queue.index(ticket) >= self._width:
                if cancelled():
                    raise Cancelled("The work was cancelled before its turn came.")
                if time.monotonic() >= end:
                    raise Busy(
                        f"Other sessions have kept the model busy for {timeout:.0f} seconds; "
                        "try again in a moment."
                    )
                self._moved.wait(_TICK)

    def _ahead(self, ticket: Ticket) -> int:
        with self._moved:
            if ticket not in self._queue:
                return 0
            place = self._queue.index(ticket)
            return place if place >= self._width else 0

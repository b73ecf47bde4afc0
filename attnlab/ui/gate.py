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

# Seconds between two looks at `cancelled` for whoever cancels without `Ticket.nudge`.
_TICK = 0.5


class Ticket:
    """A place in the queue of a `Gate`."""

    def __init__(self, gate: "Gate") -> None:
        self._gate = gate
        # One event for each waiter: a queue of fifty must not wake up whole when one leaves.
        self._changed = threading.Event()

    def nudge(self) -> None:
        """Makes whoever waits with this ticket look at `cancelled` now."""
        self._changed.set()

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
        self._lock = threading.Lock()

    def ticket(self) -> Ticket:
        """Joins the queue. The place is given up by leaving `turn`, and only there."""
        ticket = Ticket(self)
        with self._lock:
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
            with self._lock:
                self._queue.remove(ticket)
                for inside in self._queue[: self._width]:
                    inside.nudge()

    def _wait(
        self, ticket: Ticket, end: float, timeout: float, cancelled: Callable[[], bool]
    ) -> None:
        while self._place(ticket) >= self._width:
            if cancelled():
                raise Cancelled("The work was cancelled before its turn came.")
            left = end - time.monotonic()
            if left <= 0:
                raise Busy(
                    f"Other sessions have kept the model busy for {timeout:.0f} seconds; "
                    "try again in a moment."
                )
            ticket._changed.wait(min(left, _TICK))
            ticket._changed.clear()

    def _place(self, ticket: Ticket) -> int:
        with self._lock:
            return self._queue.index(ticket)

    def _ahead(self, ticket: Ticket) -> int:
        with self._lock:
            if ticket not in self._queue:
                return 0
            place = self._queue.index(ticket)
            return place if place >= self._width else 0

"""Jobs that fill a store: each key is computed once, however many sessions ask for it.

A job waits its turn at the gate, in a thread of its own, and can report progress and be cancelled.
How many may wait is bounded, overall and for each session. Nothing here imports Streamlit.
"""

import threading
from collections.abc import Callable, Hashable
from typing import Any

from attnlab.errors import AttnLabError, Busy, Cancelled
from attnlab.trace import Cancel
from attnlab.ui.gate import Gate, Ticket
from attnlab.ui.hosting import UNFORESEEN
from attnlab.ui.store import Store


class Job:
    """One computation under way in a thread of its own, watched by one or more sessions.

    Attributes:
        ticket: its place in the queue.
        owner: the session that asked first.
        stoppable: whether the work looks at `cancel` once it has begun; what does not is finished
            and kept even when nobody waits for it any more.
        begun: whether its turn has come.
        part: what the computation has found so far, where it says so; each a new object.
    """

    def __init__(self, ticket: Ticket | None, owner: str = "", stoppable: bool = True) -> None:
        self.ticket = ticket
        self.owner = owner
        self.stoppable = stoppable
        self.begun = False
        self.cancel = Cancel()
        self.done = threading.Event()
        self.fraction = 0.0
        self.words = ""
        self.part: Any = None
        self.watchers = 0
        self._value: Any = None
        self._error: AttnLabError | None = None

    @property
    def ahead(self) -> int:
        """How many pieces of work come first; 0 once it is its turn."""
        return 0 if self.ticket is None else self.ticket.ahead

    def progress(self, fraction: float, words: str = "") -> None:
        """Called by the computation: the share done, 0 to 1, and what is under way."""
        self.fraction = min(max(float(fraction), 0.0), 1.0)
        self.words = words

    def share(self, part: Any) -> None:
        """Called by the computation: what it has found so far, for those who wait."""
        self.part = part

    def finish(self, value: Any = None, error: AttnLabError | None = None) -> None:
        """Releases the watchers with a value, or with what stopped the computation."""
        self._value, self._error = value, error
        self.done.set()

    def result(self) -> Any:
        """The value, once `done` is set.

        Raises:
            AttnLabError: whatever stopped the computation.
        """
        if self._error is not None:
            raise self._error
        return self._value


class Desk:
    """Takes work for one gate. Sessions that ask for the same key watch the same job.

    Args:
        gate: what the jobs wait at.
        wait_seconds: how long a job waits for its turn.
        most: jobs that may wait or run at a time.
        each: those of one session; a page asks for one after the other, so more are left over from
            pages that were changed or reloaded before an answer came.
    """

    def __init__(
        self, gate: Gate, wait_seconds: float = 120.0, *, most: int = 128, each: int = 4
    ) -> None:
        self._gate = gate
        self._wait_seconds = wait_seconds
        self._most = most
        self._each = each
        self._jobs: dict[Hashable, Job] = {}
        self._active: set[Job] = set()
        self._lock = threading.Lock()

    def submit(
        self,
        key: Hashable,
        work: Callable[[Job], Any],
        store: Store,
        *,
        owner: str = "",
        stoppable: bool = True,
    ) -> Job:
        """Starts `work`, or joins the job that already computes `key`. Call `leave` afterwards.

        Args:
            key: names every argument of the work.
            work: gets its job, whose `progress` and `cancel` it passes on.
            store: where the result is kept; one that is there by now is not computed again.
            owner: the session that asks, for the limit of each; "" for no such limit.
            stoppable: see `Job`.

        Raises:
            Busy: too much work is waiting already.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.cancel.is_set():
                held = store.get(key)
                if held is not None:
                    job = Job(None)
                    job.finish(held)
                    return job
                self._check_room(owner)
                job = self._jobs[key] = Job(self._gate.ticket(), owner, stoppable)
                self._active.add(job)
                arguments = (key, job, work, store)
                threading.Thread(target=self._perform, args=arguments, daemon=True).start()
            job.watchers += 1
            return job

    def leave(self, job: Job) -> None:
        """Stops watching; a job that nobody watches is cancelled, if it still can be."""
        with self._lock:
            job.watchers -= 1
            if job.watchers <= 0 and (job.stoppable or not job.begun):
                job.cancel.set()
                if job.ticket is not None:
                    job.ticket.nudge()

    def only_own_ahead(self, job: Job) -> bool:
        """Whether all that comes before a job is of its own session: of pages that were changed."""
        with self._lock:
            others = [one for one in self._active if one is not job]
        before = [one for one in others if one.begun or one.ahead < job.ahead]
        return bool(before) and all(one.owner == job.owner for one in before)

    def _check_room(self, owner: str) -> None:
        # A cancelled job that has not begun is on its way out.
        active = [job for job in self._active if job.begun or not job.cancel.is_set()]
        if len(active) >= self._most:
            raise Busy(
                f"{len(active)} requests are waiting for this server already, so this one was not "
                "taken; try again in a minute."
            )
        if owner and sum(job.owner == owner for job in active) >= self._each:
            raise Busy(
                "Earlier requests of this page are still being stopped; try again in a moment."
            )

    def _begin(self, job: Job) -> None:
        with self._lock:
            if job.cancel.is_set():
                raise Cancelled("The work was cancelled before its turn came.")
            job.begun = True

    def _perform(self, key: Hashable, job: Job, work: Callable[[Job], Any], store: Store) -> None:
        value: Any = None
        error: AttnLabError | None = AttnLabError(UNFORESEEN)
        try:
            turn = self._gate.turn(
                job.ticket, timeout=self._wait_seconds, cancelled=job.cancel.is_set
            )
            with turn:
                self._begin(job)
                # A cancelled job that could not stop may have left it there in the meantime.
                value = store.get(key)
                if value is None:
                    value = work(job)
                    store.put(key, value)
                error = None
        except AttnLabError as raised:
            error = raised
        finally:
            # In a finally: a watcher must be released even if the work fails in a way that
            # nobody foresaw, which then shows in the log as the thread's own traceback.
            with self._lock:
                self._active.discard(job)
                if self._jobs.get(key) is job:
                    del self._jobs[key]
            job.finish(value, error)

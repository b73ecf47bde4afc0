"""A bounded cache of results, and the jobs that fill it: each key is computed once.

Streamlit's own cache hashes a dataclass by its fields alone, so two different edits can share a
key, and a function inside it can neither report progress nor be cancelled. Keys here are compared
with `==`: use frozen dataclasses that name every argument. Nothing here imports Streamlit.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from attnlab.errors import AttnLabError
from attnlab.trace import Cancel
from attnlab.ui.gate import Gate, Ticket


class Store:
    """The most recently used results: at most `max_entries`, none older than `ttl` seconds."""

    def __init__(
        self, max_entries: int, ttl: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_entries = max_entries
        self._ttl = ttl
        self._clock = clock
        self._held: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any | None:
        """The result of `key`, or None where there is none that is young enough."""
        with self._lock:
            self._forget_old()
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][1]

    def put(self, key: Hashable, value: Any) -> None:
        """Keeps `value`, and forgets the least recently used result where there are too many."""
        with self._lock:
            self._held[key] = (self._clock(), value)
            self._held.move_to_end(key)
            while len(self._held) > self._max_entries:
                self._held.popitem(last=False)

    def __len__(self) -> int:
        with self._lock:
            self._forget_old()
            return len(self._held)

    def _forget_old(self) -> None:
        end = self._clock() - self._ttl
        for key in [key for key, (born, _) in self._held.items() if born < end]:
            del self._held[key]


class Job:
    """One computation under way in a thread of its own, watched by one or more sessions."""

    def __init__(self, ticket: Ticket) -> None:
        self.ticket = ticket
        self.cancel = Cancel()
        self.done = threading.Event()
        self.fraction = 0.0
        self.words = ""
        self.watchers = 0
        self._value: Any = None
        self._error: AttnLabError | None = None

    def progress(self, fraction: float, words: str = "") -> None:
        """Called by the computation: the share done, 0 to 1, and what is under way."""
        self.fraction = min(max(float(fraction), 0.0), 1.0)
        self.words = words

    def result(self) -> Any:
        """The value, once `done` is set.

        Raises:
            AttnLabError: whatever stopped the computation.
        """
        if self._error is not None:
            raise self._error
        return self._value


class Desk:
    """Takes work for one gate. Sessions that ask for the same key watch the same job."""

    def __init__(self, gate: Gate, wait_seconds: float = 120.0) -> None:
        self._gate = gate
        self._wait_seconds = wait_seconds
        self._jobs: dict[Hashable, Job] = {}
        self._lock = threading.Lock()

    def submit(self, key: Hashable, work: Callable[[Job], Any], store: Store) -> Job:
        """Starts `work`, or joins the job that already computes `key`. Call `leave` afterwards."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.cancel.is_set():
                job = self._jobs[key] = Job(self._gate.ticket())
                arguments = (key, job, work, store)
                threading.Thread(target=self._perform, args=arguments, daemon=True).start()
            job.watchers += 1
            return job

    def leave(self, job: Job) -> None:
        """Stops watching; a job that nobody watches is cancelled."""
        with self._lock:
            job.watchers -= 1
            if job.watchers == 0:
                job.cancel.set()

    def _perform(self, key: Hashable, job: Job, work: Callable[[Job], Any], store: Store) -> None:
        error: AttnLabError | None = AttnLabError(
            "Something unforeseen went wrong; the log of the server has the details."
        )
        try:
            turn = self._gate.turn(
                job.ticket, timeout=self._wait_seconds, cancelled=job.cancel.is_set
            )
            with turn:
                job._value = work(job)
                store.put(key, job._value)
                error = None
        except AttnLabError as raised:
            error = raised
        finally:
            # In a finally: a watcher must be released even if the work fails in a way that
            # nobody foresaw, which then shows in the log as the thread's own traceback.
            job._error = error
            with self._lock:
                if self._jobs.get(key) is job:
                    del self._jobs[key]
            job.done.set()

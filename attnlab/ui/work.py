"""Model work from a page: cached, behind the gate, with progress and a way to stop.

`perform` is the one door. While the result is being computed the page says whether it waits for
another session or how far the work is; any interaction, or the stop button, cancels work that no
other session watches.
"""

import itertools
import math
import os
import time
import uuid
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from attnlab.errors import Cancelled
from attnlab.ui.desk import Desk, Job
from attnlab.ui.gate import Gate
from attnlab.ui.hosting import hosted
from attnlab.ui.sizes import lab_bytes
from attnlab.ui.store import Store

# Shorter work shows nothing: a message that flashes by only disturbs.
_QUIET_SECONDS = 0.8
_POLL_SECONDS = 0.1
_STOPPED = "_stopped_work"
_OWNER = "_work_of"
_NUMBERS = itertools.count()  # one script may wait several times, and keys are unique in a run


@dataclass(frozen=True)
class Stores:
    """Every cache of this process, each bounded in entries, bytes and age.

    A loaded model takes hundreds of MiB; the maps of one text 0.2 MiB at 13 tokens and 4.2 MiB
    from 64; one head's weights up to 1 MiB at 512 tokens, 16 MiB at 2,048; an effect a few kB.
    """

    labs: Store
    maps: Store
    heads: Store
    effects: Store
    desk: Desk


@st.cache_resource(max_entries=1)
def stores() -> Stores:
    """The caches and the gate, shared by every session of this process."""
    hour, mib = 3600.0, 2**20
    width = int(os.environ.get("ATTNLAB_WORKERS", "1"))
    # Someone's own machine may hold the models that they chose; the public's share what there is.
    models = 2048 * mib if hosted() else math.inf
    return Stores(
        labs=Store(max_entries=4, ttl=12 * hour, max_bytes=models, size=lab_bytes),
        maps=Store(max_entries=1024, ttl=hour, max_bytes=256 * mib),
        heads=Store(max_entries=1024, ttl=hour, max_bytes=128 * mib),
        effects=Store(max_entries=8192, ttl=hour, max_bytes=64 * mib),
        desk=Desk(Gate(width)),
    )


def perform(
    key: Hashable,
    words: str,
    work: Callable[[Job], Any],
    store: Store,
    *,
    stoppable: bool = True,
    partly: Callable[[Any], None] | None = None,
) -> Any:
    """The cached result of `work`, computed behind the gate where there is none yet.

    Args:
        key: names every argument of the work; compared with `==`.
        words: what is under way, for the reader ("Reading sentence A").
        work: gets the job, whose `progress` and `cancel` it passes on.
        store: where the result is kept.
        stoppable: whether the work looks at `cancel`. What does not goes on when a reader stops
            waiting, and is there when somebody asks for it again.
        partly: called in the page's own thread with what the work has `share`d so far, each time
            that is news; never with what is complete.

    Raises:
        AttnLabError: what stopped the work; `Cancelled` after the stop button was pressed, `Busy`
            where too much work is waiting.
    """
    # Always, so that what follows has the same place in every run: the browser keeps what stands
    # where it stood, and would build it anew one place further on.
    slot = st.empty()
    held = store.get(key)
    if held is not None:
        return held
    if st.session_state.get(_STOPPED) == key:
        raise Cancelled(_stopped(words, stoppable))
    desk = stores().desk
    job = desk.submit(key, work, store, owner=_session(), stoppable=stoppable)
    try:
        if not job.done.wait(_QUIET_SECONDS):
            _watch(job, key, words, slot, partly)
    finally:
        # Also when the script is interrupted: then nobody here wants the result any more.
        desk.leave(job)
    slot.empty()
    return job.result()


def resume() -> None:
    """Lets stopped work start again; a callback for a button."""
    st.session_state.pop(_STOPPED, None)


def _stop(key: Hashable) -> None:
    st.session_state[_STOPPED] = key


def _stopped(words: str, stoppable: bool) -> str:
    """What the page says after the button was pressed."""
    what = f"{words[0].lower()}{words[1:]}"
    if stoppable:
        return f"Stopped: {what}."
    return f"Stopped waiting: {what} goes on in the background, and is kept for the next time."


def _session() -> str:
    """A name for this session, for the limit on what one may ask."""
    return st.session_state.setdefault(_OWNER, uuid.uuid4().hex)


def _watch(
    job: Job,
    key: Hashable,
    words: str,
    slot: Any,
    partly: Callable[[Any], None] | None = None,
) -> None:
    """Shows how the job is doing until it is done."""
    number = next(_NUMBERS)
    stop = "Stop" if job.stoppable else "Stop waiting"
    with slot.container(key=f"progress-{number}", horizontal=True, vertical_alignment="center"):
        line = st.empty()
        st.button(stop, key=f"stop-{number}", on_click=_stop, args=(key,), type="tertiary")
    began, shown, part = time.monotonic(), None, None
    while not job.done.wait(_POLL_SECONDS):
        own = stores().desk.only_own_ahead(job)
        now = (round(job.fraction, 2), status(job, words, time.monotonic() - began, own))
        if now != shown:
            line.progress(now[0], text=now[1])
            shown = now
        if partly is not None and job.part is not part:
            part = job.part
            partly(part)
        # Reading the state lets Streamlit interrupt us as a write does. Fifty sessions that wait
        # must not write ten times a second each.
        st.session_state.get(_STOPPED)


def status(job: Job, words: str, seconds: float, own: bool = False) -> str:
    """One line on the job: whose turn it is, or what is under way.

    Args:
        own: whether what comes first is all of this session.
    """
    ahead = job.ahead
    if ahead and own:
        return "What was asked before is being stopped."
    if ahead:
        return f"Another session is computing; {ahead} ahead."
    detail = f": {job.words}" if job.words else ""
    return f"{words}{detail}… {seconds:.0f} s"

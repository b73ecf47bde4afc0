"""Model work from a page: cached, behind the gate, with progress and a way to stop.

`perform` is the one door. While the result is being computed the page says whether it waits for
another session or how far the work is; any interaction, or the stop button, cancels work that no
other session watches.
"""

import itertools
import os
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from attnlab.errors import Cancelled
from attnlab.ui.gate import Gate
from attnlab.ui.store import Desk, Job, Store

# Shorter work shows nothing: a message that flashes by only disturbs.
_QUIET_SECONDS = 0.4
_POLL_SECONDS = 0.1
_STOPPED = "_stopped_work"
_NUMBERS = itertools.count()  # one script may wait several times, and keys are unique in a run


@dataclass(frozen=True)
class Stores:
    """Every cache of this process, each bounded in entries and age.

    A loaded model takes hundreds of MiB, the maps of one text up to about 5 MiB, one head's
    weights up to 1 MiB, an effect a few kB.
    """

    labs: Store
    maps: Store
    heads: Store
    effects: Store
    desk: Desk


@st.cache_resource(max_entries=1)
def stores() -> Stores:
    """The caches and the gate, shared by every session of this process."""
    hour = 3600.0
    width = int(os.environ.get("ATTNLAB_WORKERS", "1"))
    return Stores(
        labs=Store(max_entries=3, ttl=12 * hour),
        maps=Store(max_entries=32, ttl=hour),
        heads=Store(max_entries=128, ttl=hour),
        effects=Store(max_entries=2048, ttl=hour),
        desk=Desk(Gate(width)),
    )


def perform(key: Hashable, words: str, work: Callable[[Job], Any], store: Store) -> Any:
    """The cached result of `work`, computed behind the gate where there is none yet.

    Args:
        key: names every argument of the work; compared with `==`.
        words: what is under way, for the reader ("Reading sentence A").
        work: gets the job, whose `progress` and `cancel` it passes on.
        store: where the result is kept.

    Raises:
        AttnLabError: what stopped the work; `Cancelled` after the stop button was pressed.
    """
    held = store.get(key)
    if held is not None:
        return held
    if st.session_state.get(_STOPPED) == key:
        raise Cancelled(f"Stopped: {words[0].lower()}{words[1:]}.")
    desk = stores().desk
    job = desk.submit(key, work, store)
    slot = st.empty()
    try:
        if not job.done.wait(_QUIET_SECONDS):
            _watch(job, key, words, slot)
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


def _watch(job: Job, key: Hashable, words: str, slot: Any) -> None:
    """Shows how the job is doing until it is done. Every write lets Streamlit interrupt us."""
    number = next(_NUMBERS)
    with slot.container(key=f"progress-{number}", horizontal=True, vertical_alignment="center"):
        line = st.empty()
        st.button("Stop", key=f"stop-{number}", on_click=_stop, args=(key,), type="tertiary")
    began = time.monotonic()
    while not job.done.wait(_POLL_SECONDS):
        line.progress(job.fraction, text=status(job, words, time.monotonic() - began))


def status(job: Job, words: str, seconds: float) -> str:
    """One line on the job: whose turn it is, or what is under way."""
    ahead = job.ticket.ahead
    if ahead:
        return f"Another session is computing; {ahead} ahead."
    detail = f": {job.words}" if job.words else ""
    return f"{words}{detail}… {seconds:.0f} s"

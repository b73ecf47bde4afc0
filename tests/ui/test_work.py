"""What a waiting page says."""

from streamlit.testing.v1 import AppTest

from attnlab.ui.desk import Job
from attnlab.ui.gate import Gate
from attnlab.ui.work import status


def test_a_waiting_page_says_how_many_are_ahead():
    gate = Gate()
    gate.ticket()
    gate.ticket()
    job = Job(gate.ticket())
    assert status(job, "Reading sentence A", 1.0) == "Another session is computing; 2 ahead."
    said = status(job, "Reading sentence A", 1.0, True)
    assert said == "What was asked before is being stopped."


def test_a_working_page_says_what_is_under_way():
    job = Job(Gate().ticket())
    job.progress(0.5, "layer 3")
    assert status(job, "Reading sentence A", 2.2) == "Reading sentence A: layer 3… 2 s"
    assert job.fraction == 0.5


def _waiting_page() -> None:
    """A page that asks for work which cannot be stopped."""
    import streamlit as st

    from attnlab.errors import Cancelled
    from attnlab.ui import work

    try:
        options = {"store": work.stores().effects, "stoppable": False}
        st.text(work.perform("a key", "Loading the model", lambda job: "loaded", **options))
    except Cancelled as error:
        st.text(str(error))


def test_a_load_that_was_left_says_that_it_goes_on():
    app = AppTest.from_function(_waiting_page)
    app.session_state["_stopped_work"] = "a key"
    app.run()
    assert app.text[0].value == (
        "Stopped waiting: loading the model goes on in the background, and is kept for the next "
        "time."
    )
    del app.session_state["_stopped_work"]
    app.run()
    assert app.text[0].value == "loaded"


def test_what_has_been_found_so_far_is_shared_with_those_who_wait():
    """Each part once, in the thread that waits, and nothing after the work is done."""
    import threading
    import time

    from attnlab.ui.desk import Desk
    from attnlab.ui.store import Store

    go = threading.Event()

    def found(job: Job) -> str:
        job.share((1,))
        go.wait(5)
        return "all"

    desk, store = Desk(Gate()), Store(max_entries=4, ttl=60)
    job = desk.submit("key", found, store)
    for _ in range(100):
        if job.part is not None:
            break
        time.sleep(0.02)
    assert job.part == (1,)
    go.set()
    assert job.done.wait(5) and job.result() == "all"
    desk.leave(job)

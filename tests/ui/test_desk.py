"""The desk computes equal requests once, and bounds how many wait."""

import threading
import time
from collections.abc import Iterator

import pytest

from attnlab.errors import AttnLabError, Busy, Cancelled, EmptyText
from attnlab.ui.desk import Desk, Job
from attnlab.ui.gate import Gate
from attnlab.ui.store import Store


@pytest.fixture
def store() -> Store:
    return Store(10, 100)


class Endless:
    """Work that ends when it is let go, or, if it is stoppable, cancelled."""

    def __init__(self, stoppable: bool = True) -> None:
        self.stoppable = stoppable
        self.go = threading.Event()
        self.calls = 0

    def __call__(self, job: Job) -> str:
        self.calls += 1
        while not self.go.wait(0.01):
            if self.stoppable and job.cancel.is_set():
                raise Cancelled("stopped")
        return "value"


@pytest.fixture
def endless() -> Iterator[Endless]:
    work = Endless()
    yield work
    work.go.set()


def begun(job: Job) -> None:
    end = time.monotonic() + 5
    while not job.begun and time.monotonic() < end:
        time.sleep(0.005)
    assert job.begun


def test_equal_requests_are_computed_once(store):
    desk, calls = Desk(Gate()), []

    def work(job):
        calls.append(1)
        time.sleep(0.05)
        return "value"

    jobs = [desk.submit("key", work, store) for _ in range(50)]
    for job in jobs:
        job.done.wait(5)
        assert job.result() == "value"
        desk.leave(job)
    assert len(calls) == 1
    assert store.get("key") == "value"


def test_a_request_that_comes_as_the_answer_is_put_away_is_not_computed_again(store):
    desk = Desk(Gate())
    store.put("key", "value")
    job = desk.submit("key", lambda job: pytest.fail("computed again"), store)
    assert job.done.is_set()
    assert job.result() == "value"
    assert job.ahead == 0
    desk.leave(job)


def test_work_that_nobody_watches_is_cancelled_and_can_be_asked_for_again(store, endless):
    desk = Desk(Gate())
    first, second = (desk.submit("key", endless, store) for _ in range(2))
    assert first is second
    begun(first)
    desk.leave(first)
    assert not first.cancel.is_set()
    desk.leave(second)
    again = desk.submit("key", lambda job: "value", store)
    assert first.done.wait(5) and again.done.wait(5)
    with pytest.raises(Cancelled):
        first.result()
    assert again.result() == "value"


def test_work_that_cannot_stop_is_left_running_and_rejoined(store):
    desk, load = Desk(Gate()), Endless(stoppable=False)
    first = desk.submit("key", load, store, stoppable=False)
    begun(first)
    desk.leave(first)
    assert not first.cancel.is_set()
    assert desk.submit("key", load, store, stoppable=False) is first
    desk.leave(first)
    load.go.set()
    assert first.done.wait(5)
    assert (store.get("key"), load.calls) == ("value", 1)


def test_work_that_cannot_stop_is_cancelled_while_it_waits(store, endless):
    desk, load = Desk(Gate()), Endless(stoppable=False)
    running = desk.submit("other", endless, store)
    waiting = desk.submit("key", load, store, stoppable=False)
    begun(running)
    desk.leave(waiting)
    assert waiting.done.wait(5)
    with pytest.raises(Cancelled):
        waiting.result()
    assert load.calls == 0


def test_no_more_than_so_many_wait(store, endless):
    desk = Desk(Gate(), most=3)
    jobs = [desk.submit(number, endless, store) for number in range(3)]
    with pytest.raises(Busy, match="3 requests are waiting for this server already"):
        desk.submit(3, endless, store)
    # Joining what is computed anyway is always possible, and a place that is left is free.
    assert desk.submit(2, endless, store) is jobs[2]
    desk.leave(jobs[1])
    desk.submit(4, endless, store)


def test_a_session_waits_for_its_own_work_or_for_that_of_others(store, endless):
    desk = Desk(Gate())
    jobs = [desk.submit(name, endless, store, owner=name[0]) for name in ("a1", "a2", "b1")]
    begun(jobs[0])
    assert [desk.only_own_ahead(job) for job in jobs] == [False, True, False]


def test_one_session_has_no_more_than_its_share(store, endless):
    desk = Desk(Gate(), each=2)
    for number in range(2):
        desk.submit(number, endless, store, owner="one")
    with pytest.raises(Busy, match="Earlier requests of this page"):
        desk.submit(3, endless, store, owner="one")
    desk.submit(4, endless, store, owner="other")


def test_a_failure_reaches_every_watcher_and_is_not_kept(store):
    desk = Desk(Gate())

    def fail(job):
        raise EmptyText("nothing there")

    job = desk.submit("key", fail, store)
    assert job.done.wait(5)
    with pytest.raises(EmptyText, match="nothing there"):
        job.result()
    assert store.get("key") is None


def test_an_unforeseen_failure_is_one_sentence_without_its_details(store, monkeypatch):
    desk, logged = Desk(Gate()), threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda arguments: logged.set())

    def fail(job):
        raise ZeroDivisionError("/some/path")

    job = desk.submit("key", fail, store)
    assert job.done.wait(5)
    with pytest.raises(AttnLabError, match="log of the server") as caught:
        job.result()
    assert "/some/path" not in str(caught.value)
    assert logged.wait(5)

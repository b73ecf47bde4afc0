"""The gate lets one in at a time, in order, and the store and the desk keep what they promise."""

import threading
import time

import pytest

from attnlab.errors import Busy, Cancelled, EmptyText
from attnlab.ui.gate import Gate
from attnlab.ui.store import Desk, Store


def test_one_at_a_time_in_the_order_of_asking():
    gate, inside, order = Gate(), [], []

    def enter(name: int, ticket):
        with gate.turn(ticket):
            inside.append(name)
            assert len(inside) == 1
            time.sleep(0.01)
            order.append(inside.pop())

    tickets = [gate.ticket() for _ in range(5)]
    threads = [
        threading.Thread(target=enter, args=(name, ticket))
        for name, ticket in reversed(list(enumerate(tickets)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]


def test_a_waiting_ticket_knows_how_many_are_ahead():
    gate = Gate()
    first, second, third = gate.ticket(), gate.ticket(), gate.ticket()
    assert [ticket.ahead for ticket in (first, second, third)] == [0, 1, 2]
    with gate.turn(first):
        pass
    assert [ticket.ahead for ticket in (first, second, third)] == [0, 0, 1]


def test_waiting_too_long_is_busy_and_leaves_the_queue():
    gate = Gate()
    with gate.turn(), pytest.raises(Busy, match="Other sessions"), gate.turn(timeout=0.1):
        pass
    with gate.turn(timeout=0.1):
        pass


def test_a_cancelled_wait_leaves_the_queue():
    gate = Gate()
    with gate.turn(), pytest.raises(Cancelled), gate.turn(cancelled=lambda: True):
        pass
    with gate.turn(timeout=0.1):
        pass


def test_a_failure_inside_opens_the_gate_again():
    gate = Gate()
    with pytest.raises(ZeroDivisionError), gate.turn():
        _ = 1 / 0
    with gate.turn(timeout=0.1):
        pass


def test_a_gate_has_a_width():
    with pytest.raises(ValueError, match="width 0"):
        Gate(0)


def test_a_store_forgets_the_least_recently_used_and_the_old():
    now = [0.0]
    store = Store(max_entries=2, ttl=10, clock=lambda: now[0])
    store.put("a", 1)
    store.put("b", 2)
    assert store.get("a") == 1
    store.put("c", 3)
    assert (store.get("a"), store.get("b"), store.get("c")) == (1, None, 3)
    now[0] = 11
    assert len(store) == 0


def test_equal_requests_are_computed_once():
    desk, store, calls = Desk(Gate()), Store(10, 100), []

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


def test_work_that_nobody_watches_is_cancelled_and_can_be_asked_for_again():
    desk, store = Desk(Gate()), Store(10, 100)

    def endless(job):
        while not job.cancel.is_set():
            time.sleep(0.01)
        raise Cancelled("stopped")

    first, second = (desk.submit("key", endless, store) for _ in range(2))
    assert first is second
    desk.leave(first)
    assert not first.cancel.is_set()
    desk.leave(second)
    again = desk.submit("key", lambda job: "value", store)
    assert first.done.wait(5) and again.done.wait(5)
    with pytest.raises(Cancelled):
        first.result()
    assert again.result() == "value"


def test_a_failure_reaches_every_watcher_and_is_not_kept():
    desk, store = Desk(Gate()), Store(10, 100)

    def fail(job):
        raise EmptyText("nothing there")

    job = desk.submit("key", fail, store)
    assert job.done.wait(5)
    with pytest.raises(EmptyText, match="nothing there"):
        job.result()
    assert store.get("key") is None

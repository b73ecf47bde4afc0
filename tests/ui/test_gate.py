"""The gate lets one in at a time, in the order of asking."""

import threading
import time

import pytest

from attnlab.errors import Busy, Cancelled
from attnlab.ui.gate import Gate


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


def test_a_nudge_makes_a_waiter_look_at_once():
    gate, stopped = Gate(), threading.Event()
    ticket, began = gate.ticket(), []

    def wait(waiting):
        with pytest.raises(Cancelled), gate.turn(waiting, cancelled=stopped.is_set):
            pass
        began.append(time.monotonic())

    waiting = gate.ticket()
    thread = threading.Thread(target=wait, args=(waiting,))
    thread.start()
    time.sleep(0.05)
    start = time.monotonic()
    stopped.set()
    waiting.nudge()
    thread.join()
    assert began[0] - start < 0.3
    with gate.turn(ticket):
        pass

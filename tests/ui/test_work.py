"""What a waiting page says."""

from attnlab.ui.desk import Job
from attnlab.ui.gate import Gate
from attnlab.ui.work import status


def test_a_waiting_page_says_how_many_are_ahead():
    gate = Gate()
    gate.ticket()
    gate.ticket()
    job = Job(gate.ticket())
    assert status(job, "Reading sentence A", 1.0) == "Another session is computing; 2 ahead."


def test_a_working_page_says_what_is_under_way():
    job = Job(Gate().ticket())
    job.progress(0.5, "layer 3")
    assert status(job, "Reading sentence A", 2.2) == "Reading sentence A: layer 3… 2 s"
    assert job.fraction == 0.5

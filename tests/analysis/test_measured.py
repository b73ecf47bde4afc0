"""Measurements in processes of their own: what comes back, what is too big, cancel, slopes."""

import subprocess
import threading
import time

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.analysis.measured import apart, child, counts, slopes, ways
from attnlab.attention.grid import Grid
from attnlab.attention.masks import Causal, Window
from attnlab.attention.tiled import TILE
from attnlab.errors import AttnLabError, Cancelled, InputError
from attnlab.trace import Cancel


def test_memory_of_all_scores_grows_with_the_square_and_is_at_least_them():
    shares, parts = [], []
    jobs = [("naive", 1024), ("cached", 1024), ("naive", 2048)]
    found = apart.measure(jobs, progress=shares.append, share=parts.append)
    assert [(one.way, one.n) for one in found] == jobs
    assert shares == [1 / 3, 2 / 3, 1] and parts[-1] == found
    small, step, large = found
    scores = 4 * ways.SHAPE.heads * 2048**2
    assert scores < large.bytes < 4 * scores
    assert 3 < large.bytes / small.bytes < 4.5
    assert 0 < step.seconds < small.seconds < large.seconds


def test_what_is_too_big_is_not_run():
    jobs = [("naive", 64), ("naive", 128), ("naive", 4096), ("naive", 8192), ("cached", 8192)]
    found = apart.measure(jobs, most_bytes=2e7)
    assert [one.why for one in found] == ["", "", "memory", "memory", ""]
    assert found[2].seconds is None and found[2].bytes is None
    slow = apart.measure(jobs[:3], seconds=1e-9)
    assert [one.why for one in slow] == ["", "time", "time"]


def test_a_cancel_ends_the_process_at_once(monkeypatch):
    started = []
    popen = subprocess.Popen

    def watched(*args, **options):
        started.append(popen(*args, **options))
        return started[-1]

    monkeypatch.setattr(apart.subprocess, "Popen", watched)
    cancel = Cancel()
    threading.Timer(0.3, cancel.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled, match="cancelled"):
        apart.measure([("recurrent", 2_000_000)], cancel=cancel)
    assert time.monotonic() - began < 20
    assert started[0].returncode is not None


def test_what_cannot_be_measured_is_a_sentence(monkeypatch):
    with pytest.raises(InputError, match="no way 'magic' to measure 8"):
        apart.measure([("magic", 8)])
    monkeypatch.setattr(apart.sys, "executable", "false")
    with pytest.raises(AttnLabError, match="ended early"):
        apart.measure([("naive", 8)])


def test_a_process_that_ends_before_it_is_told_what_to_measure_is_a_sentence(monkeypatch):
    popen = subprocess.Popen

    def ended(*args, **options):
        process = popen(*args, **options)
        process.wait()
        return process

    monkeypatch.setattr(apart.sys, "executable", "false")
    monkeypatch.setattr(apart.subprocess, "Popen", ended)
    with pytest.raises(AttnLabError, match="ended early"):
        apart.measure([("naive", 8)])


@pytest.mark.parametrize("way", ways.WAYS)
def test_every_way_runs_and_gives_a_row_for_each_token_that_is_asked(way):
    torch.manual_seed(0)
    out = ways.WAYS[way](24)()
    assert out.isfinite().all() and out.numel() % ways.SHAPE.width == 0
    assert set(child.measured(way, 16)) == {"seconds", "bytes"}


@given(st.floats(0.2, 3), st.floats(-8, 3), st.lists(st.integers(2, 40), min_size=2, unique=True))
def test_a_power_is_found_again(slope, exponent, counts):
    counts = sorted(counts)
    power = slopes.Power(slope, 10.0**exponent)
    found = slopes.fitted(counts, [power.at(n) for n in counts])
    assert found.slope == pytest.approx(slope, abs=1e-6)
    assert found.at(1_000) == pytest.approx(power.at(1_000), rel=1e-4)


def test_figures_that_say_nothing_are_left_out():
    assert slopes.fitted([1, 2, 4, 8], [0, 0, 3, 6]).slope == pytest.approx(1)
    assert slopes.fitted([1, 2], [0, 5]) is None
    assert slopes.fitted([3], [5]) is None


def test_where_two_powers_cross():
    assert slopes.crossing(slopes.Power(2, 1), slopes.Power(1, 100)) == pytest.approx(100)
    assert slopes.crossing(slopes.Power(1, 1), slopes.Power(1, 100)) is None
    assert slopes.crossing(slopes.Power(1 + 2e-6, 1), slopes.Power(1, 1e300)) is None


@given(st.integers(1, 3_000))
def test_the_pairs_of_tiles_are_those_that_are_computed(n):
    for mask, count in ((Causal(), counts.tiled), (Window(ways.WINDOW), counts.window)):
        grid = Grid(mask, n, n, TILE)
        pairs = sum(len(rows) * len(cell.keys) for rows in grid.rows for cell in grid.cells(rows))
        assert count(n) == 2 * ways.SHAPE.width * pairs


def test_counts_are_of_the_ways_that_are_measured():
    assert set(counts.COUNTS) <= set(ways.WAYS)
    assert counts.naive(131_072) == 512 * 131_072**2
    assert counts.cached(16) == 512 * 16
    # Half of the square, and a little more along the diagonal.
    assert counts.tiled(131_072) / counts.naive(131_072) == pytest.approx(0.501, abs=1e-3)

"""The page Cost in a real Chromium: measured and stopped, a film played, a list asked."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visiting import at_once, count_runs, runs, settled, show

pytestmark = pytest.mark.browser


def test_a_measurement_runs_is_stopped_and_runs_again(watched: Page, address: str):
    page = watched
    page.goto(f"{address}/cost?up-to=16384")
    page.get_by_role("button", name="Measure on this machine").click()
    stop = page.get_by_role("button", name="Stop")
    expect(page.locator("[class*=st-key-progress-]")).to_contain_text("Measuring")
    at_once(stop)
    problem = page.locator(".st-key-problem-stopped")
    expect(problem).to_contain_text("Stopped: measuring on this machine")
    expect(page.locator(".st-key-growth-count svg")).to_be_visible()
    page.goto(f"{address}/cost?up-to=1024&measure=yes")
    time = page.locator(".st-key-growth-seconds svg")
    expect(time).to_contain_text("tiled n", timeout=120_000)
    expect(page.locator(".st-key-growth-bytes svg")).to_contain_text("naive n")
    settled(page)
    count_runs(page)
    time.locator(".al-spot").last.hover()
    expect(page.locator(".st-key-growth-seconds .al-tip")).to_contain_text("not measured")
    assert runs(page) == 0


def test_the_text_of_a_model_is_stopped_while_it_is_written(page: Page, address: str):
    page.goto(f"{address}/cost?show=cache&passage=own")
    page.get_by_role("button", name="Write it, then read it three times").click(timeout=120_000)
    written = page.locator("[class*=st-key-remark-writing-]").first
    expect(written).to_contain_text("…", timeout=120_000)
    at_once(page.get_by_role("button", name="Stop"))
    expect(page.locator(".st-key-problem-stopped")).to_contain_text("Stopped: writing a text")


def test_tiles_are_stepped_through_and_played(page: Page, address: str):
    page.goto(f"{address}/cost?show=tiles&tile=8")
    film = page.locator(".st-key-tiles")
    now = film.locator(".al-film-now")
    expect(now).to_have_text(re.compile(r"tile \d of 4"), timeout=120_000)
    settled(page)
    film.get_by_role("slider").fill("0")
    expect(now).to_have_text("tile 1 of 4")
    film.get_by_role("button", name="On").click()
    expect(film.locator("svg")).to_contain_text("hidden by the mask: skipped")
    expect(page).to_have_url(re.compile("nth=1"))
    settled(page)
    film.get_by_role("button", name="Play").click()
    expect(now).to_have_text("tile 4 of 4")
    expect(page).to_have_url(re.compile("nth=3"))
    expect(film.get_by_role("button", name="On")).to_be_disabled()
    show(page, "Why it won")
    expect(page.locator(".st-key-cost-why-path svg")).to_contain_text("recurrent network")

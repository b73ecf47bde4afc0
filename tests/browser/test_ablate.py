"""The page Ablate in a real Chromium: a sweep that is stopped, run again, and clicked."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visiting import at_once, count_runs, runs, settled

pytestmark = pytest.mark.browser

HEAD = 23 * 9 + 4
"""Layer 23, head 4 of SmolLM2, among the squares."""


def test_a_sweep_is_stopped_run_again_and_its_strongest_head_taken_away(
    watched: Page, address: str
):
    page = watched
    page.goto(f"{address}/ablate?a=The capital of France is")
    under_way = page.locator("[class*=st-key-progress-]", has_text="Taking each of 270 heads away")
    expect(under_way).to_be_visible(timeout=180_000)
    at_once(under_way.get_by_text("Stop", exact=True))
    expect(page.locator(".st-key-remark-paused")).to_contain_text("of 270 heads")
    settled(page)
    # The estimate stands; and nothing starts again by itself.
    picture = page.locator("[class*=st-key-effects-] svg.al-diagram").first
    expect(picture).to_contain_text("outlined: estimated")

    page.get_by_role("button", name="Run it again").click()
    how = page.locator(".st-key-remark-how")
    expect(how).to_contain_text("All 270 heads, exactly", timeout=180_000)
    expect(page.locator(".st-key-remark-correlation")).to_contain_text(re.compile(r"0\.9\d"))
    settled(page)

    # Pointing says what a head does; it asks nobody.
    count_runs(page)
    square = page.locator(f'.st-key-effects [data-spot="{HEAD}"]')
    square.hover()
    expect(page.locator(".st-key-effects .al-tip")).to_contain_text("1.201 nats")
    assert runs(page) == 0

    # The first of the list is the same head; a click on its square takes it away.
    expect(page.locator(".st-key-strongest .al-rank").first).to_contain_text("L23 H4")
    square.click()
    expect(page.locator(".st-key-card-chosen")).to_contain_text("Layer 23 · Head 4")
    expect(page.locator(".st-key-answer-chosen")).to_have_text("1.201 nats")
    expect(page.locator(".st-key-remark-chosen")).to_contain_text("ranks 1 of 270")
    expect(page.locator(".st-key-answer-together")).to_have_text("1.201 nats")
    expect(page.locator(".st-key-card-tray")).to_contain_text("L23 H4")
    paris = page.locator(".st-key-gone-next .al-bar", has_text="Paris").locator(".al-bar-figures")
    expect(paris).to_have_text("0.77 → 0.14", timeout=120_000)
    expect(page).to_have_url(re.compile("gone=L23H4"))
    settled(page)

    # The keys do the same: from L23 H4 on to L23 H5, which joins it.
    page.locator(".st-key-effects svg.al-diagram").focus()
    square.hover()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("gone=L23H4.L23H5"))
    expect(page.locator(".st-key-remark-together")).to_contain_text("if added up; together")


def test_a_pattern_is_painted_and_every_head_is_given_it(page: Page, address: str):
    page.goto(f"{address}/ablate?fill=pattern&start=empty&head=L23H4&a=The capital of France is")
    settled(page)
    expect(page.locator(".st-key-problem-painted")).to_contain_text("Nothing is painted yet")
    cell = page.locator('.al-paint-cell[data-q="4"]')
    cell.nth(0).hover()
    page.mouse.down()
    cell.nth(1).hover()
    page.mouse.up()
    expect(page).to_have_url(re.compile("cells=4s0-1"))
    expect(page.locator(".al-paint-told")).to_contain_text("“is” looks at 2 of 5, 0.50 each")
    expect(page.locator(".st-key-problem-painted")).to_have_count(0)
    expect(page.locator(".st-key-remark-how")).to_contain_text(
        "All 270 heads, exactly", timeout=180_000
    )
    settled(page)
    expect(page.locator(".st-key-answer-chosen")).not_to_have_text("0 nats")


def test_a_feed_forward_s_square_joins_the_set(page: Page, address: str):
    page.goto(f"{address}/ablate?feed=1&gone=L23H4&a=The capital of France is")
    expect(page.locator(".st-key-remark-how")).to_contain_text("30 feed-forwards", timeout=180_000)
    settled(page)
    page.locator(f'.st-key-effects [data-spot="{270 + 3}"]').click()
    expect(page).to_have_url(re.compile("mlp=3"))
    tray = page.locator(".st-key-card-tray")
    expect(tray).to_contain_text("L3 feed-forward")
    expect(tray).to_contain_text("random sets of 1 head and 1 feed-forward", timeout=180_000)
    settled(page)
    tray.get_by_role("button", name="Give all back").click()
    expect(page).not_to_have_url(re.compile("mlp="))


def test_a_study_is_kept_as_a_file_and_runs_again(page: Page, address: str, tmp_path):
    words = "The capital of France is"
    page.goto(f"{address}/ablate?fill=mean&gone=L23H4.L0H4&a={words}")
    together = page.locator(".st-key-answer-together")
    expect(together).to_contain_text("nats", timeout=180_000)
    found = together.inner_text()
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the study").click()
    kept = tmp_path / "study.json"
    download.value.save_as(kept)

    page.goto(f"{address}/ablate?a={words}")
    expect(page.locator(".st-key-remark-how")).to_be_visible(timeout=180_000)
    settled(page)
    page.get_by_role("button", name="Open a study").click()
    page.locator(".st-key-study-file input[type=file]").set_input_files(kept)
    expect(together).to_have_text(found, timeout=180_000)
    told = page.locator(".st-key-remark-study")
    expect(told).to_have_text(f"Saved: {found}; run again: {found.split()[0]}, the same.")
    expect(page).to_have_url(re.compile("fill=mean"))

"""Trace a prediction in a real Chromium: a word, a part and a patch are clicked."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visiting import count_runs, runs, settled, show

pytestmark = pytest.mark.browser


def test_a_prediction_is_followed_and_its_parts_taken_away(watched: Page, address: str):
    page = watched
    page.goto(f"{address}/trace?lesson=paris")
    expect(page.locator(".st-key-remark-lens")).to_contain_text(
        "only after the last layer", timeout=120_000
    )
    without = page.locator(".st-key-remark-without").first
    expect(without).to_contain_text("0.77 → 0.14", timeout=60_000)
    settled(page)
    count_runs(page)
    parts = page.locator(".st-key-parts svg.al-diagram")
    parts.locator(".al-spot").last.hover()
    expect(page.locator(".st-key-parts .al-tip")).to_contain_text("L29 feed-forward")
    assert runs(page) == 0
    parts.locator(".al-spot").last.click()
    expect(page.locator(".st-key-card-without").first).to_contain_text("feed-forward of layer 29")
    expect(page).to_have_url(re.compile("feed=29"))
    page.locator(".st-key-parts-ranks .al-rank").nth(1).click()
    expect(page.locator(".st-key-card-without").first).to_contain_text("Without L29 H0")


def test_values_of_the_other_sentence_are_put_in(page: Page, address: str):
    france, germany = "The capital of France is", "The capital of Germany is"
    query = f"show=pair&stage=resid_post&a={france}&b={germany}&answer=Paris&other=Berlin"
    page.goto(f"{address}/trace?{query}")
    expect(page.locator(".st-key-remark-pair")).to_contain_text("6.66 in A", timeout=120_000)
    settled(page)
    page.locator(".st-key-patched .al-spot").first.click()
    expect(page.locator(".st-key-remark-patch")).to_contain_text("of the way to A", timeout=30_000)
    expect(page).to_have_url(re.compile("spot=L0P3"))
    show(page, "A word in A and B")
    expect(page.locator(".st-key-remark-word")).to_contain_text("“is”", timeout=30_000)

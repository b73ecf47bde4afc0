"""The Architecture page in a real Chromium: its figures, what is pointed at, its presets."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.visiting import count_runs, runs, settled, show

pytestmark = pytest.mark.browser


def drawing(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} svg.al-diagram")


def words(page: Page, key: str) -> list[str]:
    """Everything that is written in a diagram, in the order in which it is drawn."""
    return drawing(page, key).locator("text").all_text_contents()


def test_the_block_its_presets_and_the_cache(page: Page, address: str):
    page.goto(f"{address}/architecture")
    block = drawing(page, "block")
    expect(block).to_contain_text("q  9 × 13 × 64", timeout=180_000)
    settled(page)
    expect(block).to_contain_text("884,736")
    expect(drawing(page, "shares")).to_contain_text("134,515,008")
    expect(drawing(page, "pass")).to_contain_text("Logits")
    steps = words(page, "pass")
    assert steps[steps.index("Weights") + 1] == "9 × 13 × 13"
    assert steps[steps.index("Logits") + 1] == "13 × 49,152"

    _points_without_a_rerun(page, block)

    page.locator(".st-key-which-model").get_by_text("GPT-2 small", exact=True).click()
    expect(block).to_contain_text("2,362,368")
    expect(block).to_contain_text("4,722,432")
    expect(drawing(page, "shares")).to_contain_text("67%")
    expect(page).to_have_url(re.compile("of=gpt2-small"))

    show(page, "Heads and cache")
    expect(drawing(page, "sharing")).to_contain_text("multi-head · this model")
    page.locator(".st-key-which-model").get_by_text("The loaded model", exact=True).click()
    expect(drawing(page, "sharing")).to_contain_text("grouped-query · this model")
    expect(drawing(page, "cache")).to_contain_text("180 MiB")

    show(page, "Why it won")
    expect(drawing(page, "why-path")).to_contain_text("sliding window")
    label = drawing(page, "why-path").get_attribute("aria-label")
    assert "sliding window 1,033, full attention 1." in label


def _points_without_a_rerun(page: Page, block: Locator) -> None:
    """Pointing and arrow keys say what a part does; the script does not run again."""
    tip = page.locator(".st-key-block .al-tip")
    count_runs(page)
    block.locator(".al-spot").nth(2).hover()
    expect(tip).to_contain_text("Self-attention")
    expect(tip).to_contain_text("A token sees itself and those before it.")
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()
    block.focus()
    page.keyboard.press("End")
    expect(tip).to_contain_text("Output: the table of tokens again")
    expect(page.locator(".st-key-block .al-live")).to_contain_text("Output: the table")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    assert runs(page) == 0

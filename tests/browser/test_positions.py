"""Positions in a real Chromium: words in another order, clocks that turn, a model told nothing."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visiting import count_runs, runs, settled, show

pytestmark = pytest.mark.browser


def largest(page: Page, key: str) -> float:
    """The largest change that a case tells, as a share."""
    told = page.locator(f".st-key-remark-order-{key}")
    expect(told).to_contain_text("Largest change", timeout=180_000)
    figure = re.search(r"Largest change ([\d.]+)(%|e−(\d+))", told.inner_text())
    assert figure, told.inner_text()
    power = f"e-{figure[3]}" if figure[3] else "e-2"
    return float(figure[1] + power)


def test_words_in_another_order(watched: Page, address: str):
    page = watched
    page.goto(f"{address}/positions?show=order&model=minilm-l6")
    assert largest(page, "ours-bare") <= 1e-5
    assert largest(page, "ours-mask") >= 0.1
    assert largest(page, "ours-scheme") >= 0.1
    assert largest(page, "model-bare") <= 1e-3
    assert largest(page, "model-mask") >= 0.01
    assert largest(page, "model-scheme") >= 0.01
    settled(page)

    count_runs(page)
    drawing = page.locator(".st-key-order-ours-mask svg.al-diagram")
    drawing.locator(".al-spot").first.hover()
    expect(page.locator(".st-key-order-ours-mask .al-tip")).to_contain_text("from place 3 to 1")
    assert runs(page) == 0

    page.get_by_label("Words", exact=True).fill("the cat sat down")
    page.get_by_label("Words", exact=True).press("Enter")
    expect(drawing).to_contain_text("down")
    expect(page).to_have_url(re.compile("words=the"))
    assert largest(page, "ours-bare") <= 1e-5


def test_clocks_turn_and_the_turn_is_one(page: Page, address: str):
    page.goto(f"{address}/positions")
    clocks = page.locator(".st-key-turn svg.al-diagram")
    expect(clocks).to_contain_text("PE(12)", timeout=180_000)
    settled(page)
    slider = page.get_by_role("slider", name="Position p")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(clocks).to_contain_text("PE(13)")
    expect(clocks).to_contain_text("PE(18)")
    expect(page.locator(".st-key-remark-turn-error")).to_contain_text("e−14 in double precision")
    expect(page).to_have_url(re.compile("[?&]p=13"))
    page.locator(".st-key-which-model").get_by_text("ALiBi", exact=True).click()
    expect(page.locator(".st-key-even svg.al-diagram")).to_contain_text("head 7 · 0.00391")

    show(page, "Distance")
    expect(page.locator(".st-key-remark-same")).to_contain_text("Three curves, one on the other")
    label = page.locator(".st-key-same svg.al-diagram").get_attribute("aria-label")
    ends = re.findall(r"key at [\d,]+ (−?\d+\.\d+)", label)
    assert len(ends) == 3 and len(set(ends)) == 1


def test_a_model_is_told_nothing_about_positions(page: Page, address: str):
    page.goto(f"{address}/positions?show=model")
    expect(page.locator(".st-key-remark-positions-loss")).to_contain_text(
        "Mean 4.06 →", timeout=180_000
    )
    chosen = page.locator(".st-key-positions-ranks .al-rank[aria-current]")
    expect(chosen).to_contain_text("L11 H1")
    settled(page)
    page.locator(".st-key-positions-ranks .al-rank").nth(1).click()
    expect(page.locator(".st-key-positions-twice svg.al-diagram")).to_contain_text(
        "L16 H0, changed"
    )
    expect(page).to_have_url(re.compile("look=L16H0"))
    page.locator(".st-key-title-edit").wait_for()
    page.locator("[class*=st-key-positions-edit]").get_by_text("Shifted", exact=True).click()
    expect(page.locator(".st-key-remark-positions-loss")).to_contain_text("Mean 4.06 → 4.06 nats")

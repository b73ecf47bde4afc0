"""A real head and why √d, in Chromium: its numbers are the Trace's, and the slider moves them."""

import re
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from attnlab.analysis import scaling
from attnlab.ui.selection import SENTENCE_A, SENTENCE_B
from tests.browser.visiting import count_runs, runs, settled

pytestmark = pytest.mark.browser

HOSTILE = '<img src=x onerror="window.hit=1"> </script><script>window.hit=1</script>'


def opened(page: Page, url: str) -> Locator:
    """Opens the panel and waits for its last section."""
    page.goto(url)
    strips = page.locator(".st-key-real")
    expect(strips).to_contain_text("Through W_O", timeout=180_000)
    settled(page)
    return strips


def weights(page: Page) -> dict[int, str]:
    """The weights of the row, as they are written, by position."""
    rows = page.locator(".st-key-real .al-row-item[data-position]").evaluate_all(
        """(items) => items.map((item) => [Number(item.dataset.position),
           item.querySelector(".al-row-weight").textContent])"""
    )
    return dict(rows)


def test_a_real_heads_weights_are_the_traces(watched: Page, address: str, smollm2):
    page = watched
    strips = opened(page, f"{address}/step-by-step?show=real")
    trace = smollm2.run(SENTENCE_B)
    row = trace.weights[4, 2][11]
    shown = weights(page)
    assert shown[12] == "hidden" and len(shown) == 13
    for position in range(12):
        assert float(shown[position]) == pytest.approx(float(row[position]), abs=6e-5)
    expect(page.locator(".st-key-card-real")).to_contain_text(f"“street” {float(row[6]):.4f} in B")
    expect(strips).to_contain_text(
        "Query head 2 reads key/value head 0, shared with heads 0 and 1."
    )

    # Hovering a number of q tells it, and runs nothing.
    count_runs(page)
    room = strips.locator(".al-strip-room").first
    room.scroll_into_view_if_needed()
    room.hover(position={"x": 4, "y": 20})
    tip = strips.locator(".al-tip").filter(has_text="dimension 0")
    expect(tip).to_be_visible()
    ours = smollm2.run(SENTENCE_B, capture="v").v[4, 0]
    assert ours.shape == (13, 64)
    dial = strips.locator(".al-dials")
    dial.hover(position={"x": 10, "y": 10})
    expect(strips.locator(".al-tip").filter(has_text="Pair 0: dimensions 0 and 32")).to_be_visible()
    assert runs(page) == 0

    # The keys of the keyboard read the same numbers out.
    room.focus()
    page.keyboard.press("Home")
    expect(strips.locator(".al-live")).to_have_text(re.compile("^dimension 0: "))

    # Another key, chosen in the row: its own score is opened, and the address knows it.
    strips.locator('.al-row-item[data-position="1"]').click()
    expect(page.locator(".st-key-card-real")).to_contain_text(f"“animal” {float(row[1]):.4f} in B")
    expect(page).to_have_url(re.compile("at=B11.*key=1"))
    settled(page)
    page.reload()
    expect(page.locator(".st-key-card-real")).to_contain_text(f"“animal” {float(row[1]):.4f} in B")


def test_a_word_and_a_head_are_chosen_on_the_page(page: Page, address: str, smollm2):
    strips = opened(page, f"{address}/step-by-step?show=real&head=L13H8")
    words = page.locator(".st-key-real-words")
    words.locator('.al-pick-word[data-side="A"][data-position="8"]').click()
    words.locator('.al-pick-word[data-side="A"][data-position="1"]').click()
    weight = float(smollm2.run(SENTENCE_A).weights[13, 8][8, 1])
    expect(page.locator(".st-key-card-real")).to_contain_text(f"“it” → “animal” {weight:.4f} in A")
    expect(strips.locator('.al-row-item[data-position="1"] .al-row-weight')).to_have_text(
        f"{weight:.4f}"
    )
    settled(page)
    page.locator(".st-key-pages").get_by_text("Heads", exact=True).click()
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 13 · Head 8")
    expect(page.locator(".st-key-card-head")).to_contain_text(f"it → animal {weight:.2f}")


def test_hostile_words_in_a_narrow_dark_window(browser, address: str):
    context = browser.new_context(viewport={"width": 800, "height": 900}, color_scheme="dark")
    page = context.new_page()
    page.set_default_timeout(60_000)
    strips = opened(page, f"{address}/step-by-step?show=real&b=&a={quote(HOSTILE)}")
    expect(strips.locator(".al-row-item").first).to_be_visible()
    assert page.evaluate("window.hit") is None
    # Nothing is wider than the card.
    assert strips.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
    context.close()


def test_moving_d_moves_entropy_and_gradient(page: Page, address: str):
    page.goto(f"{address}/step-by-step?show=why")
    row = page.locator(".st-key-remark-scaling-row")
    drawn = scaling.sample()
    expect(row).to_contain_text(_entropy(drawn, 64), timeout=180_000)
    settled(page)
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(4):  # 96, 128, 192, 256
        page.keyboard.press("ArrowRight")
    expect(row).to_contain_text(_entropy(drawn, 256))
    expect(page).to_have_url(re.compile("d=256"))
    curves = scaling.curves(drawn)
    at = curves.sizes.index(256)
    entropy = page.locator(".st-key-remark-curve-1")
    expect(entropy).to_contain_text(f"At d = 256, {curves.entropy[1][at]:.3f} nats as they are")
    gradient = page.locator(".st-key-remark-curve-2")
    expect(gradient).to_contain_text(f"{curves.gradient[1][at]:.3g} as they are")
    expect(page.locator(".st-key-curve-0 svg")).to_be_visible()

    page.get_by_text("Six scores at d = 64", exact=True).click()
    strips = page.locator(".st-key-scaling")
    expect(strips).to_contain_text("÷ 8")
    figures = strips.locator(".al-section").nth(1).locator(".al-strip-figures")
    expect(figures.nth(0).locator("span").first).to_have_text("1.00")
    soft = figures.nth(1).locator("span").all_inner_texts()
    assert [float(value) for value in soft] == pytest.approx(
        [0.495, 0.016, 0.066, 0.163, 0.102, 0.157], abs=6e-3
    )


def _entropy(drawn: scaling.Sample, d: int) -> str:
    raw, divided = (
        float(scaling.entropy(scaling.softmax(drawn.of(d, 0) / scale))) for scale in (1, np.sqrt(d))
    )
    return f"Entropy of this row: {raw:.3f} nats as they are, {divided:.3f} divided"

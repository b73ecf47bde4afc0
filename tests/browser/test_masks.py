"""The page Masks in a real Chromium: counted, painted by mouse and by keys, followed."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.visiting import count_runs, runs, settled

pytestmark = pytest.mark.browser


def cell(page: Page, key: str, query: int, looked: int) -> Locator:
    return page.locator(f'.st-key-{key} .al-paint-cell[data-q="{query}"][data-k="{looked}"]')


def drag(page: Page, start: Locator, end: Locator) -> None:
    """Presses on one cell and lets go on another."""
    places = []
    for one in (start, end):
        one.scroll_into_view_if_needed()
        box = one.bounding_box()
        places.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=8)
    page.wait_for_timeout(60)  # a frame, in which the last move is drawn
    page.mouse.up()


def test_sinks_and_a_window_are_counted_painted_and_followed(watched: Page, address: str):
    page = watched
    page.goto(f"{address}/masks")
    count = page.locator(".st-key-answer-count")
    expect(count).to_have_text("70 of 136", timeout=180_000)
    expect(page.locator(".st-key-answer-far")).to_have_text("528,611,328 of 8,590,000,128")
    told = page.locator(".st-key-paint .al-paint-told")
    expect(told).to_contain_text("“fish” sees 5 of 16", timeout=180_000)
    settled(page)

    # Pointing says what a row sees; it asks nobody.
    count_runs(page)
    cell(page, "paint", 4, 2).hover()
    expect(told).to_contain_text("“out” sees 5 of 16")
    expect(page.locator(".st-key-paint .al-tip")).to_contain_text("may look, by the pattern")
    assert runs(page) == 0

    # A drag paints a row; the address keeps it, and one run follows.
    drag(page, cell(page, "paint", 15, 4), cell(page, "paint", 15, 7))
    expect(count).to_have_text("74 of 136")
    expect(page).to_have_url(re.compile("cells=15s4-7"))
    settled(page)

    # Keys do the same.
    cell(page, "paint", 15, 7).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(count).to_have_text("75 of 136")
    expect(page.locator(".st-key-paint .al-live")).to_contain_text("sees 10 of 16")
    page.get_by_text("Back to the pattern").click()
    expect(count).to_have_text("70 of 136")

    _layers(page, count)
    _three_words(page)


def _layers(page: Page, count: Locator) -> None:
    """How far the last word hears through a window, layer by layer."""
    page.locator(".st-key-which-mask").get_by_text("Window", exact=True).click()
    expect(count).to_have_text("58 of 136")
    heard = page.locator(".st-key-cone .al-cone-told")
    expect(heard).to_contain_text(
        "After 3 layers “fish” can hold something of 10 of 16 words, 9 back."
    )
    expect(heard).to_contain_text("3 × (4 − 1) = 9 back")
    settled(page)
    page.locator(".st-key-cone svg.al-cone").focus()
    page.keyboard.press("ArrowUp")
    expect(heard).to_contain_text("13 of 16 words, 12 back")
    expect(page).to_have_url(re.compile("layers=4"))
    page.locator(".st-key-cone").get_by_label("Play").click()
    expect(heard).to_contain_text("all of 16 words, 15 back")
    expect(page).to_have_url(re.compile("layers=6"))  # told a moment after the film has ended


def _three_words(page: Page) -> None:
    """The rows of the books, what each word predicts, and the answer painted in."""
    page.get_by_role("button", name="Three words").click()
    first = cell(page, "paint", 0, 0)
    expect(first).to_have_text("1.00")
    expect(cell(page, "paint", 1, 0)).to_have_text("0.60")
    rows = page.locator(".st-key-paint .al-paint-line")
    assert [rows.nth(at).locator(".al-paint-cell").all_text_contents() for at in (1, 2, 3)] == [
        ["1.00", "", ""],
        ["0.60", "0.40", ""],
        ["0.20", "0.50", "0.30"],
    ]
    goals = page.locator(".st-key-paint .al-paint-next")
    assert goals.all_text_contents()[1:] == ["→ B", "→ C", "→ what comes next"]
    settled(page)
    cell(page, "paint", 0, 1).click()
    expect(first).to_have_text("0.23")
    expect(goals.nth(1)).to_have_text("→ B (sees it)")
    expect(page.locator(".st-key-paint .al-paint-told")).to_contain_text("nothing left to learn")
    page.reload()
    expect(first).to_have_text("0.23")


def test_a_painted_cell_moves_the_prediction(page: Page, address: str):
    page.goto(f"{address}/masks?lesson=one-cell")
    paris = page.locator(".st-key-masked-next .al-bar", has_text="Paris").locator(".al-bar-figures")
    expect(paris).to_have_text("0.77 → 0.00", timeout=240_000)
    settled(page)
    cell(page, "mask", 4, 0).click()
    expect(paris).to_have_text("0.77 → 0.77")
    expect(page).not_to_have_url(re.compile("paint="))
    settled(page)

    # Another cell, that of the word that the answer hangs on.
    cell(page, "mask", 4, 3).click()
    expect(paris).to_have_text("0.77 → 0.00")
    expect(page).to_have_url(re.compile("paint=4h3"))
    expect(page.locator(".st-key-card-masked-losses")).to_contain_text("Mean 3.69 → 3.69 nats")

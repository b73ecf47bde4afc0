"""Several heads in a real Chromium: found by two words, set side by side, read in all of them."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from attnlab.ui.selection import SENTENCE_A, SENTENCE_B
from tests.browser.visiting import (
    count_runs,
    figure,
    opened,
    runs,
    settled,
    show,
)

pytestmark = pytest.mark.browser

STREET, LAST = 6, 11  # in both sentences
KINDS = ["L16 H0", "L13 H8", "L4 H2", "L18 H6"]


def word(page: Page, side: str, position: int) -> Locator:
    """A word to pick in the running text."""
    return page.locator(f'.al-pick-word[data-side="{side}"][data-position="{position}"]')


def first_found(page: Page, column: int) -> Locator:
    """The best head of a list."""
    return page.locator(".st-key-ranks .al-ranks-list").nth(column).locator(".al-rank").first


def test_a_head_is_found_by_its_two_words(watched: Page, address: str):
    page = watched
    opened(page, f"{address}/?head=L0H0")
    show(page, "Find a head")
    word(page, "B", LAST).click()
    word(page, "B", STREET).click()
    expect(page.locator(".al-pick-say")).to_contain_text("wide looks at street")
    expect(page).to_have_url(re.compile("at=B11&key=6"))
    expect(page.get_by_text("“wide” → “street” in B, and “tired” → “street” in A.")).to_be_visible()
    expect(first_found(page, 0)).to_contain_text("L8 H6")
    expect(first_found(page, 1)).to_have_text("1L4 H20.46")
    expect(first_found(page, 2)).to_have_text("1L4 H2+0.40")
    settled(page)

    first_found(page, 2).click()
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 4 · Head 2")
    expect(figure(page, "B", STREET)).to_have_text("0.46")
    expect(page.locator(".st-key-card-head")).to_contain_text("wide → street 0.46 in B")
    settled(page)
    page.go_back()
    expect(page.locator('.al-rank[aria-current="true"]')).to_have_count(0)  # L0 H0 is none of them
    expect(first_found(page, 1)).to_have_text("1L4 H20.46")


def point_at_street(page: Page, tile: int) -> None:
    """Moves over a matrix until its cell from “wide” to “street” is under the pointer."""
    said = page.locator(".st-key-compare .al-compare-say")
    stage = page.locator(".al-tile-stage").nth(tile)
    stage.scroll_into_view_if_needed()
    box = stage.locator("canvas").first.bounding_box()
    x, y = box["x"] + box["width"] * 0.4, box["y"] + box["height"] - 3
    for wanted, dx, dy in (("wide →", 0, -4), ("wide → street", -4, 0)):
        for _ in range(60):
            page.mouse.move(x, y)
            page.wait_for_timeout(30)
            if said.inner_text().startswith(wanted):
                break
            x, y = x + dx, y + dy
    expect(said).to_have_text("wide → street")


def test_pinned_heads_are_read_in_one_cell_opened_and_taken_away(
    watched: Page, address: str, smollm2
):
    page = watched
    opened(page, address)
    show(page, "Compare")
    page.get_by_role("button", name="Pin 4 heads of different kinds").click()
    names, tiles = page.locator(".al-tile-name"), page.locator(".al-tile-figures")
    expect(names).to_have_text(KINDS)
    expect(page.locator(".al-tile-note")).to_contain_text(["", "", "finds the street", ""])
    table = page.get_by_role("table", name="How alike they look")
    expect(table.locator("tbody tr")).to_have_count(len(KINDS) - 1)

    count_runs(page)
    point_at_street(page, 2)
    a, b = (smollm2.run(text, logits=None).weights for text in (SENTENCE_A, SENTENCE_B))
    for tile, head in enumerate([(16, 0), (13, 8), (4, 2), (18, 6)]):
        in_a, in_b = (f"{float(weights[head][LAST, STREET]):.2f}" for weights in (a, b))
        told = tiles.nth(tile).inner_text().replace("\n", " ")
        # A weight that rounds to nothing is written as 0.
        assert f"A {in_a if in_a != '0.00' else '0'}" in told
        assert f"B {in_b if in_b != '0.00' else '0'}" in told
    assert runs(page) == 0

    page.mouse.down()
    page.mouse.up()
    page.mouse.move(5, 5)
    expect(page.locator(".al-compare-say")).to_have_text("wide → street")  # kept
    page.locator(".st-key-title-compare").get_by_text("arcs", exact=True).click()
    expect(tiles.nth(2)).to_contain_text("+0.40")
    page.get_by_role("button", name="Remove L18 H6").click()
    expect(names).to_have_text(KINDS[:3])
    expect(page).to_have_url(re.compile(r"pins=L16H0\.L13H8\.L4H2"))
    settled(page)

    page.get_by_role("button", name="Open layer 16, head 0").click()
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 16 · Head 0")
    expect(page.locator('.st-key-head .al-word[data-side="B"]').first).to_be_visible()
    show(page, "Compare")
    expect(names).to_have_text(KINDS[:3])
    page.get_by_role("button", name="Unpin all").click()
    expect(page.get_by_text("Pin a head to start")).to_be_visible()


def test_the_difference_of_texts_of_two_lengths_keeps_words_of_one_only(
    watched: Page, address: str
):
    page = watched
    opened(page, f"{address}/?a=It was wide today.&b=It was very wide today.&mode=difference")
    card = page.locator(".st-key-head")
    expect(card.locator(".al-legend")).to_contain_text("only in B")
    expect(page.locator(".st-key-grid .al-hint")).to_contain_text("Hatched: 1 token only in B")
    matrix = card.locator(".al-matrix")
    expect(matrix).to_have_attribute("aria-label", re.compile("B − A, 6 rows, 6 columns"))
    matrix.focus()
    for key in ("Home", *["ArrowUp"] * 6, *["ArrowLeft"] * 6, *["ArrowDown"] * 4, "ArrowRight"):
        page.keyboard.press(key)
    expect(card.locator(".al-live")).to_have_text(re.compile("today → was: A 0.+ B 0.+ B − A"))
    page.keyboard.press("ArrowRight")
    expect(card.locator(".al-live")).to_have_text(re.compile(r"^today → very: B 0\.\d\d ?$"))

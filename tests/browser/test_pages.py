"""Several pages in a real Chromium: what was chosen comes along, and every address reopens."""

import re

import pytest
from playwright.sync_api import Page, expect

from attnlab.ui.selection import SENTENCE_A
from tests.browser.visiting import opened, settled

pytestmark = pytest.mark.browser


def turn(page: Page, title: str) -> None:
    """Opens another page from the sidebar."""
    page.locator(".st-key-pages").get_by_text(title, exact=True).click()
    settled(page)


def test_the_head_comes_along_addresses_reopen_and_back_works(page: Page, address: str):
    opened(page, f"{address}/?head=L9H4&b=")
    heading = page.get_by_role("heading", level=1)
    turn(page, "Step by step")
    expect(heading).to_have_text("Step by step")
    expect(page).to_have_url(re.compile(r"/step-by-step\?(head=L9H4&b=|b=&head=L9H4)$"))
    turn(page, "Architecture")
    expect(heading).to_have_text("Architecture")
    page.locator(".st-key-switch").get_by_text("Who sees what", exact=True).click()
    expect(page).to_have_url(re.compile("/architecture.*show=sees"))
    settled(page)

    page.reload()
    chosen = page.locator(".st-key-switch").get_by_role("radio", name="Who sees what")
    expect(chosen).to_be_checked()
    expect(page).to_have_url(re.compile("/architecture.*head=L9H4.*show=sees"))
    turn(page, "Heads")
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 9 · Head 4")
    expect(page.get_by_label("Sentence A", exact=True)).to_have_value(SENTENCE_A)
    expect(page.get_by_label("Sentence B", exact=True)).to_have_value("")

    page.go_back()
    expect(chosen).to_be_checked()
    settled(page)
    page.go_back()
    expect(page.locator(".st-key-switch").get_by_role("radio", name="The block")).to_be_checked()
    settled(page)
    page.go_back()
    expect(heading).to_have_text("Step by step")
    settled(page)
    page.go_back()
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 9 · Head 4")
    expect(page).to_have_url(re.compile(r"/\?(head=L9H4&b=|b=&head=L9H4)$"))


def test_a_hostile_own_parameter_is_a_sentence_and_the_default(page: Page, address: str):
    page.goto(f"{address}/architecture?show=%3Cimg%20src%3Dx%20onerror%3D%22window.hit%3D1%22%3E")
    expect(page.get_by_text("The link's “show” is none of")).to_be_visible()
    expect(page.locator(".st-key-switch").get_by_role("radio", name="The block")).to_be_checked()
    assert page.evaluate("window.hit") is None

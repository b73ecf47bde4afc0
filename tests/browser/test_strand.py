"""A text that is written, in a real Chromium: looking from a word, keeping it, hostile words."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnlab.viz.strand import strand_payload
from tests.browser.mounting import HOSTILE, causal, show, words

pytestmark = pytest.mark.browser


def test_arcs_follow_the_pointer_and_a_click_keeps_a_word(page: Page):
    tokens = words("The", " animal", "\n", " was", " tired")
    weights = causal(5, 5)
    told = [[]] * 3 + [["drawn with 0.5"], []]
    payload = strand_payload(weights, tokens, given=3, at=4, told=told, label="Two new tokens.")
    show(page, "strand", payload)
    expect(page.locator(".al-strand-word")).to_have_count(5)
    expect(page.locator(".al-came")).to_have_count(2)
    expect(page.locator("svg path")).to_have_count(int((weights[4, :4] >= 0.02).sum()))
    first, later = page.locator(".al-strand-word").nth(1), page.locator(".al-strand-word").nth(3)
    assert later.bounding_box()["y"] > first.bounding_box()["y"] + 20
    later.hover()
    expect(page.locator(".al-tip")).to_contain_text("drawn with 0.5")
    expect(page.locator("svg path")).to_have_count(int((weights[3, :3] >= 0.02).sum()))
    assert page.evaluate("sent") == []
    first.click()
    assert page.evaluate("sent.at(-1)") == {"name": "chosen", "at": 1, "times": 1}
    page.locator(".al-strand-text").press("ArrowRight")
    page.locator(".al-strand-text").press("Enter")
    assert page.evaluate("sent.at(-1).at") == 2


def test_what_was_forgotten_is_pale_from_the_word_that_looks(page: Page):
    tokens = words("The", " animal", " was", " tired")
    weights = causal(4, 4)
    weights[3, 1] = 0
    payload = strand_payload(weights, tokens, given=4, at=3, forgets=(2, 1))
    show(page, "strand", payload)
    expect(page.locator(".al-gone")).to_have_text("animal")
    page.locator(".al-gone").hover()
    expect(page.locator(".al-tip")).to_contain_text("has forgotten this")
    expect(page.locator(".al-gone")).to_have_count(0)  # from itself all is there


def test_mounted_again_in_the_same_place_it_stands_there_once(page: Page):
    payload = strand_payload(causal(2, 2), words("a", " b"), given=1, at=1)
    show(page, "strand", payload)
    page.evaluate("unmount()")
    show(page, "strand", payload)
    expect(page.locator(".al-strand")).to_have_count(1)


def test_sources_take_the_arcs_and_hostile_words_are_words(page: Page):
    tokens, sources = words(*HOSTILE), words("one", " two")
    weights = np.float32([[0.9, 0.1]] * 3)
    payload = strand_payload(weights, tokens, given=1, at=2, kind="edit", sources=sources)
    show(page, "strand", payload, width=380, dark=True)
    expect(page.locator(".al-strand-read .al-strand-word")).to_have_count(2)
    expect(page.locator("svg path")).to_have_count(2)
    expect(page.locator(".al-strand-text")).to_contain_text("onerror")
    page.locator(".al-strand-read .al-strand-word").first.hover()
    expect(page.locator(".al-tip")).to_contain_text("takes 0.90 from here")
    assert not page.evaluate("window.hit")
    room = page.locator(".al-strand-text").bounding_box()
    assert room["width"] <= 380

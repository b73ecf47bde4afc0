"""The drawn components on a phone: 390 px, and a finger instead of a pointer."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from attnlab.viz.grid import grid_payload
from attnlab.viz.head import head_payload
from tests.browser.mounting import causal, show, words

pytestmark = pytest.mark.browser

WIDTH = 340  # CSS pixels inside a card of a window of 390
FINGER = 24  # CSS pixels: what a finger hits


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    size = {"width": 390, "height": 844}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


def sent(page: Page) -> dict:
    return page.evaluate("sent[sent.length - 1]")


def tap(page: Page, box: dict, x: float = 0.5, y: float = 0.5) -> None:
    page.touchscreen.tap(box["x"] + box["width"] * x, box["y"] + box["height"] * y)


def touch(session: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    """Lay fingers on these points, move them there, or lift them."""
    fingers = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})


def test_a_head_is_chosen_by_tap(phone: Page):
    tokens = words("the", " street", " was", " tired")
    show(phone, "grid", grid_payload(causal(30, 9, 4, 4), tokens), width=WIDTH)
    box = phone.locator(".al-chosen").bounding_box()
    assert box["width"] >= FINGER
    expect(phone.locator(".al-hint")).to_contain_text("Scroll sideways for all layers")
    expect(phone.locator(".al-hint")).not_to_contain_text("arrow keys")
    phone.touchscreen.tap(box["x"] + box["width"] * 2.5, box["y"] + box["height"] * 1.5)
    assert (sent(phone)["layer"], sent(phone)["head"]) == (2, 1)


@pytest.mark.parametrize("mode", ["words", "matrix"])
def test_a_pair_of_words_is_kept_by_tap(phone: Page, mode):
    tokens = words("the", " street", " was", " tired")
    payload = head_payload(causal(4, 4), tokens, mode=mode, row_a=3, key_position=0)
    show(phone, "head", payload, width=WIDTH)
    if mode == "words":
        word = phone.locator('.al-key[data-position="1"]')
        assert word.bounding_box()["height"] >= FINGER
        tap(phone, word.bounding_box())
    else:
        cell = phone.locator(".al-kept").bounding_box()
        assert cell["width"] >= FINGER
        tap(phone, cell, x=1.5)
    assert (sent(phone)["position"], sent(phone)["key"]) == (3, 1)
    expect(phone.locator(".al-sum")).to_contain_text("A from tired to street")


def test_a_long_text_is_pinched_moved_and_tapped(phone: Page):
    tokens = words(*(f" w{i}" for i in range(400)))
    show(phone, "head", head_payload(causal(400, 400), tokens, mode="matrix"), width=WIDTH)
    note = phone.locator(".al-long-note")
    expect(note).to_contain_text("the strongest of")
    expect(phone.locator(".al-map")).to_have_class("al-map al-whole")  # a finger scrolls the page
    box = phone.locator(".al-window").bounding_box()
    x, y = box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.7
    fingers = phone.context.new_cdp_session(phone)
    touch(fingers, "touchStart", (x - 10, y), (x + 10, y))
    for far in (30, 60, 100, 140):
        touch(fingers, "touchMove", (x - far, y), (x + far, y))
    touch(fingers, "touchEnd")
    expect(note).to_contain_text("every weight in sight is drawn")
    tap(phone, box, 0.2, 0.6)
    first = sent(phone)
    assert first["key"] is not None
    ring = phone.locator(".al-kept").bounding_box()
    touch(fingers, "touchStart", (x, y))
    for step in (10, 20, 30):
        touch(fingers, "touchMove", (x + step, y + step))
    touch(fingers, "touchEnd")
    phone.wait_for_timeout(200)
    assert phone.locator(".al-kept").bounding_box()["x"] > ring["x"] + 15
    assert sent(phone) == first  # a drag keeps nothing
